// OAuth tokens of single users, and the sign-ins that they have started.
import { AppError } from '../../domain/errors.ts'
import type { Queryable } from '../database/database.ts'
import type { DatabaseWithSecrets, QueryableWithSecrets } from '../secrets/secret-box.ts'

export interface OauthToken {
  access_token: string
  refresh_token: string | null
}

export interface StoredOauthToken extends OauthToken {
  id: number
  expires_at: number | null
  time_updated: number
}

export interface OauthState {
  oauth_config_id: number
  user_id: string
  verifier: string
  redirect_uri: string
  return_path: string
  expires_at: number
}

interface OauthTokenOwner {
  oauth_config_id: number
  user_id: string
}

/** Replaces the user's former token. OAUTH_CONFIG_NOT_FOUND: the configuration was deleted. */
export const saveOauthToken = (
  { db, secrets }: DatabaseWithSecrets,
  { oauth_config_id, user_id }: OauthTokenOwner,
  { expires_at, ...token }: OauthToken & { expires_at: number | null },
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const config = await trx
      .selectFrom('oauth_config')
      .select('id')
      .where('id', '=', oauth_config_id)
      .executeTakeFirst()
    if (config === undefined) throw new AppError('OAUTH_CONFIG_NOT_FOUND', { id: oauth_config_id })
    const times = { expires_at, held_until: 0, time_updated: now }
    const { id } = await trx
      .insertInto('oauth_token')
      .values({ oauth_config_id, user_id, token: '', ...times })
      .onConflict((it) => it.columns(['oauth_config_id', 'user_id']).doUpdateSet(times))
      .returning('id')
      .executeTakeFirstOrThrow()
    await trx
      .updateTable('oauth_token')
      .set({ token: secrets.seal(JSON.stringify(token), oauthTokenLocation(id)) })
      .where('id', '=', id)
      .execute()
  })

export async function findOauthToken(
  { db, secrets }: QueryableWithSecrets,
  { oauth_config_id, user_id }: OauthTokenOwner,
): Promise<StoredOauthToken | undefined> {
  const row = await db
    .selectFrom('oauth_token')
    .selectAll()
    .where('oauth_config_id', '=', oauth_config_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const token: OauthToken = JSON.parse(secrets.open(row.token, oauthTokenLocation(row.id)))
  return { ...token, id: row.id, expires_at: row.expires_at, time_updated: row.time_updated }
}

/**
 * Returns whether the caller may refresh the token: nobody else may until `until`, or until it is saved or released.
 */
export async function leaseOauthToken(
  db: Queryable,
  { id, time_updated }: Pick<StoredOauthToken, 'id' | 'time_updated'>,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth_token')
    .set({ held_until: until })
    .where('id', '=', id)
    .where('time_updated', '=', time_updated)
    .where('held_until', '<=', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function releaseOauthToken(db: Queryable, id: number): Promise<void> {
  await db.updateTable('oauth_token').set({ held_until: 0 }).where('id', '=', id).execute()
}

/** Deleting a missing token is not an error. */
export async function deleteOauthToken(db: Queryable, { oauth_config_id, user_id }: OauthTokenOwner): Promise<void> {
  await db
    .deleteFrom('oauth_token')
    .where('oauth_config_id', '=', oauth_config_id)
    .where('user_id', '=', user_id)
    .execute()
}

export const listOauthTokens = (
  db: Queryable,
  user_id: string,
): Promise<{ oauth_config_id: number; name: string; expires_at: number | null }[]> =>
  db
    .selectFrom('oauth_token')
    .innerJoin('oauth_config', 'oauth_config.id', 'oauth_config_id')
    .select(['oauth_config_id', 'oauth_config.name', 'expires_at'])
    .where('oauth_token.user_id', '=', user_id)
    .orderBy('oauth_config_id')
    .execute()

export interface OauthTokenHolder {
  /** The id of a person, or of a key that acts for nobody. */
  user_id: string
  /** Null for a key. */
  email: string | null
  name: string | null
  expires_at: number | null
  time_updated: number
}

/** Lists who has a token of this configuration, in order of their ids. */
export const listOauthTokenHolders = (db: Queryable, oauth_config_id: number): Promise<OauthTokenHolder[]> =>
  db
    .selectFrom('oauth_token')
    .leftJoin('person', 'person.id', 'oauth_token.user_id')
    .select(['oauth_token.user_id', 'person.email', 'person.name', 'expires_at', 'oauth_token.time_updated'])
    .where('oauth_config_id', '=', oauth_config_id)
    .orderBy('oauth_token.id')
    .execute()

/** Deletes expired states as well. */
export const insertOauthState = (
  { db, secrets }: DatabaseWithSecrets,
  state_hash: string,
  { verifier, ...state }: OauthState,
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx.deleteFrom('oauth_state').where('expires_at', '<=', now).execute()
    const { id } = await trx
      .insertInto('oauth_state')
      .values({ ...state, state_hash, verifier: '' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await trx
      .updateTable('oauth_state')
      .set({ verifier: secrets.seal(verifier, oauthStateLocation(id)) })
      .where('id', '=', id)
      .execute()
  })

/** Works once, before it expires, and only for the user who started it. */
export async function takeOauthState(
  { db, secrets }: QueryableWithSecrets,
  { state_hash, user_id, now }: { state_hash: string; user_id: string; now: number },
): Promise<OauthState | undefined> {
  const row = await db
    .deleteFrom('oauth_state')
    .where('state_hash', '=', state_hash)
    .where('user_id', '=', user_id)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { id, state_hash: _, verifier, ...state } = row
  return { ...state, verifier: secrets.open(verifier, oauthStateLocation(id)) }
}

const oauthTokenLocation = (id: number) => `oauth_token/${id}/token` as const
const oauthStateLocation = (id: number) => `oauth_state/${id}/verifier` as const
