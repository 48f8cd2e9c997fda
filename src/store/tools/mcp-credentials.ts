// Sealed credentials for remote MCP servers, of their administrator or of single users.
import { createHash } from 'node:crypto'
import type { Queryable } from '../database/database.ts'
import type { DatabaseWithSecrets, QueryableWithSecrets } from '../secrets/secret-box.ts'

type OauthJson = Record<string, unknown>

export interface McpCredentials {
  /** Values for the header templates. */
  fields: Record<string, string>
  /** The OAuth client, configured or registered. */
  client: OauthJson | null
  isClientGiven: boolean
  tokens: OauthJson | null
}

export const NO_MCP_CREDENTIALS: McpCredentials = { fields: {}, client: null, isClientGiven: false, tokens: null }

/** The server itself, or one user of it. */
export interface McpCredentialOwner {
  server: number
  person: string | null
}

export async function findMcpCredentials(
  { db, secrets }: QueryableWithSecrets,
  holder: McpCredentialOwner,
): Promise<McpCredentials> {
  if (holder.person === null) {
    const row = await findServerRow(db, holder.server)
    return row?.admin_credentials
      ? JSON.parse(secrets.open(row.admin_credentials, serverCredentialLocation(holder.server)))
      : NO_MCP_CREDENTIALS
  }
  const row = await findPersonRow(db, holder.server, holder.person)
  return row === undefined
    ? NO_MCP_CREDENTIALS
    : JSON.parse(secrets.open(row.credentials, personCredentialLocation(row.id)))
}

/**
 * Replaces the credentials by the result of `change` in one transaction, so that concurrent token refreshes do not
 * overwrite each other.
 */
export const changeMcpCredentials = (
  { db, secrets }: DatabaseWithSecrets,
  holder: McpCredentialOwner,
  change: (stored: McpCredentials) => McpCredentials,
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const wanted = JSON.stringify(change(await findMcpCredentials({ db: trx, secrets }, holder)))
    const { server, person } = holder
    if (person === null) {
      const admin_credentials = secrets.seal(wanted, serverCredentialLocation(server))
      await trx.updateTable('mcp_server').set({ admin_credentials }).where('id', '=', server).execute()
      return
    }
    const id =
      (await findPersonRow(trx, server, person))?.id ?? (await insertPersonCredential(trx, server, person, now))
    await trx
      .updateTable('mcp_user_credential')
      .set({ credentials: secrets.seal(wanted, personCredentialLocation(id)), time_updated: now })
      .where('id', '=', id)
      .execute()
  })

async function insertPersonCredential(
  trx: Queryable,
  mcp_server_id: number,
  user_id: string,
  now: number,
): Promise<number> {
  const { id } = await trx
    .insertInto('mcp_user_credential')
    .values({ mcp_server_id, user_id, credentials: '', time_updated: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const findServerRow = (db: Queryable, id: number) =>
  db.selectFrom('mcp_server').select('admin_credentials').where('id', '=', id).executeTakeFirst()

const findPersonRow = (db: Queryable, server: number, person: string) =>
  db
    .selectFrom('mcp_user_credential')
    .select(['id', 'credentials'])
    .where('mcp_server_id', '=', server)
    .where('user_id', '=', person)
    .executeTakeFirst()

const serverCredentialLocation = (id: number) => `mcp_server/${id}/admin_credentials` as const
const personCredentialLocation = (id: number) => `mcp_user_credential/${id}/credentials` as const
const oauthFlowLocation = (id: number) => `mcp_oauth_flow/${id}/flow` as const

/** An authorization that a user has started. */
export interface McpOauthFlow {
  mcp_server_id: number
  user_id: string
  /** State for the callback: the verifier, the token endpoint and the page to return to. */
  flow: OauthJson
}

/** Deletes expired flows as well. */
export const insertMcpOauthFlow = (
  { db, secrets }: DatabaseWithSecrets,
  state: string,
  { flow, ...whose }: McpOauthFlow,
  { now, expires_at }: { now: number; expires_at: number },
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx.deleteFrom('mcp_oauth_flow').where('expires_at', '<=', now).execute()
    const { id } = await trx
      .insertInto('mcp_oauth_flow')
      .values({ ...whose, state_hash: hashState(state), flow: '', expires_at })
      .returning('id')
      .executeTakeFirstOrThrow()
    await trx
      .updateTable('mcp_oauth_flow')
      .set({ flow: secrets.seal(JSON.stringify(flow), oauthFlowLocation(id)) })
      .where('id', '=', id)
      .execute()
  })

/**
 * Returns the flow once, before it expires, and only to the user who started it; otherwise undefined. Flows of other
 * users stay.
 */
export const takeMcpOauthFlow = (
  { db, secrets }: DatabaseWithSecrets,
  state: string,
  { user_id, now }: { user_id: string; now: number },
): Promise<McpOauthFlow | undefined> =>
  db.transaction().execute(async (trx) => {
    const row = await trx
      .deleteFrom('mcp_oauth_flow')
      .where('state_hash', '=', hashState(state))
      .where('user_id', '=', user_id)
      .returningAll()
      .executeTakeFirst()
    if (row === undefined || row.expires_at <= now) return undefined
    const flow: OauthJson = JSON.parse(secrets.open(row.flow, oauthFlowLocation(row.id)))
    return { mcp_server_id: row.mcp_server_id, user_id: row.user_id, flow }
  })

const hashState = (state: string) => createHash('sha256').update(state).digest('base64url')
