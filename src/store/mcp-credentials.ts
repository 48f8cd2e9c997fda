// What proves to a remote server who calls: sealed, of its administrator or of each person.
import { createHash } from 'node:crypto'
import type { Database, Queries } from './database.ts'
import type { SecretBox } from './secret-box.ts'

type Json = Record<string, unknown>

export interface McpCredentials {
  /** For the templates of headers. */
  fields: Record<string, string>
  /** The OAuth client, as it was given or registered. */
  client: Json | null
  isClientGiven: boolean
  tokens: Json | null
}

export const NO_CREDENTIALS: McpCredentials = { fields: {}, client: null, isClientGiven: false, tokens: null }

/** Of the server itself, or of one person there. */
export interface Holder {
  server: number
  person: string | null
}

interface Store {
  db: Database
  secrets: SecretBox
}

export async function findCredentials(
  { db, secrets }: { db: Queries; secrets: SecretBox },
  holder: Holder,
): Promise<McpCredentials> {
  if (holder.person === null) {
    const row = await serverRow(db, holder.server)
    return row?.admin_credentials
      ? JSON.parse(secrets.open(row.admin_credentials, serverPlace(holder.server)))
      : NO_CREDENTIALS
  }
  const row = await personRow(db, holder.server, holder.person)
  return row === undefined ? NO_CREDENTIALS : JSON.parse(secrets.open(row.credentials, personPlace(row.id)))
}

/** What `change` makes of them, in one transaction, so that of two refreshed tokens none is lost. */
export const changeCredentials = (
  { db, secrets }: Store,
  holder: Holder,
  change: (stored: McpCredentials) => McpCredentials,
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const wanted = JSON.stringify(change(await findCredentials({ db: trx, secrets }, holder)))
    const { server, person } = holder
    if (person === null) {
      const admin_credentials = secrets.seal(wanted, serverPlace(server))
      await trx.updateTable('mcp_server').set({ admin_credentials }).where('id', '=', server).execute()
      return
    }
    const id = (await personRow(trx, server, person))?.id ?? (await insertPerson(trx, server, person, now))
    await trx
      .updateTable('mcp_user_credential')
      .set({ credentials: secrets.seal(wanted, personPlace(id)), time_updated: now })
      .where('id', '=', id)
      .execute()
  })

async function insertPerson(trx: Queries, mcp_server_id: number, user_id: string, now: number): Promise<number> {
  const { id } = await trx
    .insertInto('mcp_user_credential')
    .values({ mcp_server_id, user_id, credentials: '', time_updated: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const serverRow = (db: Queries, id: number) =>
  db.selectFrom('mcp_server').select('admin_credentials').where('id', '=', id).executeTakeFirst()

const personRow = (db: Queries, server: number, person: string) =>
  db
    .selectFrom('mcp_user_credential')
    .select(['id', 'credentials'])
    .where('mcp_server_id', '=', server)
    .where('user_id', '=', person)
    .executeTakeFirst()

const serverPlace = (id: number) => `mcp_server/${id}/admin_credentials` as const
const personPlace = (id: number) => `mcp_user_credential/${id}/credentials` as const
const flowPlace = (id: number) => `mcp_oauth_flow/${id}/flow` as const

/** Somebody is at an authorization server. */
export interface OauthFlow {
  mcp_server_id: number
  user_id: string
  /** What the way back needs: the verifier, where the tokens are had, where the person wants to be. */
  flow: Json
}

/** Those that have not come back in time go. */
export const insertOauthFlow = (
  { db, secrets }: Store,
  state: string,
  { flow, ...whose }: OauthFlow,
  { now, expires_at }: { now: number; expires_at: number },
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx.deleteFrom('mcp_oauth_flow').where('expires_at', '<=', now).execute()
    const { id } = await trx
      .insertInto('mcp_oauth_flow')
      .values({ ...whose, state_hash: hashOf(state), flow: '', expires_at })
      .returning('id')
      .executeTakeFirstOrThrow()
    await trx
      .updateTable('mcp_oauth_flow')
      .set({ flow: secrets.seal(JSON.stringify(flow), flowPlace(id)) })
      .where('id', '=', id)
      .execute()
  })

/** Once, in time, and for whom it was begun; otherwise undefined. Another person's stays for them. */
export const takeOauthFlow = (
  { db, secrets }: Store,
  state: string,
  { user_id, now }: { user_id: string; now: number },
): Promise<OauthFlow | undefined> =>
  db.transaction().execute(async (trx) => {
    const row = await trx
      .deleteFrom('mcp_oauth_flow')
      .where('state_hash', '=', hashOf(state))
      .where('user_id', '=', user_id)
      .returningAll()
      .executeTakeFirst()
    if (row === undefined || row.expires_at <= now) return undefined
    const flow: Json = JSON.parse(secrets.open(row.flow, flowPlace(row.id)))
    return { mcp_server_id: row.mcp_server_id, user_id: row.user_id, flow }
  })

const hashOf = (state: string) => createHash('sha256').update(state).digest('base64url')
