// Finds documents for a subject, best first. The index proposes results; the record decides whether the subject may
// read them.
import { type Access, documentAccessTokens, mayRead } from '../domain/access.ts'
import type { Chunk } from '../domain/chunk.ts'
import { placeLink } from '../domain/originals/place-link.ts'
import { intersectFilters } from '../domain/search/intersect-filters.ts'
import type { Filters, SearchScope } from '../domain/search/query.ts'
import type { RankingSettings } from '../domain/search/ranking.ts'
import type { Subject } from '../domain/subject.ts'
import type { SearchResult } from '../search-index/search-index.ts'
import type { Queryable } from '../store/database/database.ts'
import { type DocumentSummary, findDocuments } from '../store/documents/documents.ts'
import { findRankingFacts } from '../store/popularity/ranking-facts.ts'
import { queryKey } from '../store/search/recorded-queries.ts'
import { getRankingSettings } from '../store/settings/ranking-settings.ts'
import { listDocumentSets, listPairsOfSet, listPairsOfSets } from '../store/sources/document-sets.ts'
import { findNamedDocuments } from '../store/sources/names/given-names.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { isUnanswered } from './no-match.ts'
import { type ParsedQuery, parseQuery, type QueryOperator } from './query/parse-query.ts'
import { buildSearchQuery } from './query/search-query.ts'
import { correctQuery } from './query/spelling.ts'
import type { RankingAdjustments } from './ranking/adjustments.ts'
import type { SearchQuery } from './ranking/candidates.ts'
import type { RankedDocument } from './ranking/fuse.ts'
import { type RankDeps, type RankedPage, rankPage } from './ranking/rank-page.ts'
import { droppedPhrases, findBlockingOperators, relaxPhrases } from './relax.ts'
import { bestPassageRefOf, type MatchedChunkCache, passageRefsOf } from './results/chunk-cache.ts'
import { type Explanation, explainRank } from './results/explain.ts'
import { type CountedFacet, countFacets, emptyFacets, facetRequests } from './results/facets.ts'
import { foldNearDuplicates } from './results/fold-near-duplicates.ts'
import { createSnippet, type Snippet } from './results/snippet.ts'
import { excerptTable, type TableExcerpt } from './results/table-excerpt.ts'

export interface RetrievalRequest {
  /** The query as typed; see `parseQuery`. */
  query: string
  access: Access
  subject: Subject
  filters: Filters
  scope?: SearchScope
  /** Relative to the cursor, if there is one. */
  offset: number
  limit: number
  cursor?: string | undefined
  sort?: 'relevance' | 'date'
  /** The time zone for dates in the query; default UTC. */
  tz?: string | undefined
  isCounted?: boolean
  isExplained?: boolean
  /** False searches the words exactly as they are typed. */
  isCorrected?: boolean
  /** False keeps the phrases of the query as conditions even if nothing meets them. Default: true. */
  isRelaxed?: boolean
  /** True returns no results if nothing answers the query: see `isUnanswered`. Default: false. */
  isAnswersOnly?: boolean
  /** True folds near duplicates into the best of them; pages stay full. Default: false. */
  isFolded?: boolean
  /** Overrides the ranking settings of the administrator. */
  ranking?: RankingSettings
  /** The time limit for the vector of the query; a short limit applies by default. */
  embedTimeoutMs?: number
}

export interface ResultPassage {
  chunk: Chunk
  snippet: Snippet
  /** Null if the match is in no table whose columns have names. */
  table: TableExcerpt | null
}

export interface RetrievalResult extends ResultPassage {
  document: DocumentSummary
  score: number
  /** The best lexical passage, then the best semantic passage if it is another one. */
  passages: ResultPassage[]
  explanation: Explanation | null
}

/** The near duplicates of a result that the subject may read and that match the query. */
export interface SimilarDocuments {
  /** The best of them. */
  results: RetrievalResult[]
  /** All of them, best first. */
  document_ids: string[]
}

