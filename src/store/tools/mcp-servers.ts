// Remote MCP servers: their owners and who may use their tools.
import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import { canGrantPassthrough, canShareTools, type Subject } from '../../domain/subject.ts'
import type {
  McpAuthPerformer,
  McpAuthTemplate,
  McpAuthType,
  McpPolicies,
  McpStatus,
  McpTransport,
} from '../../domain/tools/mcp-server.ts'
import {
  createPassthroughGrant,
  grantFromColumns,
  grantToColumns,
  type PassthroughGrant,
} from '../../domain/tools/passthrough.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { McpServerRow } from '../database/mcp-tables.ts'
import { versionOf } from '../database/version-of.ts'
import { disconnectMcpServer, revokeMcpGrants } from './mcp-grants.ts'
import { deleteMcpTools } from './mcp-tools.ts'
import { revokeConsentsAndTokens } from './passthrough.ts'

/** OAuth settings beyond what the server itself advertises. */
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
  /** Allows the server to receive tokens of users other than its owner; null without a grant. */
  passthrough_grant: PassthroughGrant | null
  /** Changes with each field that a person changes, but not with the tokens of a sign-in at the server. */
  version: string
}

type GivenField = 'id' | 'user_id' | 'passthrough_grant' | 'version'
export type NewMcpServer = Omit<StoredMcpServer, GivenField | 'last_refreshed_at'>
export type McpServerPatch = Partial<Omit<StoredMcpServer, GivenField>>

interface McpServerUpdate {
  now: number
  /** The caller also changes the credentials, which may lead to another remote account. */
  isRekeyed?: boolean
  expectedVersion?: string | null
}

const MAX_SERVERS = 1_000
const NO_OAUTH: McpOauth = { scopes: [], authorization_url: null, token_url: null }

