// What people looked for and what they were shown. Kept as long as the administrator has set.
import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { plainQuery, type RankedBy, type RecordedQuery } from '../domain/relevance.ts'
import type { Database, Queries } from './database.ts'
import type { RecordedQueryRow } from './tables.ts'

/** With its place in the record. */
export interface StoredQuery extends RecordedQuery {
  id: number
  query_key: string
}

/** Stands for a query in an index of the record, where the whole of it would be too long for a database. */
export const queryKey = (query: string): string =>
  createHash('sha256').update(plainQuery(query)).digest('hex').slice(0, 32)

export async function insertRecordedQueries(db: Database, queries: readonly RecordedQuery[]): Promise<void> {
  const rows = queries.map(rowOf)
  if (rows.length === 0) return
  // Compiled once for all: to compile takes longer than to write.
  const statement = db.insertInto('recorded_query').values(rows[0]!).compile()
  const [result] = await db.commit([rows.map((it) => ({ ...statement, parameters: Object.values(it) }))])
  if (!result!.ok) throw result!.error
}

/** Its fields are always in this order. */
const rowOf = (it: RecordedQuery) => ({
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

/** A search of that key; nobody finds those of another one. */
export async function findRecordedQuery(
  db: Queries,
  userId: string,
  searchId: string,
): Promise<StoredQuery | undefined> {
  const row = await db
    .selectFrom('recorded_query')
    .selectAll()
    .where('search_id', '=', searchId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && storedQuery(row)
}

export interface Period {
  /** Epoch milliseconds, the first one included, the last one not. */
  from: number
  until: number
}

/** The newest first; those behind `before`, of the same period. */
export async function listRecordedQueries(
  db: Queries,
  { from, until }: Period,
  { before, limit }: { before: Pick<StoredQuery, 'asked_at' | 'id'> | null; limit: number },
): Promise<StoredQuery[]> {
  const rows = await db
    .selectFrom('recorded_query')
    .selectAll()
    .where('asked_at', '>=', from)
    .where('asked_at', '<', until)
    .$if(before !== null, (it) =>
      it
        .where('asked_at', '<=', before!.asked_at)
        .where((or) => or.or([or('asked_at', '<', before!.asked_at), or('id', '<', before!.id)])),
    )
    .orderBy('asked_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(storedQuery)
}

/** A query as it was asked last and ranked; a list by date was not. */
export async function findNewestRanked(db: Queries, query_key: string): Promise<StoredQuery | undefined> {
  const row = await db
    .selectFrom('recorded_query')
    .selectAll()
    .where('query_key', '=', query_key)
    .where('ranked_by', '!=', 'date')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row && storedQuery(row)
}

/** How many people asked it. Keys that act for one person are one; whatever is behind another key is one, too. */
export async function countPeople(db: Queries, query_key: string): Promise<number> {
  const { people } = await db
    .selectFrom('recorded_query')
    .leftJoin('api_key', 'api_key.user_id', 'recorded_query.user_id')
    .select(({ fn, ref }) =>
      fn
        .count<number>(fn.coalesce(fn<string>('lower', ['api_key.user_email']), ref('recorded_query.user_id')))
        .distinct()
        .as('people'),
    )
    .where('recorded_query.query_key', '=', query_key)
    .executeTakeFirstOrThrow()
  return people
}

/** Of these keys, in the order in which they were asked. */
export async function listQueriesOf(
  db: Queries,
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
  return rows.map(storedQuery)
}

const EXPIRED_AT_ONCE = 5_000

/** Takes away what was asked before that moment, and what was said of it; a part at a time, so that others may write. */
export async function expireRecordedQueries(db: Database, before: number): Promise<void> {
  for (const table of ['search_feedback', 'recorded_query'] as const) {
    let deleted = EXPIRED_AT_ONCE
    while (deleted === EXPIRED_AT_ONCE) {
      const old = db.selectFrom(table).select('id').where('asked_at', '<', before).orderBy('asked_at')
      const { numDeletedRows } = await db
        .deleteFrom(table)
        .where('id', 'in', old.limit(EXPIRED_AT_ONCE))
        .executeTakeFirstOrThrow()
      deleted = Number(numDeletedRows)
    }
  }
}

const storedQuery = ({ filters, document_ids, ranked_by, ...row }: Selectable<RecordedQueryRow>): StoredQuery => ({
  ...row,
  filters: JSON.parse(filters),
  document_ids: JSON.parse(document_ids),
  ranked_by: ranked_by as RankedBy,
})
