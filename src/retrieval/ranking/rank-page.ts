// Ranks results and returns a page. The top candidates are ranked by words and vectors. Further results follow by
// lexical score, so that paging never ends early and never repeats a document.
import type { Logger } from '../../domain/logger.ts'
import type { Cursor, FacetRequest } from '../../domain/search/query.ts'
import type { Embedder } from '../../inference/embedder.ts'
import type { Facet, Hit, SearchIndex, SearchResult } from '../../search-index/search-index.ts'
import { queryTerms } from '../../text/query-terms.ts'
import type { PageStart } from '../cursor.ts'
import { embedQuery } from '../query/embed-query.ts'
import { createQueryWords, type QueryWordsByLanguage } from '../query/query-words.ts'
import { applyCorrections, type Correction, findCorrections } from '../query/spelling.ts'
import { bestPassageRefOf, createChunkCache, type MatchedChunkCache, passageRefsOf } from '../results/chunk-cache.ts'
import { addSemanticOnlyCounts } from '../results/facets.ts'
import { addSynonyms, applyAdjustments, type RankingAdjustments } from './adjustments.ts'
import {
  CANDIDATE_DEPTH,
  type CandidateSet,
  lexicalCandidates,
  lexicalHitsAmong,
  mergeCandidates,
  type NearestHits,
  type SearchQuery,
  searchLexical,
  searchNearest,
} from './candidates.ts'
import { fuse, type RankedDocument, withScoreParts } from './fuse.ts'
import { addProximity, PROXIMITY_DEPTH } from './proximity.ts'

export interface RankDeps {
  searchIndex: SearchIndex
  embedder: Embedder | null
  logger: Logger
  adjustments?: RankingAdjustments
}

export interface PageRequest {
  start: PageStart | { offset: number }
  limit: number
  sort: 'relevance' | 'date'
  facets: readonly FacetRequest[]
  /** The time limit for the vector of the query; default `EMBED_TIMEOUT_MS`. */
  embedTimeoutMs?: number | undefined
  /** False searches the words exactly as they are typed. */
  isCorrected?: boolean
}

export interface RankedPage {
  hits: RankedDocument[]
  /** Chunks with matches, of some of the hits. */
  cache: MatchedChunkCache
  /** The rank of the first hit, from 0. */
  offset: number
  next: PageStart | null
  total: number
  total_relation: SearchResult['total_relation']
  facets: readonly Facet[]
  corrections: Correction[]
  /** The query after spelling correction. */
  searchQuery: SearchQuery
  /** The number of documents in `total` that contain words of the query; null if the query has no words. */
  word_matches: number | null
  /** The documents in `total` that contain none of the words. */
  semanticOnly: readonly string[]
  ranked_by: 'words' | 'both' | 'date'
  /** Why vectors did not contribute, if they should have. */
  reason: string | null
}

/** Further pages wait longer, because they must use vectors if the first page did. */
const EMBED_TIMEOUT_MS = 150
const NEXT_PAGE_EMBED_TIMEOUT_MS = 3_000

export function rankPage(deps: RankDeps, searchQuery: SearchQuery, page: PageRequest): Promise<RankedPage> {
  const isUnranked = page.sort === 'date' || queryTerms(searchQuery.text).length === 0
  return isUnranked ? listPage(deps, searchQuery, page) : rankedPage(deps, searchQuery, page)
}

const createMatchCache = (searchIndex: SearchIndex, { text }: SearchQuery): MatchedChunkCache =>
  createChunkCache((places) => searchIndex.chunksWithMatches(text, places))

/** Results in the order of the index, by time. */
async function listPage({ searchIndex }: RankDeps, searchQuery: SearchQuery, page: PageRequest): Promise<RankedPage> {
  const { start, limit, facets } = page
  const after: Cursor | undefined = 'after' in start ? start.after : undefined
  const offset = 'offset' in start ? start.offset : 'place' in start ? start.place : 0
  const sort = page.sort === 'date' ? ('newest' as const) : ('relevance' as const)
  const query = { ...searchQuery, sort, ...(after && { after }), facets, offset, limit, texts: 0 }
  const found = await searchIndex.search(query)
  const last = found.hits.at(-1)
  return {
    hits: found.hits.map(withoutScoreParts),
    cache: createMatchCache(searchIndex, searchQuery),
    offset: offset,
    next:
      last === undefined || found.hits.length < limit
        ? null
        : { after: { score: 0, updated_at: last.updated_at, document_id: last.document_id } },
    total: found.total,
    total_relation: found.total_relation,
    facets: found.facets,
    corrections: [],
    searchQuery,
    word_matches: queryTerms(searchQuery.text).length === 0 ? null : found.total,
    semanticOnly: [],
    ranked_by: 'date',
    reason: null,
  }
}

