// Ranks results and returns a page. The top candidates are ranked by words and vectors. Further results follow by
// lexical score, so that paging never ends early and never repeats a document.
import type { Logger } from '../../domain/logger.ts'
import type { Cursor, FacetRequest } from '../../domain/search/query.ts'
import type { Embedder } from '../../inference/embedder.ts'
import type {
  CandidateSet,
  Facet,
  FoundCandidates,
  Hit,
  SearchIndex,
  SearchResult,
} from '../../search-index/search-index.ts'
import { NO_MEANING } from '../../search-index/weigh-scores.ts'
import type { RankingFacts } from '../../store/popularity/ranking-facts.ts'
import { nameKey } from '../../text/names/name-key.ts'
import { queryTerms } from '../../text/query-terms.ts'
import { createQueryWords } from '../../text/query-words.ts'
import type { PageStart } from '../cursor.ts'
import { embedQuery, type QueryVector } from '../query/embed-query.ts'
import { applyCorrections, type Correction, findCorrections } from '../query/spelling.ts'
import { createChunkCache, type MatchedChunkCache } from '../results/chunk-cache.ts'
import { addSemanticOnlyCounts } from '../results/facets.ts'
import type { FoldedRanking } from '../results/fold-near-duplicates.ts'
import { addSynonyms, applyAdjustments, type RankingAdjustments } from './adjustments.ts'
import { CANDIDATE_DEPTH, candidateQuery, lexicalHitsAmong, type SearchQuery } from './candidates.ts'
import { fuse, type RankedDocument, withScoreParts } from './fuse.ts'
import { addPopularity } from './popularity/popularity.ts'
import { addProximity, PROXIMITY_DEPTH } from './proximity.ts'
import { addTitles } from './titles.ts'

export interface RankDeps {
  searchIndex: SearchIndex
  embedder: Embedder | null
  logger: Logger
  adjustments?: RankingAdjustments
  /** Those of the documents that others link to with a name, by the key of the name (`nameKey`). */
  findLinked?: (key: string, ids: readonly string[]) => Promise<ReadonlySet<string>>
  /** Facts of the record about the documents, for the query of the adjustments. */
  findFacts?: (ids: readonly string[]) => Promise<ReadonlyMap<string, RankingFacts>>
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
  /** The number of results, from the first of the page, whose passages are shown; default 0. */
  texts?: number
  /** Folds near duplicates. Nothing is folded without it, nor in a list by time. */
  fold?: ((ranked: readonly RankedDocument[]) => Promise<FoldedRanking>) | null
}

export interface RankedPage {
  hits: RankedDocument[]
  /** Maps documents to their place in the ranking, from 0: hits, and what is folded into them. */
  places: ReadonlyMap<string, number>
  /** Maps hits to the documents that are folded into them, best first. */
  similar: FoldedRanking['similar']
  /** The first results of the ranking, whichever page was asked for; none in a list by time. */
  best: readonly RankedDocument[]
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
    places: new Map(found.hits.map((it, at) => [it.document_id, offset + at])),
    similar: NOTHING_FOLDED,
    best: [],
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
  const synonyms = deps.adjustments?.settings.synonyms ?? []
  const hybrid = await findWithCorrections(deps, { ...typedQuery, text: addSynonyms(typedQuery.text, synonyms) }, page)
  const { searchQuery, by, semanticWeight, texts } = hybrid
  const { lexical, lexicalRange } = hybrid.found
  const queryWords = createQueryWords(searchQuery.text)
  const near = addProximity(hybrid.fused, { queryWords, cache: texts, lexicalRange, semanticWeight })
  const best = near.slice(0, PROXIMITY_DEPTH).map((it) => it.document_id)
  const [linked, facts] = await Promise.all([findLinked(deps, searchQuery, best), findFacts(deps, best)])
  const titled = addTitles(near, { text: searchQuery.text, queryWords, cache: texts, semanticWeight, linked })
  const settings = deps.adjustments?.settings
  const rescored = settings === undefined ? titled : addPopularity(titled, { settings, facts, semanticWeight })
  const ranked = { ranked: rescored, facts }
  const { head, candidates, semanticOnly } = await adjustRanking(deps, searchQuery, ranked, hybrid.found)
  const { hits, offset, end, ...folded } = await cutPage(deps, searchQuery, { head, candidates, lexical }, page)
  const isMore = hits.length === page.limit && (candidates.total_relation === 'gte' || end < candidates.total)
  return {
    hits,
    ...folded,
    best: head.slice(0, PROXIMITY_DEPTH),
    cache: texts,
    offset,
    next: isMore ? { place: end, by } : null,
    total: candidates.total,
    total_relation: candidates.total_relation,
    facets: await addSemanticOnlyCounts(deps.searchIndex, { searchQuery, semanticOnly }, page.facets, lexical.facets),
    corrections: hybrid.corrections,
    searchQuery,
    word_matches: lexical.total,
    semanticOnly,
    ranked_by: by,
    reason: hybrid.reason,
  }
}

/** A longer text is no name of a page. */
const MAX_NAME = 80

const findLinked = async (
  { findLinked: find }: RankDeps,
  { text }: SearchQuery,
  ids: readonly string[],
): Promise<ReadonlySet<string>> => (find === undefined || text.length > MAX_NAME ? new Set() : find(nameKey(text), ids))

/** Nothing if no setting needs it. */
async function findFacts({ findFacts: find, adjustments }: RankDeps, ids: readonly string[]): Promise<Facts> {
  if (find === undefined || adjustments === undefined) return new Map()
  const { half_life_days, source_half_life_days, click_weight, link_weight, freshness_weight } = adjustments.settings
  const hasWeight = click_weight + link_weight + freshness_weight > 0
  return hasWeight || half_life_days !== null || source_half_life_days.length > 0 ? find(ids) : new Map()
}

