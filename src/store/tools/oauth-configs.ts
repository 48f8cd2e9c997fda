// OAuth configurations: their owner, their content and what is deleted with them.
import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import { canShareTools, type Subject } from '../../domain/subject.ts'
import type { OauthConfigCreate, OauthConfigSnapshot, OauthConfigUpdate } from '../../domain/tools/oauth-config.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import { isDifferentRow } from '../database/column-types.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { OauthConfigRow } from '../database/tool-tables.ts'
import type { DatabaseWithSecrets, QueryableWithSecrets, SecretBox } from '../secrets/secret-box.ts'

type StoredOauthConfig = Selectable<OauthConfigRow>

/** Client settings for an OAuth flow. */
export interface OauthClient {
  id: number
  name: string
  authorization_url: string
  token_url: string
  client_id: string | null
  client_secret: string | null
  scopes: string[]
  additional_params: Record<string, string>
}

export const insertOauthConfig = (
  { db, secrets }: DatabaseWithSecrets,
  subject: Subject,
  { client_secret, scopes, additional_params, ...config }: OauthConfigCreate,
  now: number,
): Promise<OauthConfigSnapshot> =>
  db.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('oauth_config')
      .values({
        ...config,
        client_secret: null,
        scopes: scopes && JSON.stringify(scopes),
        additional_params: JSON.stringify(additional_params ?? {}),
        user_id: subject.user_id,
        time_created: now,
        time_updated: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await sealClientSecret(trx, secrets, id, client_secret)
    return getOauthConfig(trx, subject, id)
  })

/** OAUTH_CONFIG_NOT_FOUND: it does not exist, or it belongs to another user and the subject is not an administrator. */
export async function getOauthConfig(db: Queryable, subject: Subject, id: number): Promise<OauthConfigSnapshot> {
  return oauthConfigSnapshot(await getOwnConfig(db, subject, id), await countToolsOfConfig(db, id))
}

/** Lists the subject's own configurations; administrators see all. */
export async function listOauthConfigs(
  db: Queryable,
  subject: Subject,
  { after, limit }: KeysetPage,
): Promise<OauthConfigSnapshot[]> {
  const rows = await selectOwnConfigs(db, subject).where('id', '>', after).orderBy('id').limit(limit).execute()
  return Promise.all(rows.map(async (row) => oauthConfigSnapshot(row, await countToolsOfConfig(db, row.id))))
}

/**
 * Changes only the fields that were sent. A new provider or client makes the stored tokens useless and must not receive
 * them, so they are deleted. Where users are sent is part of what the tools do, so grants to those tools end as well,
 * unless the subject could grant them.
 */
export const updateOauthConfig = (
  { db, secrets }: DatabaseWithSecrets,
  subject: Subject,
  id: number,
  change: OauthConfigUpdate,
  now: number,
): Promise<OauthConfigSnapshot> =>
  db.transaction().execute(async (trx) => {
    const stored = await getOwnConfig(trx, subject, id)
    const client_id = change.clear_client_id === true ? null : (change.client_id ?? stored.client_id)
    const token_url = change.token_url ?? stored.token_url
    if (token_url !== stored.token_url || client_id !== stored.client_id) await deleteTokensOfConfig(trx, id)
    const wanted = {
      authorization_url: change.authorization_url ?? stored.authorization_url,
      token_url,
      client_id,
      scopes: change.scopes === null ? stored.scopes : JSON.stringify(change.scopes),
      additional_params:
        change.additional_params === null ? stored.additional_params : JSON.stringify(change.additional_params),
    }
    if (isDifferentRow(stored, wanted)) {
      await revokeToolGrants(trx, subject, id)
    }
    await trx
      .updateTable('oauth_config')
      .set({
        name: change.name ?? stored.name,
        ...wanted,
        time_updated: now,
        ...(change.clear_client_secret === true && { client_secret: null }),
      })
      .where('id', '=', id)
      .execute()
    if (change.client_secret !== null && change.clear_client_secret !== true) {
      await sealClientSecret(trx, secrets, id, change.client_secret)
    }
    return getOauthConfig(trx, subject, id)
  })

/** A started sign-in would return to a different configuration. */
async function revokeToolGrants(trx: Queryable, subject: Subject, id: number): Promise<void> {
  await trx.deleteFrom('oauth_state').where('oauth_config_id', '=', id).execute()
  if (!subject.rights.has('admin')) {
    await trx.updateTable('tool').set({ requires_confirmation: 1 }).where('oauth_config_id', '=', id).execute()
  }
  if (!canShareTools(subject)) {
    await trx.updateTable('tool').set({ is_public: 0 }).where('oauth_config_id', '=', id).execute()
  }
}