export interface RetrievalResults {
  results: RetrievalResult[]
  /** Maps ids of results to what is folded into them; without those that nothing is folded into. */
  similar: ReadonlyMap<string, SimilarDocuments>
  /** Maps results, and what is folded into them, to their ranks, from 1. */
  ranks: ReadonlyMap<string, number>
  /** Nothing that the subject may read answers the query, so there are no results. */
  no_match: boolean
  /** If nothing answers the query, the documents that come nearest. */
  closest: ClosestDocument[]
  /** The rank of the first result, from 0. */
  offset: number
  total: number
  total_relation: SearchResult['total_relation']
  /** The number of documents in `total` that contain words of the query; null if the query has no words. */
  word_matches: number | null
  understood: ParsedQuery
  corrected_query: string | null
  /** The phrases that no document contains; the results are those without them as conditions. */
  relaxed: QueryOperator[]
  /** If there are no results, the other operators without which there would be some: see `findBlockingOperators`. */
  blocking: QueryOperator[]
  facets: CountedFacet[] | null
  next_cursor: string | null
  ranked_by: RankedPage['ranked_by']
  ranked_by_reason: string | null
}

/** The link is that of the nearest passage if the document has none of its own. */
export type ClosestDocument = Pick<DocumentSummary, 'id' | 'title' | 'semantic_identifier' | 'link'>

export interface RetrievalDeps extends Omit<RankDeps, 'adjustments' | 'findLinked' | 'findFacts'> {
  db: Queryable
  now: () => number
  /** The address of the service for links to its own pages; empty if it is not known. */
  baseUrl: string
}

/** An invalid cursor is INVALID_INPUT. */
export async function retrieve(deps: RetrievalDeps, request: RetrievalRequest): Promise<RetrievalResults> {
  const { query, subject, scope = {}, isCounted = false } = request
  const { db, searchIndex } = deps
  const found = await findPage(deps, { ...request, texts: request.limit })
  const { page, parsed, relaxed } = found
  if (await isRefused(deps, request, found)) return refusal(deps, request, found)
  const facets = isCounted
    ? await countFacets(searchIndex, page, page.facets, await listSelectableSets(db, subject, scope))
    : null
  return {
    ...(await readFoldedResults(deps, request, page)),
    no_match: page.total === 0,
    closest: [],
    offset: page.offset,
    total: page.total,
    total_relation: page.total_relation,
    word_matches: page.word_matches,
    understood: parsed,
    corrected_query: page.corrections.length === 0 ? null : correctQuery(query, page.corrections),
    relaxed,
    blocking: page.total > 0 ? [] : await findBlockers(deps, request, { operators: parsed.operators, relaxed }),
    facets,
    next_cursor: page.next && encodeCursor(page.next),
    ranked_by: page.ranked_by,
    ranked_by_reason: page.reason,
  }
}

/** Conditions that are met, a list of documents and a list by time are no questions: those are never refused. */
export async function isRefused(
  deps: RetrievalDeps,
  { access, filters, isAnswersOnly = false }: Pick<RetrievalRequest, 'access' | 'filters' | 'isAnswersOnly'>,
  { page, parsed, relaxed }: FoundPage,
): Promise<boolean> {
  const hasConditions = parsed.operators.length > relaxed.length || filters.document_ids !== undefined
  return isAnswersOnly && page.total > 0 && !hasConditions && isUnanswered(deps, { page, text: parsed.text, access })
}

const MAX_CLOSEST = 3

async function refusal(
  { db, baseUrl }: RetrievalDeps,
  { access, isCounted = false }: RetrievalRequest,
  { page, parsed }: FoundPage,
): Promise<RetrievalResults> {
  const readable = await findReadable(db, access, page.best)
  return {
    results: [],
    similar: new Map(),
    ranks: new Map(),
    no_match: true,
    closest: page.best
      .flatMap((it) => toClosest(it, page, { document: readable.get(it.document_id), baseUrl }))
      .slice(0, MAX_CLOSEST),
    offset: page.offset,
    total: 0,
    total_relation: 'eq',
    word_matches: page.word_matches === null ? null : 0,
    understood: parsed,
    corrected_query: null,
    relaxed: [],
    blocking: [],
    facets: isCounted ? emptyFacets(page.facets) : null,
    next_cursor: null,
    ranked_by: page.ranked_by,
    ranked_by_reason: page.reason,
  }
}

