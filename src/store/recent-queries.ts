// What somebody looked for lately. Nobody else sees it.
import type { Database, Queries } from './database.ts'

const MAX_KEPT = 50

/** One asked again is the newest again; the oldest go when there are too many. */
export const addRecentQuery = (db: Database, userId: string, query: string, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx
      .insertInto('recent_query')
      .values({ user_id: userId, query, asked_at: now })
      .onConflict((it) => it.columns(['user_id', 'query']).doUpdateSet({ asked_at: now }))
      .execute()
    const old = await newest(trx, userId).offset(MAX_KEPT).limit(1).executeTakeFirst()
    if (old === undefined) return
    await trx
      .deleteFrom('recent_query')
      .where('user_id', '=', userId)
      .where('asked_at', '<=', old.asked_at)
      .where('query', '!=', query)
      .execute()
  })

/** The newest first, asked since that moment. */
export async function listRecentQueries(db: Queries, userId: string, since: number): Promise<string[]> {
  const rows = await newest(db, userId).where('asked_at', '>=', since).limit(MAX_KEPT).execute()
  return rows.map((it) => it.query)
}

export const deleteRecentQueries = async (db: Database, userId: string): Promise<void> => {
  await db.deleteFrom('recent_query').where('user_id', '=', userId).execute()
}

/** Everybody's that were asked before that moment. */
export const expireRecentQueries = async (db: Database, before: number): Promise<void> => {
  await db.deleteFrom('recent_query').where('asked_at', '<', before).execute()
}

const newest = (db: Queries, userId: string) =>
  db
    .selectFrom('recent_query')
    .select(['query', 'asked_at'])
    .where('user_id', '=', userId)
    .orderBy('asked_at', 'desc')
    .orderBy('query')