/** Tools that used it continue without it; the tokens of all users are deleted. */
export const deleteOauthConfig = (db: Database, subject: Subject, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getOwnConfig(trx, subject, id)
    await trx.updateTable('tool').set({ oauth_config_id: null }).where('oauth_config_id', '=', id).execute()
    await deleteConfigRow(trx, id)
  })

/** Throws OAUTH_CONFIG_NOT_FOUND unless a tool of the subject may use the configuration. */
export async function checkOauthConfig(db: Queryable, subject: Subject, id: number): Promise<void> {
  await getOwnConfig(db, subject, id)
}

/**
 * Users agreed that their tokens go to the servers of the current tools. A tool on another server ends their tokens,
 * except those of the subject, and unless the subject is an administrator.
 */
export async function deleteTokensOfOthers(
  trx: Queryable,
  subject: Subject,
  id: number,
  { origin, known }: { origin: string | null; known: readonly (string | null)[] },
): Promise<void> {
  if (origin === null || subject.rights.has('admin') || known.includes(origin)) return
  for (const table of ['oauth_token', 'oauth_state'] as const) {
    await trx.deleteFrom(table).where('oauth_config_id', '=', id).where('user_id', '!=', subject.user_id).execute()
  }
}

/** Deletes a configuration that its last tool has left. Must not be called for one that never had a tool. */
export async function deleteConfigIfUnused(trx: Queryable, id: number): Promise<void> {
  if ((await countToolsOfConfig(trx, id)) === 0) await deleteConfigRow(trx, id)
}

/** OAUTH_CONFIG_NOT_FOUND: there is none. No rights are checked, because the tool decides where its users are sent. */
export async function getOauthClient({ db, secrets }: QueryableWithSecrets, id: number) {
  const row = await db.selectFrom('oauth_config').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('OAUTH_CONFIG_NOT_FOUND', { id })
  return toOauthClient(row, secrets)
}

const toOauthClient = (row: StoredOauthConfig, secrets: SecretBox): OauthClient => ({
  id: row.id,
  name: row.name,
  authorization_url: row.authorization_url,
  token_url: row.token_url,
  client_id: row.client_id,
  client_secret: row.client_secret === null ? null : secrets.open(row.client_secret, clientSecretLocation(row.id)),
  scopes: row.scopes === null ? [] : JSON.parse(row.scopes),
  additional_params: JSON.parse(row.additional_params),
})

const selectOwnConfigs = (db: Queryable, { user_id, rights }: Subject) => {
  const all = db.selectFrom('oauth_config').selectAll()
  return rights.has('admin') ? all : all.where('user_id', '=', user_id)
}

async function getOwnConfig(db: Queryable, subject: Subject, id: number): Promise<StoredOauthConfig> {
  const row = await selectOwnConfigs(db, subject).where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('OAUTH_CONFIG_NOT_FOUND', { id })
  return row
}

async function countToolsOfConfig(db: Queryable, id: number): Promise<number> {
  const { count } = await db
    .selectFrom('tool')
    .select((it) => it.fn.countAll<number>().as('count'))
    .where('oauth_config_id', '=', id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function deleteConfigRow(trx: Queryable, id: number): Promise<void> {
  await deleteTokensOfConfig(trx, id)
  await trx.deleteFrom('oauth_config').where('id', '=', id).execute()
}

async function deleteTokensOfConfig(trx: Queryable, id: number): Promise<void> {
  await trx.deleteFrom('oauth_token').where('oauth_config_id', '=', id).execute()
  await trx.deleteFrom('oauth_state').where('oauth_config_id', '=', id).execute()
}

const clientSecretLocation = (id: number) => `oauth_config/${id}/client_secret` as const

const sealClientSecret = (db: Queryable, secrets: SecretBox, id: number, secret: string) =>
  db
    .updateTable('oauth_config')
    .set({ client_secret: secrets.seal(secret, clientSecretLocation(id)) })
    .where('id', '=', id)
    .execute()

const oauthConfigSnapshot = (row: StoredOauthConfig, tool_count: number): OauthConfigSnapshot => ({
  id: row.id,
  name: row.name,
  authorization_url: row.authorization_url,
  token_url: row.token_url,
  client_id: row.client_id,
  scopes: row.scopes === null ? null : JSON.parse(row.scopes),
  additional_params: JSON.parse(row.additional_params),
  has_client_credentials: row.client_id !== null && row.client_secret !== null,
  tool_count,
  created_at: new Date(row.time_created).toISOString(),
  updated_at: new Date(row.time_updated).toISOString(),
})
