// Whose an OAuth configuration is, what it says, and what goes with it.
import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { OauthConfigCreate, OauthConfigSnapshot, OauthConfigUpdate } from '../domain/oauth-config.ts'
import type { Page } from '../domain/page.ts'
import type { Subject } from '../domain/subject.ts'
import type { Database, Queries } from './database.ts'
import type { SecretBox } from './secret-box.ts'
import type { OauthConfigRow } from './tool-tables.ts'

type StoredOauthConfig = Selectable<OauthConfigRow>
interface Store {
  db: Database
  secrets: SecretBox
}

/** What the flow needs. */
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
  { db, secrets }: Store,
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
    await sealSecret(trx, secrets, id, client_secret)
    return getOauthConfig(trx, subject, id)
  })

/** One of somebody else is OAUTH_CONFIG_NOT_FOUND, but for administrators. */
export async function getOauthConfig(db: Queries, subject: Subject, id: number): Promise<OauthConfigSnapshot> {
  return snapshot(await findOwn(db, subject, id), await countTools(db, id))
}

/** One's own; administrators see all. */
export async function listOauthConfigs(
  db: Queries,
  subject: Subject,
  { after, limit }: Page,
): Promise<OauthConfigSnapshot[]> {
  const rows = await ownOf(db, subject).where('id', '>', after).orderBy('id').limit(limit).execute()
  return Promise.all(rows.map(async (row) => snapshot(row, await countTools(db, row.id))))
}

/**
 * Changes only what was sent. What people were given elsewhere, or as somebody else, is of no use at another provider and
 * none of its business: their tokens go when the provider or the client is another one.
 */
export const updateOauthConfig = (
  { db, secrets }: Store,
  subject: Subject,
  id: number,
  change: OauthConfigUpdate,
  now: number,
): Promise<OauthConfigSnapshot> =>
  db.transaction().execute(async (trx) => {
    const stored = await findOwn(trx, subject, id)
    const client_id = change.clear_client_id === true ? null : (change.client_id ?? stored.client_id)
    const token_url = change.token_url ?? stored.token_url
    if (token_url !== stored.token_url || client_id !== stored.client_id) await dropTokens(trx, id)
    await trx
      .updateTable('oauth_config')
      .set({
        name: change.name ?? stored.name,
        authorization_url: change.authorization_url ?? stored.authorization_url,
        token_url,
        client_id,
        scopes: change.scopes === null ? stored.scopes : JSON.stringify(change.scopes),
        additional_params:
          change.additional_params === null ? stored.additional_params : JSON.stringify(change.additional_params),
        time_updated: now,
        ...(change.clear_client_secret === true && { client_secret: null }),
      })
      .where('id', '=', id)
      .execute()
    if (change.client_secret !== null && change.clear_client_secret !== true) {
      await sealSecret(trx, secrets, id, change.client_secret)
    }
    return getOauthConfig(trx, subject, id)
  })

/** Tools that used it go on without, and what people were given is gone. */
export const deleteOauthConfig = (db: Database, subject: Subject, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await findOwn(trx, subject, id)
    await trx.updateTable('tool').set({ oauth_config_id: null }).where('oauth_config_id', '=', id).execute()
    await dropConfig(trx, id)
  })

/** Whether a tool of that subject may send people there. OAUTH_CONFIG_NOT_FOUND says no. */
export async function checkOauthConfig(db: Queries, subject: Subject, id: number): Promise<void> {
  await findOwn(db, subject, id)
}

/** One that its last tool has left goes too; one that has no tool yet is never asked about. */
export async function dropOrphan(trx: Queries, id: number): Promise<void> {
  if ((await countTools(trx, id)) === 0) await dropConfig(trx, id)
}

/** OAUTH_CONFIG_NOT_FOUND. Nobody's rights are asked: whoever uses a tool is sent where the tool says. */
export async function findOauthClient({ db, secrets }: { db: Queries; secrets: SecretBox }, id: number) {
  const row = await db.selectFrom('oauth_config').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('OAUTH_CONFIG_NOT_FOUND', { id })
  return clientOf(row, secrets)
}

const clientOf = (row: StoredOauthConfig, secrets: SecretBox): OauthClient => ({
  id: row.id,
  name: row.name,
  authorization_url: row.authorization_url,
  token_url: row.token_url,
  client_id: row.client_id,
  client_secret: row.client_secret === null ? null : secrets.open(row.client_secret, placeOf(row.id)),
  scopes: row.scopes === null ? [] : JSON.parse(row.scopes),
  additional_params: JSON.parse(row.additional_params),
})

const ownOf = (db: Queries, { user_id, rights }: Subject) => {
  const all = db.selectFrom('oauth_config').selectAll()
  return rights.has('admin') ? all : all.where('user_id', '=', user_id)
}

async function findOwn(db: Queries, subject: Subject, id: number): Promise<StoredOauthConfig> {
  const row = await ownOf(db, subject).where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('OAUTH_CONFIG_NOT_FOUND', { id })
  return row
}

async function countTools(db: Queries, id: number): Promise<number> {
  const { count } = await db
    .selectFrom('tool')
    .select((it) => it.fn.countAll<number>().as('count'))
    .where('oauth_config_id', '=', id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function dropConfig(trx: Queries, id: number): Promise<void> {
  await dropTokens(trx, id)
  await trx.deleteFrom('oauth_config').where('id', '=', id).execute()
}

async function dropTokens(trx: Queries, id: number): Promise<void> {
  await trx.deleteFrom('oauth_token').where('oauth_config_id', '=', id).execute()
  await trx.deleteFrom('oauth_state').where('oauth_config_id', '=', id).execute()
}

const placeOf = (id: number) => `oauth_config/${id}/client_secret` as const

const sealSecret = (db: Queries, secrets: SecretBox, id: number, secret: string) =>
  db
    .updateTable('oauth_config')
    .set({ client_secret: secrets.seal(secret, placeOf(id)) })
    .where('id', '=', id)
    .execute()

const snapshot = (row: StoredOauthConfig, tool_count: number): OauthConfigSnapshot => ({
  id: row.id,
  name: row.name,
  authorization_url: row.authorization_url,
  token_url: row.token_url,
  scopes: row.scopes === null ? null : JSON.parse(row.scopes),
  has_client_credentials: row.client_id !== null && row.client_secret !== null,
  tool_count,
  created_at: new Date(row.time_created).toISOString(),
  updated_at: new Date(row.time_updated).toISOString(),
})
