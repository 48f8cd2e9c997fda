import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'
import type { Database, Queries } from './database.ts'
import type { ApiKeyRow } from './tables.ts'

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

export const listApiKeys = (db: Queries, { after, limit }: Page): Promise<StoredApiKey[]> =>
  db.selectFrom('api_key').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute()

/** Whose each `user_id` is: the person that the key acts for, or nobody known. */
export async function listPeopleOfKeys(db: Queries): Promise<Map<string, string>> {
  const keys = await db.selectFrom('api_key').select(['user_id', 'user_email']).execute()
  return new Map(keys.map(({ user_id, user_email }) => [user_id, user_email?.toLowerCase() ?? user_id]))
}

/** Of all keys that act for the person. */
export async function findGroupsOf(db: Queries, email: string): Promise<string[]> {
  const keys = await db.selectFrom('api_key').select(['user_email', 'user_group_ids']).execute()
  const own = keys.filter((it) => it.user_email?.toLowerCase() === email.toLowerCase())
  return [...new Set(own.flatMap((it): string[] => JSON.parse(it.user_group_ids)))]
}

export const findApiKey = (db: Queries, id: number): Promise<StoredApiKey | undefined> =>
  db.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst()

export const findApiKeyOf = (db: Queries, userId: string): Promise<StoredApiKey | undefined> =>
  db.selectFrom('api_key').selectAll().where('user_id', '=', userId).executeTakeFirst()

export const getApiKey = async (db: Queries, id: number): Promise<StoredApiKey> => found(id, await findApiKey(db, id))

/** Changes only what is there. */
export async function updateApiKey(db: Database, id: number, change: ApiKeyChange): Promise<StoredApiKey> {
  if (Object.keys(change).length === 0) return getApiKey(db, id)
  return found(id, await db.updateTable('api_key').set(change).where('id', '=', id).returningAll().executeTakeFirst())
}

/** The old secret is dead with this call, and so are the tokens that were made with it. */
export const replaceApiKeySecret = (db: Database, id: number, secret: ApiKeySecret): Promise<StoredApiKey> =>
  db.transaction().execute(async (trx) => {
    const { kid } = await getApiKey(trx, id)
    await endWithKey(trx, kid)
    return trx
      .updateTable('api_key')
      .set({ ...secret, last_used_at: null })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  })

/** Takes the tokens that were made with the key along. */
export const deleteApiKey = (db: Database, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { kid } = await getApiKey(trx, id)
    await endWithKey(trx, kid)
    await trx.deleteFrom('api_key').where('id', '=', id).execute()
  })

/** Sessions of the tokens end by themselves: their tokens are gone. */
async function endWithKey(db: Queries, kid: string): Promise<void> {
  await db.deleteFrom('pat').where('owner_kid', '=', kid).execute()
  await db.deleteFrom('session').where('owner_kid', '=', kid).execute()
}

/** Asked at every request, so it is compiled once. */
export function apiKeyFinder(db: Queries): (kid: string) => Promise<StoredApiKey | undefined> {
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

function found(id: number, row: StoredApiKey | undefined): StoredApiKey {
  if (row === undefined) throw new AppError('API_KEY_NOT_FOUND', { id })
  return row
}