function toClosest(
  hit: RankedDocument,
  { cache }: RankedPage,
  { document, baseUrl }: { document: DocumentSummary | undefined; baseUrl: string },
): ClosestDocument[] {
  if (document === undefined) return []
  const { id, title, semantic_identifier } = document
  const ref = bestPassageRefOf(hit)
  const link = document.link ?? placeLink({ document, link: cache.get(ref)?.link ?? null, at: ref }, baseUrl)
  return [{ id, title, semantic_identifier, link }]
}

/** A page of the ranking, and what became of the query. */
export interface FoundPage {
  page: RankedPage
  parsed: ParsedQuery
  relaxed: QueryOperator[]
}

/**
 * Returns a page from the index. Does not look up the documents in the record. `texts` is the number of results, from
 * the first, whose passages will be shown.
 */
export async function findPage(
  deps: RetrievalDeps,
  { texts = 0, ...request }: RetrievalRequest & { texts?: number },
): Promise<FoundPage> {
  const { query, access, subject, limit, offset, cursor, sort = 'relevance', tz = 'UTC', isCounted = false } = request
  const { scope = {}, embedTimeoutMs, ranking, isCorrected = true, isRelaxed = true, isFolded = false } = request
  const { db, now } = deps
  const start = cursor === undefined ? { offset } : decodeCursor(cursor)
  const parsed = parseQuery(query, { now: now(), tz })
  const filters = intersectFilters(request.filters, scope)
  const searchQuery = buildSearchQuery(
    parsed,
    { access, filters },
    await findDocumentSetPairs(db, subject, parsed.document_sets),
  )
  const adjustments = await getRankingAdjustments(deps, query, ranking)
  const facets = isCounted ? facetRequests(now(), scope) : []
  const fold = isFolded ? (ranked: readonly RankedDocument[]) => foldNearDuplicates(db, ranked) : null
  const pageRequest = { start, limit, sort, facets, embedTimeoutMs, isCorrected, texts, fold }
  const rank = (own: SearchQuery) => rankPage(toRankDeps(deps, access, adjustments), own, pageRequest)
  const page = await rank(searchQuery)
  if (page.total > 0 || !isRelaxed) return { page, parsed, relaxed: [] }
  const relaxedQuery = await relaxPhrases(deps.searchIndex, searchQuery, scope)
  const relaxed = droppedPhrases(parsed, relaxedQuery)
  return { page: relaxed.length === 0 ? page : await rank(relaxedQuery), parsed, relaxed }
}

const findBlockers = (
  deps: RetrievalDeps,
  request: RetrievalRequest,
  { operators, relaxed }: Record<'operators' | 'relaxed', readonly QueryOperator[]>,
): Promise<QueryOperator[]> => {
  const kept = operators.filter((it) => !relaxed.includes(it))
  return findBlockingOperators(request.query, kept, async (query) => {
    const { cursor: _, ...others } = request
    const { page } = await findPage(deps, { ...others, query, offset: 0, limit: 1, isCounted: false })
    return page.total > 0
  })
}

/** The dependencies of a ranking for this reader. */
export const toRankDeps = (deps: RetrievalDeps, access: Access, adjustments: RankingAdjustments): RankDeps => ({
  ...deps,
  adjustments,
  findLinked: (key, ids) => findNamedDocuments(deps.db, access, { key, ids }),
  findFacts: (ids) => findRankingFacts(deps.db, access, { ids, query_key: queryKey(adjustments.query) }),
})

export const getRankingAdjustments = async (
  { db, now }: RetrievalDeps,
  query: string,
  settings?: RankingSettings,
): Promise<RankingAdjustments> => ({
  settings: settings ?? (await getRankingSettings(db)),
  query,
  pairsOfSet: (name) => listPairsOfSet(db, name),
  now: now(),
})

