// What an administrator can set about the ranking. Nothing of it is on unless it is set.
import { z } from 'zod'
import { optionalNullable, wireArray, wireNumber, wireString, wireUnion } from './wire.ts'

export interface RankingSettings {
  /** After so many days a document counts half as much as a new one; null for no difference. */
  half_life_days: number | null
  /** For documents of one source, instead of the one above. */
  source_half_life_days: { source: string; days: number }[]
  boosts: Boost[]
  pins: Pin[]
  /** Words that are looked for beside each other. */
  synonyms: string[][]
}

/** What a score is multiplied by. */
export type Boost = { factor: number } & ({ source: string } | { document_set: string } | { document_id: string })

export interface Pin {
  /** Case and the space around do not matter. */
  query: string
  document_ids: string[]
}

export const DEFAULT_RANKING: Readonly<RankingSettings> = {
  half_life_days: null,
  source_half_life_days: [],
  boosts: [],
  pins: [],
  synonyms: [],
}

const name = wireString({ min: 1, max: 2_000 })
const days = wireNumber({ min: 1, max: 36_500 })
const factor = wireNumber({ min: 0.1, max: 10 }).describe('From .1 to 10; what a score is multiplied by.')

/** Null goes back to the default. */
export const RankingUpdate = z
  .object({
    half_life_days: optionalNullable(days).describe(
      'After so many days a document counts half as much as a new one; null, the default, for no difference.',
    ),
    source_half_life_days: optionalNullable(wireArray(z.object({ source: name, days }), { max: 100 })),
    boosts: optionalNullable(
      wireArray(
        wireUnion({
          SourceBoost: z.object({ source: name, factor }),
          DocumentSetBoost: z.object({ document_set: name, factor }),
          DocumentBoost: z.object({ document_id: name, factor }),
        }),
        { max: 1_000 },
      ),
    ).describe('By source, document set or document; where several hold, all of them count.'),
    pins: optionalNullable(
      wireArray(z.object({ query: name, document_ids: wireArray(name, { min: 1, max: 10 }) }), { max: 1_000 }),
    ).describe('Documents that stand first for a query, for those who may read them.'),
    synonyms: optionalNullable(wireArray(wireArray(name, { min: 2, max: 20 }), { max: 1_000 })).describe(
      'Lists of words of which each finds the others.',
    ),
  })
  .meta({ id: 'RankingUpdate' })
export type RankingUpdate = z.infer<typeof RankingUpdate>

/** What the settings are after a change: what is absent stays, null goes back to the default. */
export function changed(settings: RankingSettings, change: RankingUpdate): RankingSettings {
  const set = Object.entries(change).map(([name, value]) => [
    name,
    value ?? DEFAULT_RANKING[name as keyof RankingSettings],
  ])
  return { ...settings, ...Object.fromEntries(set) }
}
