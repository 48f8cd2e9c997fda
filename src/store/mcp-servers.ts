// Remote servers of the Model Context Protocol: whose they are, and who may use their tools.
import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type {
  McpAuthPerformer,
  McpAuthTemplate,
  McpAuthType,
  McpPolicies,
  McpStatus,
  McpTransport,
} from '../domain/mcp-server.ts'
import type { Subject } from '../domain/subject.ts'
import type { Database, Queries } from './database.ts'
import type { McpServerRow } from './mcp-tables.ts'
import { deleteToolsOfServer } from './mcp-tools.ts'

/** How tokens are had, beside what the server itself tells. */
export interface McpOauth {
  scopes: string[]
  authorization_url: string | null
  token_url: string | null
}

export interface StoredMcpServer {
  id: number
  name: string
  description: string
  server_url: string
  user_id: string
  transport: McpTransport
  auth_type: McpAuthType
  auth_performer: McpAuthPerformer
  auth_template: McpAuthTemplate | null
  oauth: McpOauth
  status: McpStatus
  is_public: boolean
  users: string[]
  groups: string[]
  tool_policies: McpPolicies
  last_refreshed_at: number | null
}

export type NewMcpServer = Omit<StoredMcpServer, 'id' | 'user_id' | 'last_refreshed_at'>
export type McpServerPatch = Partial<Omit<StoredMcpServer, 'id' | 'user_id'>>

const MAX_SERVERS = 1_000
const NO_OAUTH: McpOauth = { scopes: [], authorization_url: null, token_url: null }

