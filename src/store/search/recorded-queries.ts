// Recorded queries and the results shown for them, kept as long as the administrator has set.
import { createHash } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { normalizeQuery, type RecordedQuery } from '../../domain/search/relevance.ts'
import { commitStatements } from '../database/commit-statements.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { RecordedQueryRow } from '../database/tables.ts'

/** A recorded query with its row id. */
export interface StoredQuery extends RecordedQuery {
  id: number
  query_key: string
}

/** Stands for a query in a database index, for which the full text would be too long. */
export const queryKey = (query: string): string =>
  createHash('sha256').update(normalizeQuery(query)).digest('hex').slice(0, 32)

export async function insertRecordedQueries(db: Database, queries: readonly RecordedQuery[]): Promise<void> {
  const rows = queries.map(recordedQueryRow)
  const [first] = rows
  if (first === undefined) return
  // Compiled once for all rows: compiling takes longer than writing.
  const statement = db.insertInto('recorded_query').values(first).compile()
  await commitStatements(
    db,
    rows.map((it) => ({ ...statement, parameters: Object.values(it) })),
  )
}

/** The fields always have this order. */
const recordedQueryRow = (it: RecordedQuery) => ({
  search_id: it.search_id,
  user_id: it.user_id,
  query: it.query,
  query_key: queryKey(it.query),
  filters: JSON.stringify(it.filters),
  document_ids: JSON.stringify(it.document_ids),
  total: it.total,
  ranked_by: it.ranked_by,
  took_ms: it.took_ms,
  asked_at: it.asked_at,
})

/** Finds a search of this user only. */
export async function findRecordedQuery(
  db: Queryable,
  userId: string,
  searchId: string,
): Promise<StoredQuery | undefined> {
  const row = await db
    .selectFrom('recorded_query')
    .selectAll()
    .where('search_id', '=', searchId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && toStoredQuery(row)
}

export interface QueryPeriod {
  /** Epoch milliseconds: `from` inclusive, `until` exclusive. */
  from: number
  until: number
}

/** Returns the newest of the period first, after `before`. */
export async function listRecordedQueries(
  db: Queryable,
  { from, until }: QueryPeriod,
  { before, limit }: { before: Pick<StoredQuery, 'asked_at' | 'id'> | null; limit: number },
): Promise<StoredQuery[]> {
  const rows = await db
    .selectFrom('recorded_query')
    .selectAll()
    .where('asked_at', '>=', from)
    .where('asked_at', '<', until)
    .$call((it) =>
      before === null
        ? it
        : it
            .where('asked_at', '<=', before.asked_at)
            .where((or) => or.or([or('asked_at', '<', before.asked_at), or('id', '<', before.id)])),
    )
    .orderBy('asked_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toStoredQuery)
}

/** Returns the last ranked occurrence of a query. Lists by date are not ranked. */
export async function findNewestRankedQuery(db: Queryable, query_key: string): Promise<StoredQuery | undefined> {
  const row = await db
    .selectFrom('recorded_query')
    .selectAll()
    .where('query_key', '=', query_key)
    .where('ranked_by', '!=', 'date')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row && toStoredQuery(row)
}

/** Counts the people who asked the query. All keys of one person count once; any other key counts as one person. */
export async function countPeopleWhoAsked(db: Queryable, query_key: string): Promise<number> {
  const { people } = await db
    .selectFrom('recorded_query')
    .select((it) => it.fn.count<number>('user_id').distinct().as('people'))
    .where('query_key', '=', query_key)
    .executeTakeFirstOrThrow()
  return people
}

/**
 * Queries with results that at least `minPeople` asked in the period, in the normalized spelling, so that nobody's own
 * spelling shows. Those of the most people come first.
 */
export async function listPopularQueries(
  db: Queryable,
  { from, until }: QueryPeriod,
  { minPeople, limit }: { minPeople: number; limit: number },
): Promise<string[]> {
  const people = sql<number>`count(distinct user_id)`
  const rows = await db
    .selectFrom('recorded_query')
    .select((it) => ['query_key', it.fn.max('query').as('query')])
    .where('asked_at', '>=', from)
    .where('asked_at', '<', until)
    .where('total', '>', 0)
    .groupBy('query_key')
    .having(people, '>=', minPeople)
    .orderBy(people, 'desc')
    .orderBy('query_key')
    .limit(limit)
    .execute()
  return rows.map((it) => normalizeQuery(it.query))
}

/** Lists the queries of these users in the order of asking. */
export async function listQueriesByUsers(
  db: Queryable,
  userIds: readonly string[],
  { after, limit }: { after: number; limit: number },
): Promise<StoredQuery[]> {
  if (userIds.length === 0) return []
  const rows = await db
    .selectFrom('recorded_query')
    .selectAll()
    .where('user_id', 'in', userIds)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toStoredQuery)
}

const EXPIRE_BATCH = 5_000

/** Deletes queries before the given time and their feedback, in batches, so that others can write. */
export async function expireRecordedQueries(db: Database, before: number): Promise<void> {
  for (const table of ['search_feedback', 'recorded_query'] as const) {
    let deleted = EXPIRE_BATCH
    while (deleted === EXPIRE_BATCH) {
      const old = db.selectFrom(table).select('id').where('asked_at', '<', before).orderBy('asked_at')
      const { numDeletedRows } = await db
        .deleteFrom(table)
        .where('id', 'in', old.limit(EXPIRE_BATCH))
        .executeTakeFirstOrThrow()
      deleted = Number(numDeletedRows)
    }
  }
}

const toStoredQuery = ({ filters, document_ids, ...row }: Selectable<RecordedQueryRow>): StoredQuery => ({
  ...row,
  filters: JSON.parse(filters),
  document_ids: JSON.parse(document_ids),
})