const findDocumentSetPairs = async (db: Queryable, subject: Subject, names: readonly string[]) =>
  names.length === 0 ? undefined : listPairsOfSets(db, subject, names)

const MAX_SETS = 20

async function listSelectableSets(db: Queryable, subject: Subject, { cc_pair_ids: pairs }: SearchScope) {
  const sets = await listDocumentSets(db, subject, { after: 0, limit: MAX_SETS })
  return sets.map(({ name, cc_pairs }) => {
    const ids = cc_pairs.map((it) => it.id)
    return { name, cc_pair_ids: pairs === undefined ? ids : ids.filter((id) => pairs.includes(id)) }
  })
}

const MAX_SIMILAR = 10

/** If a result can no longer be read, the best of what is folded into it takes its place. */
async function readFoldedResults(
  deps: RetrievalDeps,
  request: RetrievalRequest,
  page: RankedPage,
): Promise<Pick<RetrievalResults, 'results' | 'similar' | 'ranks'>> {
  const families = page.hits.map((hit) => [hit, ...(page.similar.get(hit.document_id) ?? [])])
  const readable = await findReadable(deps.db, request.access, families.flat())
  const readableFamilies = families.map((family) => family.filter((it) => readable.has(it.document_id)))
  const shown = readableFamilies.flatMap((family) => family.slice(0, 1 + MAX_SIMILAR))
  const read = new Map(
    (await readResults(deps, request, { page, hits: shown, readable })).map((it) => [it.document.id, it]),
  )
  const results: RetrievalResult[] = []
  const similar = new Map<string, SimilarDocuments>()
  for (const family of readableFamilies) {
    const document_ids = family.map((it) => it.document_id)
    const [best, ...others] = document_ids.flatMap((id) => read.get(id) ?? [])
    if (best === undefined) continue
    results.push(best)
    const folded = document_ids.filter((id) => id !== best.document.id)
    if (folded.length > 0) similar.set(best.document.id, { results: others, document_ids: folded })
  }
  return { results, similar, ranks: new Map([...read.keys()].map((id) => [id, 1 + (page.places.get(id) ?? 0)])) }
}

async function readResults(
  { baseUrl }: RetrievalDeps,
  { isExplained = false }: RetrievalRequest,
  {
    page: { cache, ranked_by },
    hits,
    readable,
  }: { page: RankedPage; hits: readonly RankedDocument[]; readable: ReadonlyMap<string, DocumentSummary> },
): Promise<RetrievalResult[]> {
  await cache.load(hits.flatMap(passageRefsOf))
  return hits.flatMap((hit) => {
    const document = readable.get(hit.document_id)
    if (document === undefined) return []
    const passages = toPassages(hit, cache).map((it) => ({ ...it, chunk: linkedChunk(document, it.chunk, baseUrl) }))
    const [best] = passages
    // The document has become shorter since it was indexed.
    if (best === undefined) return []
    const explanation = isExplained ? explainRank(hit, ranked_by) : null
    return [{ document, score: hit.score, ...best, passages, explanation }]
  })
}

/** The index keeps links as the source gave them; where they lead is decided when they are shown. */
const linkedChunk = (document: DocumentSummary, chunk: Chunk, baseUrl: string): Chunk => ({
  ...chunk,
  link: placeLink({ document, link: chunk.link, at: chunk }, baseUrl),
})

/** The index may lag behind the record, so access is checked against the record. */
async function findReadable(
  db: Queryable,
  access: Access,
  hits: readonly RankedDocument[],
): Promise<Map<string, DocumentSummary>> {
  const documents = await findDocuments(
    db,
    hits.map((it) => it.document_id),
  )
  const readable = documents.filter((it) => mayRead(access, documentAccessTokens(it.external_access, it.cc_pair_ids)))
  return new Map(readable.map((it) => [it.id, it]))
}

const toPassages = (hit: RankedDocument, texts: MatchedChunkCache): ResultPassage[] =>
  passageRefsOf(hit).flatMap((ref) => {
    const chunk = texts.get(ref)
    return chunk === null ? [] : [{ chunk, snippet: createSnippet(chunk), table: excerptTable(chunk) }]
  })
