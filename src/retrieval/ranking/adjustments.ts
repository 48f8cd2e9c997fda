// Applies the ranking settings of the administrator to what was found: time, boosts and pins. Changes the order only.

import type { Filters } from '../../domain/search/query.ts'
import type { Pin, RankingSettings } from '../../domain/search/ranking.ts'
import { normalizeQuery } from '../../domain/search/relevance.ts'
import type { SearchIndex } from '../../search-index/search-index.ts'
import type { RankingFacts } from '../../store/popularity/ranking-facts.ts'
import { DAY_MS } from '../../wire/date-time.ts'
import { asksForRecent } from '../query/asks-for-recent.ts'
import type { SearchQuery } from './candidates.ts'
import { compareByScore, type RankedDocument, type ScorePart, withScoreParts } from './fuse.ts'
import { freshnessPart } from './popularity/freshness.ts'

/** Ranking settings and the data to apply them. */
export interface RankingAdjustments {
  settings: RankingSettings
  /** The query as typed, which determines the pins. */
  query: string
  /** The cc-pairs of a document set. Not limited by access, because an administrator chose the set. */
  pairsOfSet: (name: string) => Promise<readonly number[]>
  now: number
}

interface AdjustDeps extends RankingAdjustments {
  searchIndex: SearchIndex
  facts: ReadonlyMap<string, RankingFacts>
}

export async function applyAdjustments(
  deps: AdjustDeps,
  searchQuery: SearchQuery,
  ranked: readonly RankedDocument[],
): Promise<RankedDocument[]> {
  const { half_life_days, source_half_life_days, boosts, pins, freshness_weight } = deps.settings
  const hasRecency = half_life_days !== null || source_half_life_days.length > 0
  const pinned = pinnedIdsFor(pins, deps.query)
  if (!hasRecency && boosts.length === 0 && pinned.length === 0 && freshness_weight === 0) return [...ranked]
  const halfLives = hasRecency ? await getHalfLives(deps, searchQuery, ranked) : new Map<string, number>()
  const factors = await getBoostFactors(deps, searchQuery, ranked)
  const { facts, now } = deps
  const freshness = { weight: freshness_weight, isAskedFor: asksForRecent(deps.query, now), facts, now }
  const adjusted = ranked.map((it) => {
    const halfLife = halfLives.get(it.document_id)
    const time = halfLife === undefined ? freshnessPart(it, freshness) : recencyPart(it, halfLife, deps)
    const sum = it.score + (time?.value ?? 0)
    const factor = factors.get(it.document_id) ?? 1
    const boosted: ScorePart | undefined =
      factor === 1 ? undefined : { name: 'boost', value: sum * (factor - 1), from: factor }
    return withScoreParts(
      it,
      [...it.parts, time, boosted].filter((part) => part !== undefined),
    )
  })
  return putPinsFirst(deps.searchIndex, searchQuery, adjusted.sort(compareByScore), pinned)
}

/**
 * The score halves with each half-life of age. Documents without a date keep their score; of those behind the best, the
 * index only knows when they were accepted.
 */
function recencyPart(it: RankedDocument, halfLife: number, { facts, now }: AdjustDeps): ScorePart | undefined {
  const own = facts.get(it.document_id)
  const time = own === undefined ? it.updated_at : own.own_time
  if (time === null) return undefined
  const decay = 0.5 ** (Math.max(0, now - time) / DAY_MS / halfLife)
  return { name: 'recency', value: it.score * (decay - 1), from: decay }
}

async function getHalfLives(
  { searchIndex, settings: { half_life_days, source_half_life_days } }: AdjustDeps,
  searchQuery: SearchQuery,
  ranked: readonly RankedDocument[],
): Promise<Map<string, number>> {
  const halfLives = new Map(
    half_life_days === null ? [] : ranked.map((it) => [it.document_id, half_life_days] as const),
  )
  for (const { source, days } of source_half_life_days) {
    for (const id of await idsMatching(searchIndex, searchQuery, ranked, { source_types: [source] }))
      halfLives.set(id, days)
  }
  return halfLives
}

async function getBoostFactors(
  { searchIndex, pairsOfSet, settings: { boosts } }: AdjustDeps,
  searchQuery: SearchQuery,
  ranked: readonly RankedDocument[],
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
    for (const id of await idsMatching(searchIndex, searchQuery, ranked, filters)) multiply(id, boost.factor)
  }
  return factors
}

/** Returns the ids of documents that meet the filters. */
async function idsMatching(
  searchIndex: SearchIndex,
  { access }: SearchQuery,
  ranked: readonly RankedDocument[],
  condition: Filters,
): Promise<string[]> {
  const filters = { ...condition, document_ids: ranked.map((it) => it.document_id) }
  const { hits } = await searchIndex.search({ text: '', access, filters, offset: 0, limit: ranked.length, texts: 0 })
  return hits.map((it) => it.document_id)
}

const pinnedIdsFor = (pins: readonly Pin[], query: string): string[] =>
  pins.filter((it) => normalizeQuery(it.query) === normalizeQuery(query)).flatMap((it) => it.document_ids)

/** Places pinned documents first, in their order. Pinned documents that the subject may not read are left out. */
async function putPinsFirst(
  searchIndex: SearchIndex,
  searchQuery: SearchQuery,
  ranked: readonly RankedDocument[],
  pinned: readonly string[],
): Promise<RankedDocument[]> {
  if (pinned.length === 0) return [...ranked]
  const filters = { ...searchQuery.filters, document_ids: pinned }
  const { hits } = await searchIndex.search({
    ...searchQuery,
    text: '',
    filters,
    offset: 0,
    limit: pinned.length,
    texts: 0,
  })
  const top = ranked[0]?.score ?? 0
  const first = pinned.flatMap((id, at): RankedDocument[] => {
    const found = hits.find((it) => it.document_id === id)
    if (found === undefined) return []
    const known = ranked.find((it) => it.document_id === id)
    const candidate =
      known ??
      withScoreParts({ ...found, passages: [found.chunk.chunk_ind], lexicalScore: null, semanticScore: null }, [])
    const value = Math.max(0, top - candidate.score) + (pinned.length - at)
    return [withScoreParts(candidate, [...candidate.parts, { name: 'pin', value, from: null }])]
  })
  const ids = new Set(first.map((it) => it.document_id))
  return [...first, ...ranked.filter((it) => !ids.has(it.document_id))].sort(compareByScore)
}

/** Appends the synonyms of words in the text. */
export function addSynonyms(text: string, synonyms: readonly (readonly string[])[]): string {
  if (synonyms.length === 0) return text
  const padded = ` ${normalizeQuery(text).replace(/[^\p{L}\p{N}]+/gu, ' ')} `
  const contains = (word: string) => padded.includes(` ${normalizeQuery(word).replace(/[^\p{L}\p{N}]+/gu, ' ')} `)
  const others = synonyms.filter((list) => list.some(contains)).flatMap((list) => list.filter((it) => !contains(it)))
  return [text, ...new Set(others)].join(' ')
}
