// Ranking settings for administrators. Popularity and freshness are on by default, all others off.
import { z } from 'zod'
import { optionalNullable, wireArray, wireNumber, wireString, wireUnion } from '../../wire/schemas.ts'

export interface RankingSettings {
  /** After this many days a document counts half as much as a new one; null disables this. */
  half_life_days: number | null
  /** Overrides `half_life_days` for documents of one source. */
  source_half_life_days: { source: string; days: number }[]
  boosts: Boost[]
  pins: Pin[]
  /** Each list contains words that match each other. */
  synonyms: string[][]
  /** The most that is added because people chose a document for the query; 0 disables this. */
  click_weight: number
  /** The most that is added because documents of its source link to it; 0 disables this. */
  link_weight: number
  /** The share of its score that is added to a new document where time matters; 0 disables this. */
  freshness_weight: number
}

/** A factor for the score. */
export type Boost = { factor: number } & ({ source: string } | { document_set: string } | { document_id: string })

export interface Pin {
  /** Case and surrounding space are ignored. */
  query: string
  document_ids: string[]
}

export const DEFAULT_RANKING: Readonly<RankingSettings> = {
  half_life_days: null,
  source_half_life_days: [],
  boosts: [],
  pins: [],
  synonyms: [],
  click_weight: 0.3,
  // Links help in none of the manuals that were measured (docs/decisions/0192-popularity.md).
  link_weight: 0,
  freshness_weight: 0.2,
}

const name = wireString({ min: 1, max: 2_000 })
const days = wireNumber({ min: 1, max: 36_500 })
const weight = wireNumber({ min: 0, max: 1 })
const factor = wireNumber({ min: 0.1, max: 10 }).describe('The factor for the score, from .1 to 10.')

/** Null restores the default. */
export const RankingUpdate = z
  .object({
    half_life_days: optionalNullable(days).describe(
      'After this many days a document counts half as much as a new one; null, the default, disables this.',
    ),
    source_half_life_days: optionalNullable(wireArray(z.object({ source: name, days }), { max: 100 })),
    boosts: optionalNullable(
      wireArray(
        wireUnion({
          SourceBoost: z.object({ source: name, factor }).meta({ id: 'SourceBoost' }),
          DocumentSetBoost: z.object({ document_set: name, factor }).meta({ id: 'DocumentSetBoost' }),
          DocumentBoost: z.object({ document_id: name, factor }).meta({ id: 'DocumentBoost' }),
        }),
        { max: 1_000 },
      ),
    ).describe('By source, document set or document; if several apply, they are multiplied.'),
    pins: optionalNullable(
      wireArray(z.object({ query: name, document_ids: wireArray(name, { min: 1, max: 10 }) }), { max: 1_000 }),
    ).describe('Documents listed first for a query, for people who may read them.'),
    synonyms: optionalNullable(wireArray(wireArray(name, { min: 2, max: 20 }), { max: 1_000 })).describe(
      'Lists of words that match each other.',
    ),
    click_weight: optionalNullable(weight).describe(
      `The most that is added to a score because at least three people chose the document for this query, from 0 (off) to 1. Default: ${DEFAULT_RANKING.click_weight}.`,
    ),
    link_weight: optionalNullable(weight).describe(
      `The most that is added to the score of a crawled page because other pages of its connector link to it, from 0 (off) to 1. Default: ${DEFAULT_RANKING.link_weight}.`,
    ),
    freshness_weight: optionalNullable(weight).describe(
      `The share of its score that is added to a new document if the query asks for something recent, and half of it for mails, chats and tickets, from 0 (off) to 1. Default: ${DEFAULT_RANKING.freshness_weight}.`,
    ),
  })
  .meta({ id: 'RankingUpdate' })
export type RankingUpdate = z.infer<typeof RankingUpdate>

/** The settings after an update: absent fields stay, null restores the default. */
export function applyRankingUpdate(settings: RankingSettings, change: RankingUpdate): RankingSettings {
  const changes = new Map(Object.entries(change))
  const set = Object.entries(DEFAULT_RANKING).flatMap(([name, byDefault]) =>
    changes.has(name) ? [[name, changes.get(name) ?? byDefault]] : [],
  )
  return { ...settings, ...Object.fromEntries(set) }
}
