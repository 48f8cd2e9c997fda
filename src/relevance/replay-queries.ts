// Selects the queries for a replay: those with known relevant documents first, then the newest.
import { setImmediate as turn } from 'node:timers/promises'
import type { Filters } from '../domain/search/query.ts'
import type { Queryable } from '../store/database/database.ts'
import { listJudgedQueries, listQueryKeysWithFeedback } from '../store/search/judgements.ts'
import {
  findNewestRankedQuery,
  listRecordedQueries,
  queryKey,
  type StoredQuery,
} from '../store/search/recorded-queries.ts'

export interface ReplayQuery {
  query: string
  query_key: string
  filters: Filters
  /** The user who asked it last; null for the caller. */
  user_id: string | null
  /** The query was in the request or was judged by hand. An administrator may then see it however few people asked it. */
  isSentOrJudged: boolean
}

/** The maximum number of recorded searches scanned for distinct queries. */
const MAX_SCANNED = 20_000
const PAGE_SIZE = 500

/** Converts the queries of the request. */
export const toReplayQueries = (queries: readonly string[]): ReplayQuery[] =>
  uniqueByKey(queries.map((query) => toReplayQuery(query, queryKey(query))))

/** Each recorded query once, with the filters of its latest search. */
export async function listRecordedReplayQueries(db: Queryable, limit: number): Promise<ReplayQuery[]> {
  const found = new Map<string, ReplayQuery>()
  for (const { query, query_key } of await listJudgedQueries(db, limit)) {
    const asked = await findNewestRankedQuery(db, query_key)
    found.set(query_key, {
      ...(asked ? fromStoredQuery(asked) : toReplayQuery(query, query_key)),
      isSentOrJudged: true,
    })
  }
  for (const key of found.size < limit ? await listQueryKeysWithFeedback(db, limit) : []) {
    const asked = found.has(key) ? undefined : await findNewestRankedQuery(db, key)
    if (asked !== undefined) found.set(key, fromStoredQuery(asked))
  }
  await addNewestQueries(db, found, limit)
  return [...found.values()].slice(0, limit)
}

async function addNewestQueries(db: Queryable, found: Map<string, ReplayQuery>, limit: number): Promise<void> {
  let before: StoredQuery | null = null
  for (let looked = 0; looked < MAX_SCANNED && found.size < limit; looked += PAGE_SIZE) {
    const page: StoredQuery[] = await listRecordedQueries(db, ALL_TIME, { before, limit: PAGE_SIZE })
    for (const it of page) {
      if (it.ranked_by !== 'date' && !found.has(it.query_key)) found.set(it.query_key, fromStoredQuery(it))
      before = it
    }
    if (page.length < PAGE_SIZE) return
    await turn()
  }
}

const ALL_TIME = { from: 0, until: Number.MAX_SAFE_INTEGER }

const toReplayQuery = (query: string, query_key: string): ReplayQuery => ({
  query,
  query_key,
  filters: {},
  user_id: null,
  isSentOrJudged: true,
})

const fromStoredQuery = ({ query, query_key, filters, user_id }: StoredQuery): ReplayQuery => ({
  query,
  query_key,
  filters,
  user_id,
  isSentOrJudged: false,
})

const uniqueByKey = (questions: readonly ReplayQuery[]): ReplayQuery[] => [
  ...new Map(questions.map((it) => [it.query_key, it])).values(),
]
