// Finds documents for a subject, best first. The index proposes results; the record decides whether the subject may
// read them.
import { type Access, documentAccessTokens, mayRead } from '../domain/access.ts'
import type { Chunk } from '../domain/chunk.ts'
import { intersectFilters } from '../domain/search/intersect-filters.ts'
import type { Filters, SearchScope } from '../domain/search/query.ts'
import type { RankingSettings } from '../domain/search/ranking.ts'
import type { Subject } from '../domain/subject.ts'
import type { SearchResult } from '../search-index/search-index.ts'
import type { Queryable } from '../store/database/database.ts'
import { type DocumentSummary, findDocuments } from '../store/documents/documents.ts'
import { getRankingSettings } from '../store/settings/ranking-settings.ts'
import { listDocumentSets, listPairsOfSet, listPairsOfSets } from '../store/sources/document-sets.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { type ParsedQuery, parseQuery, type QueryOperator } from './query/parse-query.ts'
import { buildSearchQuery } from './query/search-query.ts'
import { correctQuery } from './query/spelling.ts'
import type { RankingAdjustments } from './ranking/adjustments.ts'
import type { SearchQuery } from './ranking/candidates.ts'
import type { RankedDocument } from './ranking/fuse.ts'
import { type RankDeps, type RankedPage, rankPage } from './ranking/rank-page.ts'
import { droppedPhrases, findBlockingOperators, relaxPhrases } from './relax.ts'
import { type MatchedChunkCache, passageRefsOf } from './results/chunk-cache.ts'
import { type Explanation, explainRank } from './results/explain.ts'
import { type CountedFacet, countFacets, facetRequests } from './results/facets.ts'
import { createSnippet, type Snippet } from './results/snippet.ts'

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
  /** Overrides the ranking settings of the administrator. */
  ranking?: RankingSettings
  /** The time limit for the vector of the query; a short limit applies by default. */
  embedTimeoutMs?: number
}

export interface ResultPassage {
  chunk: Chunk
  snippet: Snippet
}

export interface RetrievalResult extends ResultPassage {
  document: DocumentSummary
  score: number
  /** The best lexical passage, then the best semantic passage if it is another one. */
  passages: ResultPassage[]
  explanation: Explanation | null
}

export interface RetrievalResults {
  results: RetrievalResult[]
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

export interface RetrievalDeps extends Omit<RankDeps, 'adjustments'> {
  db: Queryable
  now: () => number
}

/** An invalid cursor is INVALID_INPUT. */
export async function retrieve(deps: RetrievalDeps, request: RetrievalRequest): Promise<RetrievalResults> {
  const { query, subject, scope = {}, isCounted = false } = request
  const { db, searchIndex } = deps
  const { page, parsed, relaxed } = await findPage(deps, { ...request, texts: request.limit })
  const facets = isCounted
    ? await countFacets(searchIndex, page, page.facets, await listSelectableSets(db, subject, scope))
    : null
  return {
    results: await readResults(db, request, page),
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

/**
 * Returns a page from the index. Does not look up the documents in the record. `texts` is the number of results, from
 * the first, whose passages will be shown.
 */
export async function findPage(
  deps: RetrievalDeps,
  { texts = 0, ...request }: RetrievalRequest & { texts?: number },
): Promise<{ page: RankedPage; parsed: ParsedQuery; relaxed: QueryOperator[] }> {
  const { query, access, subject, limit, offset, cursor, sort = 'relevance', tz = 'UTC', isCounted = false } = request
  const { scope = {}, embedTimeoutMs, ranking, isCorrected = true, isRelaxed = true } = request
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
  const pageRequest = { start, limit, sort, facets, embedTimeoutMs, isCorrected, texts }
  const rank = (own: SearchQuery) => rankPage({ ...deps, adjustments }, own, pageRequest)
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

async function readResults(
  db: Queryable,
  { access, isExplained = false }: RetrievalRequest,
  { hits, cache, ranked_by }: RankedPage,
): Promise<RetrievalResult[]> {
  const ids = hits.map((it) => it.document_id)
  const [documents] = await Promise.all([findDocuments(db, ids), cache.load(hits.flatMap(passageRefsOf))])
  const byId = new Map(documents.map((it) => [it.id, it]))
  return hits.flatMap((hit) => {
    const document = byId.get(hit.document_id)
    // The index may lag behind the record, so access is checked against the record.
    if (
      document === undefined ||
      !mayRead(access, documentAccessTokens(document.external_access, document.cc_pair_ids))
    )
      return []
    const passages = toPassages(hit, cache)
    const [best] = passages
    // The document has become shorter since it was indexed.
    if (best === undefined) return []
    const explanation = isExplained ? explainRank(hit, ranked_by) : null
    return [{ document, score: hit.score, ...best, passages, explanation }]
  })
}

const toPassages = (hit: RankedDocument, texts: MatchedChunkCache): ResultPassage[] =>
  passageRefsOf(hit).flatMap((ref) => {
    const chunk = texts.get(ref)
    return chunk === null ? [] : [{ chunk, snippet: createSnippet(chunk) }]
  })
