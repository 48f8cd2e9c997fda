// What may this user find, best first: the index proposes, the record decides who may see it now.
import { type Access, mayRead, tokensOf } from '../domain/access.ts'
import type { Chunk } from '../domain/chunk.ts'
import type { Filters } from '../domain/query.ts'
import type { RankingSettings } from '../domain/ranking.ts'
import type { Subject } from '../domain/subject.ts'
import type { SearchResult } from '../search-index/search-index.ts'
import type { Queries } from '../store/database.ts'
import { listDocumentSets, listPairsOfSet, listPairsOfSets } from '../store/document-sets.ts'
import { type DocumentSummary, findDocuments } from '../store/documents.ts'
import { getRankingSettings } from '../store/ranking-settings.ts'
import type { Adjusting } from './adjust.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { type Explanation, explain } from './explain.ts'
import { type CountedFacet, countFacets, facetRequests } from './facets.ts'
import type { Ranked } from './fuse.ts'
import { narrowed } from './narrow.ts'
import { parseSearch, type Understanding } from './parse.ts'
import { type RankedPage, type RankNeeds, rank } from './rank.ts'
import { type Snippet, snippetOf } from './snippet.ts'
import { correctedQuery } from './spelling.ts'
import { placesOf, type Texts } from './texts.ts'

export interface Search {
  /** As it was typed, see `parseSearch`. */
  query: string
  access: Access
  subject: Subject
  filters: Filters
  /** Counts from the cursor, if there is one. */
  offset: number
  limit: number
  cursor?: string | undefined
  sort?: 'relevance' | 'date'
  /** Of dates in the query; UTC if absent. */
  tz?: string | undefined
  isCounted?: boolean
  isExplained?: boolean
  /** Instead of what an administrator has set. */
  ranking?: RankingSettings
  /** How long the vector of the query is waited for, if a moment is not enough. */
  patienceMs?: number
}

export interface Passage {
  chunk: Chunk
  snippet: Snippet
}

export interface Result extends Passage {
  document: DocumentSummary
  score: number
  /** The best by words, then the best by meaning. */
  passages: Passage[]
  explanation: Explanation | null
}

export interface Results {
  results: Result[]
  /** Of the first result among all, from 0. */
  place: number
  total: number
  total_relation: SearchResult['total_relation']
  understood: Understanding
  corrected_query: string | null
  facets: CountedFacet[] | null
  next_cursor: string | null
  ranked_by: RankedPage['ranked_by']
  ranked_by_reason: string | null
}

export interface RetrieveNeeds extends Omit<RankNeeds, 'adjusting'> {
  db: Queries
  now: () => number
}

/** A cursor that no search answered is INVALID_INPUT. */
export async function retrieve(needs: RetrieveNeeds, search: Search): Promise<Results> {
  const { query, subject, isCounted = false } = search
  const { db, searchIndex } = needs
  const { page, understood } = await findPage(needs, search)
  const facets = isCounted ? await countFacets(searchIndex, page.asked, page.facets, await setsOf(db, subject)) : null
  return {
    results: await resultsOf(db, search, page),
    place: page.place,
    total: page.total,
    total_relation: page.total_relation,
    understood,
    corrected_query: page.corrections.length === 0 ? null : correctedQuery(query, page.corrections),
    facets,
    next_cursor: page.next && encodeCursor(page.next),
    ranked_by: page.ranked_by,
    ranked_by_reason: page.reason,
  }
}

/** The page as the index has it, and the documents not looked up in the record. */
export async function findPage(
  needs: RetrieveNeeds,
  search: Search,
): Promise<{ page: RankedPage; understood: Understanding }> {
  const { query, subject, limit, offset, cursor, sort = 'relevance', tz = 'UTC', isCounted = false, ranking } = search
  const { db, now } = needs
  const start = cursor === undefined ? { offset } : decodeCursor(cursor)
  const understood = parseSearch(query, { now: now(), tz })
  const asked = narrowed(understood, search, await pairsOf(db, subject, understood.document_sets))
  const adjusting = await adjustingOf(needs, query, ranking)
  const facets = isCounted ? facetRequests(now()) : []
  const { patienceMs } = search
  const page = await rank({ ...needs, adjusting }, asked, { start, limit, sort, facets, patienceMs })
  return { page, understood }
}

export const adjustingOf = async (
  { db, now }: RetrieveNeeds,
  query: string,
  settings?: RankingSettings,
): Promise<Adjusting> => ({
  settings: settings ?? (await getRankingSettings(db)),
  query,
  pairsOfSet: (name) => listPairsOfSet(db, name),
  now: now(),
})

const pairsOf = async (db: Queries, subject: Subject, names: readonly string[]) =>
  names.length === 0 ? undefined : listPairsOfSets(db, subject, names)

const MAX_SETS = 20

async function setsOf(db: Queries, subject: Subject) {
  const sets = await listDocumentSets(db, subject, { after: 0, limit: MAX_SETS })
  return sets.map(({ name, cc_pairs }) => ({ name, cc_pair_ids: cc_pairs.map((it) => it.id) }))
}

async function resultsOf(
  db: Queries,
  { access, isExplained = false }: Search,
  { hits, texts, ranked_by }: RankedPage,
): Promise<Result[]> {
  const ids = hits.map((it) => it.document_id)
  const [documents] = await Promise.all([findDocuments(db, ids), texts.read(hits.flatMap(placesOf))])
  const byId = new Map(documents.map((it) => [it.id, it]))
  return hits.flatMap((hit) => {
    const document = byId.get(hit.document_id)
    // The index may be a moment behind: who lost the right to read it, or deleted it, is obeyed at once.
    if (document === undefined || !mayRead(access, tokensOf(document.external_access, document.cc_pair_ids))) return []
    const passages = passagesOf(hit, texts)
    // It has become shorter meanwhile.
    if (passages.length === 0) return []
    const explanation = isExplained ? explain(hit, ranked_by) : null
    return [{ document, score: hit.score, ...passages[0]!, passages, explanation }]
  })
}

const passagesOf = (hit: Ranked, texts: Texts): Passage[] =>
  placesOf(hit).flatMap((place) => {
    const chunk = texts.at(place)
    return chunk === null ? [] : [{ chunk, snippet: snippetOf(chunk) }]
  })
