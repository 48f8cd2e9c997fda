// Recent queries of a user. No other user sees them.
import type { Database, Queryable } from '../database/database.ts'

const MAX_KEPT = 50

/** A repeated query becomes the newest; the oldest are deleted when there are too many. */
export const addRecentQuery = (db: Database, userId: string, query: string, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx
      .insertInto('recent_query')
      .values({ user_id: userId, query, asked_at: now })
      .onConflict((it) => it.columns(['user_id', 'query']).doUpdateSet({ asked_at: now }))
      .execute()
    const old = await selectRecentQueries(trx, userId).offset(MAX_KEPT).limit(1).executeTakeFirst()
    if (old === undefined) return
    await trx
      .deleteFrom('recent_query')
      .where('user_id', '=', userId)
      .where('asked_at', '<=', old.asked_at)
      .where('query', '!=', query)
      .execute()
  })

/** Returns queries since the given time, newest first. */
export async function listRecentQueries(db: Queryable, userId: string, since: number): Promise<string[]> {
  const rows = await selectRecentQueries(db, userId).where('asked_at', '>=', since).limit(MAX_KEPT).execute()
  return rows.map((it) => it.query)
}

export const deleteRecentQueries = async (db: Database, userId: string): Promise<void> => {
  await db.deleteFrom('recent_query').where('user_id', '=', userId).execute()
}

/** Deletes the queries of all users before the given time. */
export const expireRecentQueries = async (db: Database, before: number): Promise<void> => {
  await db.deleteFrom('recent_query').where('asked_at', '<', before).execute()
}

const selectRecentQueries = (db: Queryable, userId: string) =>
  db
    .selectFrom('recent_query')
    .select(['query', 'asked_at'])
    .where('user_id', '=', userId)
    .orderBy('asked_at', 'desc')
    .orderBy('query')
