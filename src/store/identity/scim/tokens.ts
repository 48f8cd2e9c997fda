// The tokens of the directory. One is valid at a time; the old ones remain for their dates.
import type { Selectable } from 'kysely'
import type { Database, Queryable } from '../../database/database.ts'
import type { ScimTokenRow } from '../../database/identity-tables.ts'

export type StoredScimToken = Selectable<ScimTokenRow>

/** The tokens before it are invalid when this resolves. */
export const replaceScimToken = (
  db: Database,
  token: Pick<StoredScimToken, 'kid' | 'secret_hash' | 'display' | 'name' | 'created_at'>,
): Promise<StoredScimToken> =>
  db.transaction().execute(async (trx) => {
    await revokeScimTokens(trx)
    return trx
      .insertInto('scim_token')
      .values({ ...token, is_active: 1, last_used_at: null })
      .returningAll()
      .executeTakeFirstOrThrow()
  })

/** False if there was none. */
export async function revokeScimTokens(db: Queryable): Promise<boolean> {
  const revoked = await db
    .updateTable('scim_token')
    .set({ is_active: 0 })
    .where('is_active', '=', 1)
    .returning('id')
    .execute()
  return revoked.length > 0
}

export const findActiveScimToken = (db: Queryable): Promise<StoredScimToken | undefined> =>
  db.selectFrom('scim_token').selectAll().where('is_active', '=', 1).orderBy('id', 'desc').executeTakeFirst()

export async function touchScimTokens(db: Database, used: ReadonlyMap<number, number>): Promise<void> {
  await db.commit(
    [...used].map(([id, last_used_at]) => [
      db.updateTable('scim_token').set({ last_used_at }).where('id', '=', id).compile(),
    ]),
  )
}