async function rankedPage(deps: RankDeps, typedQuery: SearchQuery, page: PageRequest): Promise<RankedPage> {
  const offset = offsetOf(page.start)
  const synonyms = deps.adjustments?.settings.synonyms ?? []
  const found = await findWithCorrections(deps, { ...typedQuery, text: addSynonyms(typedQuery.text, synonyms) }, page)
  const { searchQuery, lexical, by, texts } = found
  const rescored = addProximity(found.fused, {
    queryWords: found.wordsIn,
    cache: texts,
    lexicalRange: found.candidates.lexicalRange,
    by,
  })
  const { head, candidates, semanticOnly } = await adjustRanking(deps, searchQuery, rescored, found.candidates)
  const hits = head.slice(offset, offset + page.limit)
  const missing = page.limit - hits.length
  if (missing > 0 && lexical.total > lexical.hits.length) {
    hits.push(
      ...(await findBeyondHead(deps.searchIndex, searchQuery, candidates, Math.max(0, offset - head.length), missing)),
    )
  }
  const end = offset + hits.length
  const isMore = hits.length === page.limit && (candidates.total_relation === 'gte' || end < candidates.total)
  return {
    hits,
    cache: texts,
    offset,
    next: isMore ? { place: end, by } : null,
    total: candidates.total,
    total_relation: candidates.total_relation,
    facets: await addSemanticOnlyCounts(deps.searchIndex, { searchQuery, semanticOnly }, page.facets, lexical.facets),
    corrections: found.corrections,
    searchQuery,
    word_matches: lexical.total,
    semanticOnly,
    ranked_by: by,
    reason: found.reason,
  }
}

/** Pinned documents become candidates even if they contain no word of the query. */
async function adjustRanking(
  { searchIndex, adjustments }: RankDeps,
  searchQuery: SearchQuery,
  ranked: readonly RankedDocument[],
  candidates: CandidateSet,
): Promise<{ head: readonly RankedDocument[]; candidates: CandidateSet; semanticOnly: readonly string[] }> {
  const semanticOnly = candidates.candidates.filter((it) => it.lexicalScore === null).map((it) => it.document_id)
  if (adjustments === undefined) return { head: ranked, candidates, semanticOnly }
  const head = await applyAdjustments({ ...adjustments, searchIndex }, searchQuery, ranked)
  if (head.length === ranked.length) return { head, candidates, semanticOnly }
  const known = new Set(candidates.candidates.map((it) => it.document_id))
  const added = head.map((it) => it.document_id).filter((id) => !known.has(id))
  if (added.length === 0) return { head, candidates, semanticOnly }
  const lexicalHits = await lexicalHitsAmong(searchIndex, searchQuery, added)
  const lexicalIds = new Set(lexicalHits.map((it) => it.document_id))
  const total = candidates.total + added.length - lexicalHits.length
  return {
    head,
    candidates: { ...candidates, total, beyondDepth: [...candidates.beyondDepth, ...lexicalHits] },
    semanticOnly: [...semanticOnly, ...added.filter((id) => !lexicalIds.has(id))],
  }
}

const offsetOf = (start: PageRequest['start']): number =>
  'offset' in start ? start.offset : 'place' in start ? start.place : 0

interface HybridCandidates {
  searchQuery: SearchQuery
  lexical: SearchResult
  candidates: CandidateSet
  fused: RankedDocument[]
  /** The cache that holds the chunks of the top results. */
  texts: MatchedChunkCache
  /** The words of the query that was searched. */
  wordsIn: QueryWordsByLanguage
  corrections: Correction[]
  by: 'words' | 'both'
  reason: string | null
}

async function findWithCorrections(
  deps: RankDeps,
  typedQuery: SearchQuery,
  page: PageRequest,
): Promise<HybridCandidates> {
  const findCandidates = async (searchQuery: SearchQuery) => {
    const texts = createMatchCache(deps.searchIndex, searchQuery)
    const wordsIn = createQueryWords(searchQuery.text)
    const found = await mergeResults(deps, searchQuery, await searchBoth(deps, searchQuery, page))
    const fused = fuse(found.candidates, found.by)
    await texts.load(fused.slice(0, PROXIMITY_DEPTH).flatMap(passageRefsOf))
    return { ...found, fused, texts, wordsIn }
  }
  const first = await findCandidates(typedQuery)
  if (page.isCorrected === false) return { ...first, corrections: [] }
  const corrections = await findCorrections(deps.searchIndex, typedQuery, matchedWordStarts(first))
  if (corrections.length === 0) return { ...first, corrections }
  return {
    ...(await findCandidates({ ...typedQuery, text: applyCorrections(typedQuery.text, corrections) })),
    corrections,
  }
}

