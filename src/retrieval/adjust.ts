// What an administrator has set, as parts of the score: age, boosts, pins. Only what is found is moved.
import { DAY_MS } from '../domain/date-time.ts'
import type { Filters } from '../domain/query.ts'
import type { Pin, RankingSettings } from '../domain/ranking.ts'
import { plainQuery } from '../domain/relevance.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { Asked } from './candidates.ts'
import { byScore, type Part, type Ranked, withParts } from './fuse.ts'

/** Without it nothing is adjusted. */
export interface Adjusting {
  settings: RankingSettings
  /** As it was typed: it decides which pins hold. */
  query: string
  /** The pairs of a document set, whoever asks: an administrator named it. */
  pairsOfSet: (name: string) => Promise<readonly number[]>
  now: number
}

type AdjustNeeds = Adjusting & { searchIndex: SearchIndex }

export async function adjust(needs: AdjustNeeds, asked: Asked, ranked: readonly Ranked[]): Promise<Ranked[]> {
  const { half_life_days, source_half_life_days, boosts, pins } = needs.settings
  const isAged = half_life_days !== null || source_half_life_days.length > 0
  const pinned = pinsFor(pins, needs.query)
  if (!isAged && boosts.length === 0 && pinned.length === 0) return [...ranked]
  const halfLives = isAged ? await halfLivesOf(needs, asked, ranked) : new Map<string, number>()
  const factors = await factorsOf(needs, asked, ranked)
  const moved = ranked.map((it) => {
    const aged = agedPart(it, halfLives.get(it.document_id), needs.now)
    const sum = it.score + (aged?.value ?? 0)
    const factor = factors.get(it.document_id) ?? 1
    const boosted: Part | undefined =
      factor === 1 ? undefined : { name: 'boost', value: sum * (factor - 1), from: factor }
    return withParts(
      it,
      [...it.parts, aged, boosted].filter((part) => part !== undefined),
    )
  })
  return withPins(needs.searchIndex, asked, moved.sort(byScore), pinned)
}

/** A new document keeps its score, one that is a half-life old has half of it, one without a date all of it. */
function agedPart(it: Ranked, halfLife: number | undefined, now: number): Part | undefined {
  if (halfLife === undefined || it.updated_at === null) return undefined
  const left = 0.5 ** (Math.max(0, now - it.updated_at) / DAY_MS / halfLife)
  return { name: 'recency', value: it.score * (left - 1), from: left }
}

async function halfLivesOf(
  { searchIndex, settings: { half_life_days, source_half_life_days } }: AdjustNeeds,
  asked: Asked,
  ranked: readonly Ranked[],
): Promise<Map<string, number>> {
  const halfLives = new Map(
    half_life_days === null ? [] : ranked.map((it) => [it.document_id, half_life_days] as const),
  )
  for (const { source, days } of source_half_life_days) {
    for (const id of await among(searchIndex, asked, ranked, { source_types: [source] })) halfLives.set(id, days)
  }
  return halfLives
}

async function factorsOf(
  { searchIndex, pairsOfSet, settings: { boosts } }: AdjustNeeds,
  asked: Asked,
  ranked: readonly Ranked[],
): Promise<Map<string, number>> {
  const factors = new Map<string, number>()
  const multiply = (id: string, factor: number) => factors.set(id, (factors.get(id) ?? 1) * factor)
  for (const boost of boosts) {
    if ('document_id' in boost) {
      multiply(boost.document_id, boost.factor)
      continue
    }
    const filters =
      'source' in boost ? { source_types: [boost.source] } : { cc_pair_ids: await pairsOfSet(boost.document_set) }
    for (const id of await among(searchIndex, asked, ranked, filters)) multiply(id, boost.factor)
  }
  return factors
}

/** Which of these documents meet a filter: the index knows. */
async function among(
  searchIndex: SearchIndex,
  { access }: Asked,
  ranked: readonly Ranked[],
  own: Filters,
): Promise<string[]> {
  const filters = { ...own, document_ids: ranked.map((it) => it.document_id) }
  const { hits } = await searchIndex.search({ text: '', access, filters, offset: 0, limit: ranked.length, texts: 0 })
  return hits.map((it) => it.document_id)
}

const pinsFor = (pins: readonly Pin[], query: string): string[] =>
  pins.filter((it) => plainQuery(it.query) === plainQuery(query)).flatMap((it) => it.document_ids)

/** In the order in which they are pinned, before all others; those that the asker may not find are not there. */
async function withPins(
  searchIndex: SearchIndex,
  asked: Asked,
  ranked: readonly Ranked[],
  pinned: readonly string[],
): Promise<Ranked[]> {
  if (pinned.length === 0) return [...ranked]
  const filters = { ...asked.filters, document_ids: pinned }
  const { hits } = await searchIndex.search({ ...asked, text: '', filters, offset: 0, limit: pinned.length, texts: 0 })
  const top = ranked[0]?.score ?? 0
  const first = pinned.flatMap((id, at): Ranked[] => {
    const found = hits.find((it) => it.document_id === id)
    if (found === undefined) return []
    const known = ranked.find((it) => it.document_id === id)
    const own = known ?? withParts({ ...found, passages: [found.chunk.chunk_ind], words: null, meaning: null }, [])
    const value = Math.max(0, top - own.score) + (pinned.length - at)
    return [withParts(own, [...own.parts, { name: 'pin', value, from: null }])]
  })
  const ids = new Set(first.map((it) => it.document_id))
  return [...first, ...ranked.filter((it) => !ids.has(it.document_id))].sort(byScore)
}

/** Words that stand for a word of the text follow it at the end. */
export function withSynonyms(text: string, synonyms: readonly (readonly string[])[]): string {
  if (synonyms.length === 0) return text
  const padded = ` ${plainQuery(text).replace(/[^\p{L}\p{N}]+/gu, ' ')} `
  const holds = (word: string) => padded.includes(` ${plainQuery(word).replace(/[^\p{L}\p{N}]+/gu, ' ')} `)
  const others = synonyms.filter((list) => list.some(holds)).flatMap((list) => list.filter((it) => !holds(it)))
  return [text, ...new Set(others)].join(' ')
}