export const insertMcpServer = (
  db: Database,
  { user_id }: Pick<Subject, 'user_id'>,
  server: NewMcpServer,
  now: number,
): Promise<StoredMcpServer> =>
  db.transaction().execute(async (trx) => {
    const { count } = await trx
      .selectFrom('mcp_server')
      .select((it) => it.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= MAX_SERVERS) {
      throw new AppError('INVALID_INPUT', { reason: `There are ${MAX_SERVERS} MCP servers already. Delete one.` })
    }
    const row = await trx
      .insertInto('mcp_server')
      .values({
        ...server,
        ...jsonOf(server),
        is_public: server.is_public ? 1 : 0,
        user_id,
        admin_credentials: null,
        last_refreshed_at: null,
        time_created: now,
        time_updated: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return serverOf(row)
  })

/** Those that the subject may use, or owns; administrators see all. */
export async function listMcpServers(db: Queries, subject: Subject): Promise<StoredMcpServer[]> {
  const rows = await db.selectFrom('mcp_server').selectAll().orderBy('id').execute()
  return rows.map(serverOf).filter((it) => isUsable(it, subject))
}

/** One that is closed to the subject is MCP_SERVER_NOT_FOUND, as one that is not there. */
export async function getMcpServer(db: Queries, subject: Subject, id: number): Promise<StoredMcpServer> {
  const row = await db.selectFrom('mcp_server').selectAll().where('id', '=', id).executeTakeFirst()
  const server = row && serverOf(row)
  if (server === undefined || !isUsable(server, subject)) throw new AppError('MCP_SERVER_NOT_FOUND')
  return server
}

/** To change it: one that is open to the subject and another's is NOT_OWNER. */
export async function getOwnMcpServer(db: Queries, subject: Subject, id: number): Promise<StoredMcpServer> {
  const server = await getMcpServer(db, subject, id)
  if (!isOwnMcpServer(server, subject)) throw new AppError('NOT_OWNER')
  return server
}

/**
 * Changes only what is there. Where it comes to another origin, or to another way to prove who calls, all credentials
 * and policies are forgotten: they were given for the former.
 */
export const updateMcpServer = (
  db: Database,
  subject: Subject,
  id: number,
  patch: McpServerPatch,
  now: number,
): Promise<StoredMcpServer> =>
  db.transaction().execute(async (trx) => {
    const stored = await getOwnMcpServer(trx, subject, id)
    const isMoved = isElsewhere(stored, { ...stored, ...patch })
    if (isMoved) await forgetCredentials(trx, id)
    const wanted = { ...stored, ...(isMoved && { tool_policies: {} }), ...patch }
    const { is_public, ...rest } = patch
    if (is_public !== undefined) {
      const flag = is_public ? 1 : 0
      await trx.updateTable('tool').set({ is_public: flag }).where('mcp_server_id', '=', id).execute()
    }
    const row = await trx
      .updateTable('mcp_server')
      .set({
        ...rest,
        ...jsonOf(wanted),
        ...(is_public !== undefined && { is_public: is_public ? 1 : 0 }),
        time_updated: now,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return serverOf(row)
  })

/** What became of it when it was asked: nobody's change. */
export async function noteMcpStatus(
  db: Queries,
  id: number,
  { status, refreshedAt }: { status: McpStatus; refreshedAt?: number },
): Promise<void> {
  await db
    .updateTable('mcp_server')
    .set({ status, ...(refreshedAt !== undefined && { last_refreshed_at: refreshedAt }) })
    .where('id', '=', id)
    .execute()
}

/** Its tools and everybody's credentials go with it. */
export const deleteMcpServer = (db: Database, subject: Subject, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getOwnMcpServer(trx, subject, id)
    await deleteToolsOfServer(trx, id)
    await forgetCredentials(trx, id)
    await trx.deleteFrom('mcp_server').where('id', '=', id).execute()
  })

export const isOwnMcpServer = ({ user_id }: Pick<StoredMcpServer, 'user_id'>, subject: Subject): boolean =>
  user_id === subject.user_id || subject.rights.has('admin')

/** The people of a server are named by their addresses, or by the ids of their keys. */
function isUsable(server: StoredMcpServer, subject: Subject): boolean {
  if (server.is_public || isOwnMcpServer(server, subject)) return true
  const names = [subject.user_id, ...(subject.email === null ? [] : [subject.email.toLowerCase()])]
  return (
    server.users.some((it) => names.includes(it) || names.includes(it.toLowerCase())) ||
    server.groups.some((it) => subject.groups.includes(it))
  )
}

const isElsewhere = (stored: StoredMcpServer, wanted: StoredMcpServer) =>
  new URL(stored.server_url).origin !== new URL(wanted.server_url).origin ||
  stored.auth_type !== wanted.auth_type ||
  stored.oauth.token_url !== wanted.oauth.token_url

async function forgetCredentials(trx: Queries, id: number): Promise<void> {
  await trx.deleteFrom('mcp_oauth_flow').where('mcp_server_id', '=', id).execute()
  await trx.deleteFrom('mcp_user_credential').where('mcp_server_id', '=', id).execute()
  await trx.updateTable('mcp_server').set({ admin_credentials: null }).where('id', '=', id).execute()
}

const jsonOf = (it: Pick<StoredMcpServer, 'auth_template' | 'oauth' | 'users' | 'groups' | 'tool_policies'>) => ({
  auth_template: it.auth_template === null ? null : JSON.stringify(it.auth_template),
  oauth: JSON.stringify(it.oauth),
  users: JSON.stringify(it.users),
  groups: JSON.stringify(it.groups),
  tool_policies: JSON.stringify(it.tool_policies),
})

const serverOf = (row: Selectable<McpServerRow>): StoredMcpServer => ({
  id: row.id,
  name: row.name,
  description: row.description,
  server_url: row.server_url,
  user_id: row.user_id,
  // What `McpServerAuth` lets in, here and below.
  transport: row.transport as McpTransport,
  auth_type: row.auth_type as McpAuthType,
  auth_performer: row.auth_performer as McpAuthPerformer,
  auth_template: row.auth_template === null ? null : JSON.parse(row.auth_template),
  oauth: row.oauth === null ? NO_OAUTH : JSON.parse(row.oauth),
  status: row.status as McpStatus,
  is_public: row.is_public === 1,
  users: JSON.parse(row.users),
  groups: JSON.parse(row.groups),
  tool_policies: JSON.parse(row.tool_policies),
  last_refreshed_at: row.last_refreshed_at,
})
