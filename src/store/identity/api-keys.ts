import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { ApiKeyRow } from '../database/tables.ts'

export type StoredApiKey = Selectable<ApiKeyRow>
export type NewApiKey = Omit<StoredApiKey, 'id' | 'last_used_at'>
export type ApiKeyChange = Partial<
  Pick<StoredApiKey, 'name' | 'role' | 'scopes' | 'expires_at' | 'user_email' | 'user_group_ids' | 'daily_token_limit'>
>
export type ApiKeySecret = Pick<StoredApiKey, 'kid' | 'secret_hash' | 'display'>

export const insertApiKey = (db: Database, key: NewApiKey): Promise<StoredApiKey> =>
  db
    .insertInto('api_key')
    .values({ ...key, last_used_at: null })
    .returningAll()
    .executeTakeFirstOrThrow()

export const listApiKeys = (db: Queryable, { after, limit }: KeysetPage): Promise<StoredApiKey[]> =>
  db.selectFrom('api_key').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute()

/** Maps each `user_id` to the person for whom the key acts, or to itself when there is none. */
export async function mapKeyOwners(db: Queryable): Promise<Map<string, string>> {
  const keys = await db.selectFrom('api_key').select(['user_id', 'user_email']).execute()
  return new Map(keys.map(({ user_id, user_email }) => [user_id, user_email?.toLowerCase() ?? user_id]))
}

/** Collects the groups of all keys that act for this person. */
export async function listGroupsOfPerson(db: Queryable, email: string): Promise<string[]> {
  const keys = await db.selectFrom('api_key').select(['user_email', 'user_group_ids']).execute()
  const own = keys.filter((it) => it.user_email?.toLowerCase() === email.toLowerCase())
  return [...new Set(own.flatMap((it): string[] => JSON.parse(it.user_group_ids)))]
}

export const findApiKey = (db: Queryable, id: number): Promise<StoredApiKey | undefined> =>
  db.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst()

export const findApiKeyByUserId = (db: Queryable, userId: string): Promise<StoredApiKey | undefined> =>
  db.selectFrom('api_key').selectAll().where('user_id', '=', userId).executeTakeFirst()

export const getApiKey = async (db: Queryable, id: number): Promise<StoredApiKey> =>
  requireApiKey(id, await findApiKey(db, id))

/** Changes only the given fields. */
export async function updateApiKey(db: Database, id: number, change: ApiKeyChange): Promise<StoredApiKey> {
  if (Object.keys(change).length === 0) return getApiKey(db, id)
  return requireApiKey(
    id,
    await db.updateTable('api_key').set(change).where('id', '=', id).returningAll().executeTakeFirst(),
  )
}

/** Invalidates the old secret and every token that was created with it. */
export const replaceApiKeySecret = (db: Database, id: number, secret: ApiKeySecret): Promise<StoredApiKey> =>
  db.transaction().execute(async (trx) => {
    const { kid } = await getApiKey(trx, id)
    await deleteTokensAndSessionsOfKey(trx, kid)
    return trx
      .updateTable('api_key')
      .set({ ...secret, last_used_at: null })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  })

/** Deletes the tokens that were created with the key as well. */
export const deleteApiKey = (db: Database, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { kid } = await getApiKey(trx, id)
    await deleteTokensAndSessionsOfKey(trx, kid)
    await trx.deleteFrom('api_key').where('id', '=', id).execute()
  })

/** Sessions of these tokens end on their own, because their tokens are gone. */
async function deleteTokensAndSessionsOfKey(db: Queryable, kid: string): Promise<void> {
  await db.deleteFrom('pat').where('owner_kid', '=', kid).execute()
  await db.deleteFrom('session').where('owner_kid', '=', kid).execute()
}

/** Runs on every request, so the query is compiled once. */
export function apiKeyFinder(db: Queryable): (kid: string) => Promise<StoredApiKey | undefined> {
  const query = db.selectFrom('api_key').selectAll().where('kid', '=', '').compile()
  return async (kid) => (await db.executeQuery<StoredApiKey>({ ...query, parameters: [kid] })).rows[0]
}

export async function touchApiKeys(db: Database, used: ReadonlyMap<number, number>): Promise<void> {
  await db.commit(
    [...used].map(([id, last_used_at]) => [
      db.updateTable('api_key').set({ last_used_at }).where('id', '=', id).compile(),
    ]),
  )
}

function requireApiKey(id: number, row: StoredApiKey | undefined): StoredApiKey {
  if (row === undefined) throw new AppError('API_KEY_NOT_FOUND', { id })
  return row
}
