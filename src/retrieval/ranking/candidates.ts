// Finds the documents worth ranking: the best lexical matches and the nearest by vector.
import type { Access } from '../../domain/access.ts'
import type { FacetRequest, Filters, TextConditions } from '../../domain/search/query.ts'
import type { Hit, SearchIndex, SearchResult } from '../../search-index/search-index.ts'
import type { Language } from '../../text/language.ts'

/** The length of each list. Longer lists made no measurable difference (docs/ranking.md). */
export const CANDIDATE_DEPTH = 200

/** The query for the index; lexical and vector search share it. */
export interface SearchQuery extends TextConditions {
  text: string
  access: Access
  filters: Filters
}

export interface RankingCandidate {
  document_id: string
  updated_at: number | null
  language: Language
  /** The `chunk_ind` of the best lexical chunk, then of the best semantic chunk if it is another one. */
  passages: [number, ...number[]]
  /** Null if the document contains none of the words. */
  lexicalScore: number | null
  /** The similarity of its best chunk; null if the document or the query has no vector. */
  semanticScore: number | null
}

export interface CandidateSet {
  candidates: RankingCandidate[]
  lexicalRange: ScoreRange
  semanticRange: ScoreRange
  /** Candidates by similarity whose lexical rank is below `CANDIDATE_DEPTH`. */
  beyondDepth: { document_id: string; score: number }[]
  /** Documents that contain words of the query, plus semantic candidates that contain none. */
  total: number
  total_relation: SearchResult['total_relation']
}

/** The range of the scores in a list. */
export interface ScoreRange {
  min: number
  max: number
}

export const searchLexical = (
  searchIndex: SearchIndex,
  searchQuery: SearchQuery,
  facets: readonly FacetRequest[],
): Promise<SearchResult> => searchIndex.search({ ...searchQuery, facets, offset: 0, limit: CANDIDATE_DEPTH, texts: 0 })

export const searchNearest = async (
  searchIndex: SearchIndex,
  searchQuery: SearchQuery,
  vector: Float32Array,
): Promise<Hit[]> =>
  (await searchIndex.nearest({ ...searchQuery, vector, offset: 0, limit: CANDIDATE_DEPTH, texts: 0 })).hits

export const lexicalCandidates = ({ hits, total, total_relation }: SearchResult): CandidateSet => ({
  candidates: hits.map((hit) =>
    toCandidate(hit, { passages: [hit.chunk.chunk_ind], lexicalScore: hit.score, semanticScore: null }),
  ),
  lexicalRange: lexicalRangeOf(hits, total),
  semanticRange: { min: 0, max: 0 },
  beyondDepth: [],
  total,
  total_relation,
})

export interface NearestHits {
  vector: Float32Array
  hits: readonly Hit[]
  /** Documents with a lower similarity are found by their words only. */
  minSimilarity: number
}

/**
 * Completes the scores of each list for the documents of the other, so that a score is missing only if there is none.
 */
export async function mergeCandidates(
  searchIndex: SearchIndex,
  searchQuery: SearchQuery,
  { hits, total, total_relation }: SearchResult,
  nearest: NearestHits,
): Promise<CandidateSet> {
  const lexicalHits = new Map(hits.map((it) => [it.document_id, it]))
  const semanticHits = new Map(nearest.hits.map((it) => [it.document_id, it]))
  const semanticOnly = nearest.hits.map((it) => it.document_id).filter((id) => !lexicalHits.has(id))
  const [similarities, beyondDepth] = await Promise.all([
    searchIndex.similarity({
      vector: nearest.vector,
      access: searchQuery.access,
      document_ids: hits.map((it) => it.document_id).filter((id) => !semanticHits.has(id)),
    }),
    total > hits.length ? lexicalHitsAmong(searchIndex, searchQuery, semanticOnly) : [],
  ])
  for (const it of beyondDepth) lexicalHits.set(it.document_id, it)
  const byWords = [...lexicalHits.values()].map((lexical) => {
    const semantic = semanticHits.get(lexical.document_id)
    return toCandidate(lexical, {
      passages: bestChunks(lexical, semantic),
      lexicalScore: lexical.score,
      semanticScore: semantic?.score ?? similarities.get(lexical.document_id) ?? null,
    })
  })
  const bySimilarity = nearest.hits
    .filter((it) => !lexicalHits.has(it.document_id) && it.score >= nearest.minSimilarity)
    .map((it) => toCandidate(it, { passages: [it.chunk.chunk_ind], lexicalScore: null, semanticScore: it.score }))
  const candidates = [...byWords, ...bySimilarity]
  return {
    candidates,
    lexicalRange: lexicalRangeOf(hits, total),
    semanticRange: semanticRangeOf(nearest),
    beyondDepth,
    total: total + candidates.filter((it) => it.lexicalScore === null).length,
    total_relation,
  }
}

const bestChunks = (lexical: Hit, semantic: Hit | undefined): RankingCandidate['passages'] =>
  semantic === undefined || semantic.chunk.chunk_ind === lexical.chunk.chunk_ind
    ? [lexical.chunk.chunk_ind]
    : [lexical.chunk.chunk_ind, semantic.chunk.chunk_ind]

/** Returns the lexical scores of these documents; documents without a match are left out. */
export const lexicalHitsAmong = async (
  searchIndex: SearchIndex,
  searchQuery: SearchQuery,
  document_ids: readonly string[],
): Promise<Hit[]> => {
  const filters = { ...searchQuery.filters, document_ids }
  return (await searchIndex.search({ ...searchQuery, filters, offset: 0, limit: document_ids.length, texts: 0 })).hits
}

/** If the list is complete, the next document would score 0. */
const lexicalRangeOf = (hits: readonly Hit[], total: number): ScoreRange => ({
  min: total > hits.length ? (hits.at(-1)?.score ?? 0) : 0,
  max: hits[0]?.score ?? 0,
})

const semanticRangeOf = ({ hits, minSimilarity }: NearestHits): ScoreRange => {
  const last = hits.at(-1)?.score ?? minSimilarity
  return {
    min: hits.length === CANDIDATE_DEPTH ? last : Math.min(minSimilarity, last),
    max: hits[0]?.score ?? minSimilarity,
  }
}

const toCandidate = (
  { document_id, updated_at, language }: Hit,
  { passages, lexicalScore, semanticScore }: Pick<RankingCandidate, 'passages' | 'lexicalScore' | 'semanticScore'>,
): RankingCandidate => ({ document_id, updated_at, language, passages, lexicalScore, semanticScore })