export const insertMcpServer = (
  db: Database,
  subject: Subject,
  server: NewMcpServer,
  now: number,
): Promise<StoredMcpServer> =>
  db.transaction().execute(async (trx) => {
    const { count } = await trx
      .selectFrom('mcp_server')
      .select((it) => it.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= MAX_SERVERS) {
      throw new AppError('INVALID_INPUT', {
        reason: `The limit of ${MAX_SERVERS} MCP servers is reached. Delete one first.`,
      })
    }
    const row = await trx
      .insertInto('mcp_server')
      .values({
        ...server,
        ...mcpServerJsonColumns(server),
        is_public: server.is_public ? 1 : 0,
        ...grantToColumns(nextPassthroughGrant(subject, null, server, now)),
        user_id: subject.user_id,
        admin_credentials: null,
        last_refreshed_at: null,
        time_created: now,
        time_updated: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return toMcpServer(row)
  })

/** Lists the servers that the subject may use or owns; administrators see all. */
export async function listMcpServers(db: Queryable, subject: Subject): Promise<StoredMcpServer[]> {
  const rows = await db.selectFrom('mcp_server').selectAll().orderBy('id').execute()
  return rows.map(toMcpServer).filter((it) => isUsableMcpServer(it, subject))
}

/** MCP_SERVER_NOT_FOUND: it does not exist or the subject may not use it. */
export async function getMcpServer(db: Queryable, subject: Subject, id: number): Promise<StoredMcpServer> {
  const row = await db.selectFrom('mcp_server').selectAll().where('id', '=', id).executeTakeFirst()
  const server = row && toMcpServer(row)
  if (server === undefined || !isUsableMcpServer(server, subject)) throw new AppError('MCP_SERVER_NOT_FOUND')
  return server
}

/** Returns a server to change it. NOT_OWNER: the subject may use it but does not own it. */
export async function getOwnMcpServer(db: Queryable, subject: Subject, id: number): Promise<StoredMcpServer> {
  const server = await getMcpServer(db, subject, id)
  if (!isOwnMcpServer(server, subject)) throw new AppError('NOT_OWNER')
  return server
}

/**
 * Changes only the given fields. A new origin or authentication method erases all credentials, because they were
 * entered for the former one. Every other change of the destination of data revokes what the subject could not grant
 * itself. MCP_SERVER_CHANGED: the server no longer has the version that the caller expects, which may be null.
 */
export const updateMcpServer = (
  db: Database,
  subject: Subject,
  id: number,
  patch: McpServerPatch,
  { now, isRekeyed = false, expectedVersion = null }: McpServerUpdate,
): Promise<StoredMcpServer> =>
  db.transaction().execute(async (trx) => {
    const stored = await getOwnMcpServer(trx, subject, id)
    if (expectedVersion !== null && expectedVersion !== stored.version) throw new AppError('MCP_SERVER_CHANGED', { id })
    const isChanged = changesDestination(stored, { ...stored, ...patch })
    if (isChanged) checkPolicyChange(subject, patch.tool_policies)
    if (isChanged || isRekeyed) await revokeMcpGrants(trx, subject, id)
    if (isChanged) await resetMcpServer(trx, subject, stored, patch)
    const current = await getOwnMcpServer(trx, subject, id)
    const wanted = { ...current, ...patch }
    const { is_public, ...rest } = patch
    if (is_public !== undefined) {
      const flag = is_public ? 1 : 0
      await trx.updateTable('tool').set({ is_public: flag }).where('mcp_server_id', '=', id).execute()
    }
    const row = await trx
      .updateTable('mcp_server')
      .set({
        ...rest,
        ...mcpServerJsonColumns(wanted),
        ...grantToColumns(
          nextPassthroughGrant(subject, { ...stored, passthrough_grant: current.passthrough_grant }, wanted, now),
        ),
        ...(is_public !== undefined && { is_public: is_public ? 1 : 0 }),
        time_updated: now,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return toMcpServer(row)
  })

async function resetMcpServer(
  trx: Queryable,
  subject: Subject,
  stored: StoredMcpServer,
  patch: McpServerPatch,
): Promise<void> {
  if (changesCredentialTarget(stored, { ...stored, ...patch })) {
    await deleteMcpCredentials(trx, stored.id)
    await trx.updateTable('mcp_server').set({ tool_policies: '{}' }).where('id', '=', stored.id).execute()
  }
  if (canShareTools(subject)) return
  await deletePersonCredentials(trx, stored.id)
  await disconnectMcpServer(trx, stored.id)
}

/** A tool was exempted from confirmation for the server as it was before this change. */
function checkPolicyChange(subject: Subject, policies: McpPolicies | undefined): void {
  if (policies === undefined || subject.rights.has('admin')) return
  if (Object.values(policies).includes('allow')) throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'admin' })
}

/** An administrator who sets `PT_OAUTH` grants it at the same time. Other changes leave the grant as it is. */
function nextPassthroughGrant(
  subject: Subject,
  stored: Pick<StoredMcpServer, 'auth_type' | 'passthrough_grant'> | null,
  { auth_type }: Pick<StoredMcpServer, 'auth_type'>,
  now: number,
): PassthroughGrant | null {
  if (auth_type !== 'PT_OAUTH') return null
  const isNew = stored?.auth_type !== 'PT_OAUTH'
  return isNew && canGrantPassthrough(subject)
    ? createPassthroughGrant(subject.user_id, now)
    : (stored?.passthrough_grant ?? null)
}

/** Lets an administrator allow that the server receives tokens of users other than its owner, at the given address. */
export const grantMcpPassthrough = (
  db: Database,
  subject: Subject,
  id: number,
  { server_url, now }: { server_url: string; now: number },
): Promise<StoredMcpServer> =>
  db.transaction().execute(async (trx) => {
    const stored = await getOwnMcpServer(trx, subject, id)
    if (stored.auth_type !== 'PT_OAUTH') {
      throw new AppError('INVALID_INPUT', {
        reason: 'The `auth_type` of this server is not PT_OAUTH, so it receives no token.',
      })
    }
    if (stored.server_url !== server_url) {
      const reason = `The server is at ${stored.server_url}, not at \`server_url\`. Read the server again and grant what you see.`
      throw new AppError('INVALID_INPUT', { reason })
    }
    return writeMcpGrant(trx, id, createPassthroughGrant(subject.user_id, now))
  })

/** Ends all consents and revokes the tokens that the server received. */
export const revokeMcpPassthrough = (db: Database, subject: Subject, id: number): Promise<StoredMcpServer> =>
  db.transaction().execute(async (trx) => {
    await getOwnMcpServer(trx, subject, id)
    await revokeConsentsAndTokens(trx, { kind: 'mcp_server', id })
    return writeMcpGrant(trx, id, null)
  })

async function writeMcpGrant(trx: Queryable, id: number, grant: PassthroughGrant | null): Promise<StoredMcpServer> {
  const row = await trx
    .updateTable('mcp_server')
    .set(grantToColumns(grant))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toMcpServer(row)
}

/** Stores the result of contacting the server. It is not a change by a user. */
export async function setMcpStatus(
  db: Queryable,
  id: number,
  { status, refreshedAt }: { status: McpStatus; refreshedAt?: number },
): Promise<void> {
  await db
    .updateTable('mcp_server')
    .set({ status, ...(refreshedAt !== undefined && { last_refreshed_at: refreshedAt }) })
    .where('id', '=', id)
    .execute()
}

/** The owner has signed in at the server again, for all users and perhaps with another account. */
export const revokeGrantsAfterAccountChange = (db: Database, subject: Subject, id: number): Promise<void> =>
  db.transaction().execute((trx) => revokeMcpGrants(trx, subject, id))

/** Deletes its tools and all credentials as well. */
export const deleteMcpServer = (db: Database, subject: Subject, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getOwnMcpServer(trx, subject, id)
    await deleteMcpTools(trx, id)
    await deleteMcpCredentials(trx, id)
    await revokeConsentsAndTokens(trx, { kind: 'mcp_server', id })
    await trx.deleteFrom('mcp_server').where('id', '=', id).execute()
  })

export const isOwnMcpServer = ({ user_id }: Pick<StoredMcpServer, 'user_id'>, subject: Subject): boolean =>
  user_id === subject.user_id || subject.rights.has('admin')

/** `users` holds e-mail addresses or ids of keys. */
function isUsableMcpServer(server: StoredMcpServer, subject: Subject): boolean {
  if (server.is_public || isOwnMcpServer(server, subject)) return true
  const names = [subject.user_id, ...(subject.email === null ? [] : [subject.email.toLowerCase()])]
  return (
    server.users.some((it) => names.includes(it) || names.includes(it.toLowerCase())) ||
    server.groups.some((it) => subject.groups.includes(it))
  )
}

/** Compares everything that decides where user input goes and with which credentials. */
const changesDestination = (stored: StoredMcpServer, wanted: StoredMcpServer): boolean =>
  changesCredentialTarget(stored, wanted) ||
  JSON.stringify(destinationOf(stored)) !== JSON.stringify(destinationOf(wanted))

const destinationOf = ({ server_url, transport, auth_performer, auth_template, oauth }: StoredMcpServer) => [
  new URL(server_url).href,
  transport,
  auth_performer,
  auth_template && [Object.entries(auth_template.headers).sort(), auth_template.required_fields ?? []],
  [...oauth.scopes].sort(),
  oauth.authorization_url,
]

const changesCredentialTarget = (stored: StoredMcpServer, wanted: StoredMcpServer) =>
  new URL(stored.server_url).origin !== new URL(wanted.server_url).origin ||
  stored.auth_type !== wanted.auth_type ||
  stored.oauth.token_url !== wanted.oauth.token_url

async function deleteMcpCredentials(trx: Queryable, id: number): Promise<void> {
  await deletePersonCredentials(trx, id)
  await trx.updateTable('mcp_server').set({ admin_credentials: null }).where('id', '=', id).execute()
}

async function deletePersonCredentials(trx: Queryable, id: number): Promise<void> {
  await trx.deleteFrom('mcp_oauth_flow').where('mcp_server_id', '=', id).execute()
  await trx.deleteFrom('mcp_user_credential').where('mcp_server_id', '=', id).execute()
}

const mcpServerJsonColumns = (
  it: Pick<StoredMcpServer, 'auth_template' | 'oauth' | 'users' | 'groups' | 'tool_policies'>,
) => ({
  auth_template: it.auth_template === null ? null : JSON.stringify(it.auth_template),
  oauth: JSON.stringify(it.oauth),
  users: JSON.stringify(it.users),
  groups: JSON.stringify(it.groups),
  tool_policies: JSON.stringify(it.tool_policies),
})

const toMcpServer = (row: Selectable<McpServerRow>): StoredMcpServer => ({
  id: row.id,
  name: row.name,
  description: row.description,
  server_url: row.server_url,
  user_id: row.user_id,
  transport: row.transport,
  auth_type: row.auth_type,
  auth_performer: row.auth_performer,
  auth_template: row.auth_template === null ? null : JSON.parse(row.auth_template),
  oauth: row.oauth === null ? NO_OAUTH : JSON.parse(row.oauth),
  status: row.status,
  is_public: row.is_public === 1,
  users: JSON.parse(row.users),
  groups: JSON.parse(row.groups),
  tool_policies: JSON.parse(row.tool_policies),
  last_refreshed_at: row.last_refreshed_at,
  passthrough_grant: grantFromColumns(row),
  version: versionOf([
    ...[row.name, row.description, row.server_url, row.transport, row.auth_type, row.auth_performer, row.auth_template],
    ...[row.oauth, row.is_public, row.users, row.groups, row.tool_policies],
    row.auth_type === 'OAUTH' ? null : row.admin_credentials,
  ]),
})
