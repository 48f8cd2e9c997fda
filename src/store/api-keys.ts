import type { Selectable } from 'kysely'
import type { Database, Queries } from './database.ts'
import type { ApiKeyRow } from './tables.ts'

export type StoredApiKey = Selectable<ApiKeyRow>
export type NewApiKey = Omit<StoredApiKey, 'id' | 'last_used_at'>

export async function insertApiKey(db: Database, key: NewApiKey): Promise<number> {
  const { id } = await db
    .insertInto('api_key')
    .values({ ...key, last_used_at: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Asked at every request, so it is compiled once. */
export function apiKeyFinder(db: Queries): (kid: string) => Promise<StoredApiKey | undefined> {
  const query = db.selectFrom('api_key').selectAll().where('kid', '=', '').compile()
  return async (kid) => (await db.executeQuery<StoredApiKey>({ ...query, parameters: [kid] })).rows[0]
}

export async function touchApiKeys(db: Database, used: ReadonlyMap<number, number>): Promise<void> {
  const sql = 'update api_key set last_used_at = ?2 where id = ?1'
  await db.commit([...used].map(([id, at]) => [{ sql, parameters: [id, at] }]))
}