type Facts = ReadonlyMap<string, RankingFacts>

interface CutPage extends Pick<RankedPage, 'hits' | 'places' | 'similar'> {
  offset: number
  /** The place at which the next page begins. */
  end: number
}

async function cutPage(
  deps: RankDeps,
  searchQuery: SearchQuery,
  {
    head,
    candidates,
    lexical,
  }: Pick<FoundCandidates, 'lexical'> & { head: readonly RankedDocument[]; candidates: CandidateSet },
  { start, limit, fold }: PageRequest,
): Promise<CutPage> {
  const { kept, similar } = fold ? await fold(head) : { kept: [...head.keys()], similar: NOTHING_FOLDED }
  const offset = placeOf(start, kept, head.length)
  const first = kept.findIndex((it) => it >= offset)
  const shown = first === -1 ? [] : kept.slice(first, first + limit)
  const hits = shown.flatMap((it) => head[it] ?? [])
  const places = new Map(head.map((it, place) => [it.document_id, place]))
  const missing = limit - hits.length
  if (missing === 0) return { hits, places, similar, offset, end: kept[first + limit] ?? head.length }
  const from = Math.max(offset, head.length)
  if (lexical.total <= lexical.hits) return { hits, places, similar, offset, end: from }
  const following = await findBeyondHead(deps.searchIndex, searchQuery, candidates, from - head.length, missing)
  for (const [at, it] of following.entries()) places.set(it.document_id, from + at)
  return { hits: [...hits, ...following], places, similar, offset, end: from + following.length }
}

const NOTHING_FOLDED: FoldedRanking['similar'] = new Map()

/** An offset counts documents that are not folded; a cursor has the place in the whole ranking. */
function placeOf(start: PageRequest['start'], kept: readonly number[], headLength: number): number {
  const at = offsetOf(start)
  return 'offset' in start ? (kept[at] ?? headLength + at - kept.length) : at
}

/** Pinned documents become candidates even if they contain no word of the query. */
async function adjustRanking(
  { searchIndex, adjustments }: RankDeps,
  searchQuery: SearchQuery,
  { ranked, facts }: { ranked: readonly RankedDocument[]; facts: Facts },
  candidates: CandidateSet,
): Promise<{ head: readonly RankedDocument[]; candidates: CandidateSet; semanticOnly: readonly string[] }> {
  const semanticOnly = candidates.candidates.filter((it) => it.lexicalScore === null).map((it) => it.document_id)
  if (adjustments === undefined) return { head: ranked, candidates, semanticOnly }
  const head = await applyAdjustments({ ...adjustments, searchIndex, facts }, searchQuery, ranked)
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
  found: FoundCandidates
  fused: RankedDocument[]
  /** The cache that holds the chunks of the top results. */
  texts: MatchedChunkCache
  corrections: Correction[]
  by: 'words' | 'both'
  /** 0 if the results are ranked by words. */
  semanticWeight: number
  reason: string | null
}

async function findWithCorrections(
  deps: RankDeps,
  typedQuery: SearchQuery,
  page: PageRequest,
): Promise<HybridCandidates> {
  const { isCorrected = true } = page
  const first = await findHybrid(deps, typedQuery, { ...page, isCorrected })
  const corrections = findCorrections(first.found.spelling)
  if (corrections.length === 0) return { ...first, corrections }
  const corrected = { ...typedQuery, text: applyCorrections(typedQuery.text, corrections) }
  return { ...(await findHybrid(deps, corrected, { ...page, isCorrected: false })), corrections }
}

async function findHybrid(
  deps: RankDeps,
  searchQuery: SearchQuery,
  page: PageRequest & { isCorrected: boolean },
): Promise<Omit<HybridCandidates, 'corrections'>> {
  const { start, facets, isCorrected, texts: count = 0 } = page
  const { vector, weight: semanticWeight, foreign, reason } = await embedForPage(deps, searchQuery, page)
  const weights = { semanticWeight, ...(foreign && { foreign }) }
  const offset = offsetOf(start)
  const shown = { from: offset, until: offset + count }
  const minSimilarity = deps.embedder?.minSimilarity ?? 0
  const query = candidateQuery(searchQuery, {
    vector,
    ...weights,
    minSimilarity,
    facets,
    shown,
    isCorrected,
  })
  const found = await deps.searchIndex.candidates(query)
  const by = found.isSemantic ? 'both' : 'words'
  const texts = createMatchCache(deps.searchIndex, searchQuery)
  texts.add(found.passages)
  const hasNoVectors = vector !== null && !found.isSemantic
  const used = found.isSemantic ? weights : NO_MEANING
  return {
    searchQuery,
    found,
    fused: fuse(found, used),
    texts,
    by,
    semanticWeight: used.semanticWeight,
    reason: hasNoVectors ? NOT_EMBEDDED : reason,
  }
}

const NOT_EMBEDDED = 'No readable document has been embedded yet. Results are ranked by keywords only.'

async function embedForPage(
  deps: RankDeps,
  { text }: SearchQuery,
  { start, embedTimeoutMs = EMBED_TIMEOUT_MS }: PageRequest,
): Promise<QueryVector> {
  if ('by' in start && start.by === 'words') return { vector: null, weight: 0, reason: null }
  return embedQuery(deps, text, 'by' in start ? NEXT_PAGE_EMBED_TIMEOUT_MS : embedTimeoutMs)
}

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