/** Returns the positions in the query of words that occur in the top results. */
function matchedWordStarts({
  fused,
  texts,
  wordsIn,
}: Pick<HybridCandidates, 'fused' | 'texts' | 'wordsIn'>): ReadonlySet<number> {
  const starts = new Set<number>()
  for (const it of fused.slice(0, PROXIMITY_DEPTH)) {
    const matched = new Set(texts.get(bestPassageRefOf(it))?.matches.map((match) => match.word))
    for (const [word, { start }] of wordsIn(it.language).entries()) if (matched.has(word)) starts.add(start)
  }
  return starts
}

interface SearchResultPair {
  lexical: SearchResult
  nearest: NearestHits | { hits: null; reason: string | null }
}

async function searchBoth(
  deps: RankDeps,
  searchQuery: SearchQuery,
  { start, facets, embedTimeoutMs = EMBED_TIMEOUT_MS }: PageRequest,
): Promise<SearchResultPair> {
  const isLexicalOnly = 'by' in start && start.by === 'words'
  const timeoutMs = 'by' in start ? NEXT_PAGE_EMBED_TIMEOUT_MS : embedTimeoutMs
  const [lexical, nearest] = await Promise.all([
    searchLexical(deps.searchIndex, searchQuery, facets),
    isLexicalOnly ? { hits: null, reason: null } : findNearest(deps, searchQuery, timeoutMs),
  ])
  return { lexical, nearest }
}

async function findNearest(
  deps: RankDeps,
  searchQuery: SearchQuery,
  timeoutMs: number,
): Promise<SearchResultPair['nearest']> {
  const embedded = await embedQuery(deps, searchQuery.text, timeoutMs)
  if (embedded.vector === null) return { hits: null, reason: embedded.reason }
  const hits = await searchNearest(deps.searchIndex, searchQuery, embedded.vector)
  if (hits.length > 0) return { vector: embedded.vector, hits, minSimilarity: MIN_SIMILARITY }
  return { hits: null, reason: 'No readable document has been embedded yet. Results are ranked by keywords only.' }
}

async function mergeResults(
  { searchIndex }: RankDeps,
  searchQuery: SearchQuery,
  { lexical, nearest }: SearchResultPair,
): Promise<Pick<HybridCandidates, 'searchQuery' | 'lexical' | 'candidates' | 'by' | 'reason'>> {
  if (nearest.hits === null)
    return { searchQuery, lexical, candidates: lexicalCandidates(lexical), by: 'words', reason: nearest.reason }
  return {
    searchQuery,
    lexical,
    candidates: await mergeCandidates(searchIndex, searchQuery, lexical, nearest),
    by: 'both',
    reason: null,
  }
}

/** Documents below this similarity that contain no word of the query were never relevant (docs/ranking.md). */
export const MIN_SIMILARITY = 0.3

/** Returns the lexical results after the candidates. Skips candidates that were already ranked. */
async function findBeyondHead(
  searchIndex: SearchIndex,
  searchQuery: SearchQuery,
  { beyondDepth }: CandidateSet,
  from: number,
  limit: number,
): Promise<RankedDocument[]> {
  const offset = CANDIDATE_DEPTH + from
  const { hits } = await searchIndex.search({ ...searchQuery, offset, limit: limit + beyondDepth.length, texts: 0 })
  const first = hits[0]
  if (first === undefined) return []
  const ids = new Set(beyondDepth.map((it) => it.document_id))
  const before = beyondDepth.filter((it) => ranksBefore(it, first)).length
  return hits
    .filter((it) => !ids.has(it.document_id))
    .slice(before, before + limit)
    .map(withoutScoreParts)
}

const ranksBefore = (one: { score: number; document_id: string }, other: Hit): boolean =>
  one.score > other.score || (one.score === other.score && one.document_id < other.document_id)

const withoutScoreParts = ({ document_id, updated_at, language, chunk }: Hit): RankedDocument =>
  withScoreParts(
    { document_id, updated_at, language, passages: [chunk.chunk_ind], lexicalScore: null, semanticScore: null },
    [],
  )
