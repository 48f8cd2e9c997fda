// Changes to tools by their owners and administrators.
import { AppError } from '../../domain/errors.ts'
import { canGrantPassthrough, canShareTools, type Subject } from '../../domain/subject.ts'
import {
  createPassthroughGrant,
  grantToColumns,
  type PassthroughGrant,
  type PassthroughGrantColumns,
} from '../../domain/tools/passthrough.ts'
import {
  type CustomToolCreate,
  type CustomToolUpdate,
  checkHeaderConflict,
  type Header,
  maskHeaders,
  type ToolSnapshot,
  unmaskHeaders,
} from '../../domain/tools/tool.ts'
import { parseToolMethods, singleServer } from '../../domain/tools/tool-definition.ts'
import { maskSecret } from '../../domain/values/mask.ts'
import { httpOriginOf } from '../../domain/values/origin.ts'
import { type SqlFlag, toSqlFlag } from '../database/column-types.ts'
import type { Queryable } from '../database/database.ts'
import type { DatabaseWithSecrets, QueryableWithSecrets } from '../secrets/secret-box.ts'
import { unshareMcpServer } from './mcp-grants.ts'
import { checkOauthConfig, deleteConfigIfUnused, deleteTokensOfOthers } from './oauth-configs.ts'
import { revokeConsentsAndTokens } from './passthrough.ts'
import {
  addOauthConfigName,
  decryptHeaders,
  getStoredTool,
  headersLocation,
  type StoredTool,
  toolSnapshot,
  toolVersion,
} from './tools.ts'

/** The returned snapshot shows the headers as they were sent; later reads mask them. */
export async function insertTool(
  { db, secrets }: DatabaseWithSecrets,
  subject: Subject,
  tool: CustomToolCreate,
  now: number,
): Promise<ToolSnapshot> {
  const headers = unmaskHeaders(tool.custom_headers ?? [], [])
  parseToolMethods(tool.definition)
  checkHeaderConflict(tool.passthrough_auth, headers)
  checkGrants(subject, tool)
  return db.transaction().execute(async (trx) => {
    if (tool.oauth_config_id !== null) {
      await checkOauthConfig(trx, subject, tool.oauth_config_id)
      await endTokensOnNewServer(trx, subject, tool.oauth_config_id, tool.definition)
    }
    const { id } = await trx
      .insertInto('tool')
      .values({
        name: tool.name,
        display_name: null,
        description: tool.description ?? '',
        definition: JSON.stringify(tool.definition),
        in_code_tool_id: null,
        custom_headers: null,
        passthrough_auth: tool.passthrough_auth ? 1 : 0,
        mcp_server_id: null,
        user_id: subject.user_id,
        oauth_config_id: tool.oauth_config_id,
        enabled: 1,
        chat_selectable: 1,
        agent_creation_selectable: 1,
        held_off: 0,
        default_enabled: 0,
        requires_confirmation: tool.requires_confirmation === false ? 0 : 1,
        is_public: (tool.is_public ?? canShareTools(subject)) ? 1 : 0,
        ...grantToColumns(
          tool.passthrough_auth && canGrantPassthrough(subject) ? createPassthroughGrant(subject.user_id, now) : null,
        ),
        time_created: now,
        time_updated: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const row = await trx
      .updateTable('tool')
      .set({ custom_headers: secrets.seal(JSON.stringify(headers), headersLocation(id)) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return toolSnapshot(await addOauthConfigName(trx, row), headers)
  })
}

/**
 * Changes only the fields that were sent. BUILT_IN_TOOL: the tool is built in. NOT_OWNER: it belongs to another user
 * and the subject is not an administrator. TOOL_CHANGED: it no longer has the version that the caller expects.
 */
export async function updateTool(
  { db, secrets }: DatabaseWithSecrets,
  subject: Subject,
  id: number,
  change: CustomToolUpdate,
  now: number,
): Promise<ToolSnapshot> {
  return db.transaction().execute(async (trx) => {
    const stored = await getOwnTool(trx, subject, id)
    if (change.expected_version !== null && change.expected_version !== toolVersion(stored))
      throw new AppError('TOOL_CHANGED', { id })
    const headers = decryptHeaders(stored, secrets)
    const wanted = change.custom_headers === null ? headers : unmaskHeaders(change.custom_headers, headers)
    const passthrough = change.passthrough_auth ?? stored.passthrough_auth === 1
    if (change.definition !== null && !isEmptyObject(change.definition)) parseToolMethods(change.definition)
    checkHeaderConflict(passthrough, wanted)
    checkHeadersStayOnServer(stored, change, headers)
    checkGrants(subject, change)
    const oauth_config_id = change.oauth_config_id === undefined ? stored.oauth_config_id : change.oauth_config_id
    if (oauth_config_id !== null && oauth_config_id !== stored.oauth_config_id) {
      await checkOauthConfig(trx, subject, oauth_config_id)
    }
    if (oauth_config_id !== null) {
      await endTokensOnNewServer(
        trx,
        subject,
        oauth_config_id,
        change.definition ?? JSON.parse(stored.definition ?? '{}'),
      )
    }
    if (changesBehavior(change)) await revokeConsentsAndTokens(trx, { kind: 'tool', id })
    const row = await trx
      .updateTable('tool')
      .set({
        name: change.name ?? stored.name,
        description: change.description ?? stored.description,
        definition: change.definition === null ? stored.definition : JSON.stringify(change.definition),
        custom_headers: secrets.seal(JSON.stringify(wanted), headersLocation(id)),
        passthrough_auth: passthrough ? 1 : 0,
        oauth_config_id,
        ...sharingColumns(subject, stored, change),
        ...passthroughColumns(subject, stored, change, now),
        time_updated: now,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (stored.oauth_config_id !== null && stored.oauth_config_id !== oauth_config_id) {
      await deleteConfigIfUnused(trx, stored.oauth_config_id)
    }
    return toolSnapshot(await addOauthConfigName(trx, row), change.custom_headers ?? maskHeaders(headers))
  })
}

/** Throws what `updateTool` throws, and TOOL_IN_USE when an agent uses the tool. */
export const deleteTool = ({ db }: Pick<DatabaseWithSecrets, 'db'>, subject: Subject, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { oauth_config_id } = await getOwnTool(trx, subject, id)
    const agents = await trx
      .selectFrom('persona_tool')
      .innerJoin('persona', 'persona.id', 'persona_tool.persona_id')
      .select('persona.name')
      .where('tool_id', '=', id)
      .orderBy('persona.id')
      .limit(MAX_NAMED_AGENTS)
      .execute()
    if (agents.length > 0) throw new AppError('TOOL_IN_USE', { names: agents.map((it) => it.name).join(', ') })
    await trx.deleteFrom('tool_failure').where('tool_id', '=', id).execute()
    await revokeConsentsAndTokens(trx, { kind: 'tool', id })
    await trx.deleteFrom('tool').where('id', '=', id).execute()
    if (oauth_config_id !== null) await deleteConfigIfUnused(trx, oauth_config_id)
  })

const MAX_NAMED_AGENTS = 10

/**
 * Changes all of the tools or none. TOOLS_NOT_FOUND: one does not exist. Administrators may switch built-in tools as
 * well. TOOL_HELD_OFF: an administrator switched the tool off, so only an administrator may switch it on.
 */
export const setToolsEnabled = (
  { db }: Pick<DatabaseWithSecrets, 'db'>,
  subject: Subject,
  { ids, enabled, now }: { ids: readonly number[]; enabled: boolean; now: number },
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const stored = await trx
      .selectFrom('tool')
      .select(['id', 'user_id', 'mcp_server_id', 'enabled', 'held_off'])
      .where('id', 'in', [...ids])
      .execute()
    const missing = ids.filter((id) => !stored.some((it) => it.id === id))
    if (missing.length > 0) throw new AppError('TOOLS_NOT_FOUND', { ids: `[${missing.join(', ')}]` })
    if (!stored.every((it) => isOwnTool(it, subject))) throw new AppError('NOT_OWNER')
    if (enabled) checkHeldOff(stored, subject)
    const chosen = enabled ? stored.filter((it) => it.enabled === 0) : []
    if (!canShareTools(subject))
      for (const { mcp_server_id } of chosen) if (mcp_server_id !== null) await unshareMcpServer(trx, mcp_server_id)
    await trx
      .updateTable('tool')
      .set({ enabled: enabled ? 1 : 0, time_updated: now })
      .where('id', 'in', [...ids])
      .execute()
    if (!subject.rights.has('admin')) return
    const foreign = stored.filter((it) => it.user_id !== subject.user_id).map((it) => it.id)
    const changed = enabled ? [...ids] : foreign
    if (changed.length === 0) return
    await trx
      .updateTable('tool')
      .set({ held_off: enabled ? 0 : 1 })
      .where('id', 'in', changed)
      .execute()
  })

/** Throws TOOL_HELD_OFF when only an administrator may switch on one of these tools. */
export function checkHeldOff(tools: readonly Pick<StoredTool, 'id' | 'held_off'>[], subject: Subject): void {
  const held = tools.find((it) => it.held_off === 1)
  if (held !== undefined && !subject.rights.has('admin')) throw new AppError('TOOL_HELD_OFF', { id: `${held.id}` })
}

/** Throws BUILT_IN_TOOL and NOT_OWNER like `updateTool`. */
export async function getOwnTool(db: Queryable, subject: Subject, id: number): Promise<StoredTool> {
  const stored = await getStoredTool(db, id)
  if (stored.in_code_tool_id !== null) throw new AppError('BUILT_IN_TOOL')
  if (stored.mcp_server_id !== null) {
    const reason = `This tool belongs to MCP server ${stored.mcp_server_id}: select its tools with POST /admin/mcp/servers/update.`
    throw new AppError('INVALID_INPUT', { reason })
  }
  if (!isOwnTool(stored, subject)) throw new AppError('NOT_OWNER')
  return stored
}

const isOwnTool = (tool: Pick<StoredTool, 'user_id'>, subject: Subject) =>
  tool.user_id === subject.user_id || subject.rights.has('admin')

/** An update may send an empty definition to remove it; the wire format allows that. */
const isEmptyObject = (definition: object) => Object.keys(definition).length === 0

/** Without the right to do so, nobody shares a tool with all users or removes its confirmation. */
function checkGrants(
  subject: Subject,
  { requires_confirmation, is_public }: Pick<CustomToolUpdate, 'requires_confirmation' | 'is_public'>,
): void {
  if (requires_confirmation === false && !subject.rights.has('admin')) {
    throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'admin' })
  }
  if (is_public === true && !canShareTools(subject))
    throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'connectors' })
}

/**
 * Headers are meant for the server for which they were entered. A user who names another server must know them and send
 * them again.
 */
function checkHeadersStayOnServer(
  stored: StoredTool,
  { definition, custom_headers }: CustomToolUpdate,
  headers: Header[],
): void {
  if (definition === null || serverOriginOf(definition) === serverOriginOf(JSON.parse(stored.definition ?? '{}')))
    return
  const isKept = ({ value }: Header) => custom_headers?.some((it) => it.value === maskSecret(value)) ?? true
  if (!headers.some(isKept)) return
  const reason =
    '`definition` names another server. Send `custom_headers` again with their values, or an empty list, so that this server does not receive the stored ones.'
  throw new AppError('INVALID_INPUT', { reason })
}

/** Runs before the tool is written, while the stored tools are still the ones that people agreed to. */
async function endTokensOnNewServer(
  trx: Queryable,
  subject: Subject,
  id: number,
  definition: Record<string, unknown>,
): Promise<void> {
  const tools = await trx.selectFrom('tool').select('definition').where('oauth_config_id', '=', id).execute()
  const known = tools.map((it) => serverOriginOf(JSON.parse(it.definition ?? '{}')))
  await deleteTokensOfOthers(trx, subject, id, { origin: serverOriginOf(definition), known })
}

const serverOriginOf = (definition: Record<string, unknown>) => httpOriginOf(singleServer(definition)?.url ?? '')

/**
 * The grant ends when a user other than an administrator changes what the tool does. An administrator grants it by
 * switching `passthrough_auth` on, but not by sending back an unchanged value.
 */
function passthroughColumns(
  subject: Subject,
  stored: StoredTool,
  change: CustomToolUpdate,
  now: number,
): PassthroughGrantColumns | undefined {
  const wanted = change.passthrough_auth ?? stored.passthrough_auth === 1
  if (!wanted) return grantToColumns(null)
  if (!changesBehavior(change)) return undefined
  if (!canGrantPassthrough(subject)) return grantToColumns(null)
  return stored.passthrough_auth === 0 ? grantToColumns(createPassthroughGrant(subject.user_id, now)) : undefined
}

/** Lets an administrator allow that the tool receives tokens of users other than its owner, at the given address. */
export const grantToolPassthrough = (
  { db, secrets }: DatabaseWithSecrets,
  subject: Subject,
  id: number,
  { server_url, now }: { server_url: string; now: number },
): Promise<ToolSnapshot> =>
  db.transaction().execute(async (trx) => {
    const stored = await getOwnTool(trx, subject, id)
    const server = stored.definition === null ? undefined : singleServer(JSON.parse(stored.definition))
    if (stored.passthrough_auth !== 1) {
      throw new AppError('INVALID_INPUT', {
        reason: 'This tool does not use `passthrough_auth`, so it receives no token.',
      })
    }
    if (server?.url !== server_url) {
      const reason = `The tool calls ${server?.url ?? 'no server'}, not \`server_url\`. Read the tool again and grant what you see.`
      throw new AppError('INVALID_INPUT', { reason })
    }
    return writeToolGrant({ db: trx, secrets }, id, createPassthroughGrant(subject.user_id, now))
  })

/** Ends all consents and revokes the tokens that the tool received. */
export const revokeToolPassthrough = (
  { db, secrets }: DatabaseWithSecrets,
  subject: Subject,
  id: number,
): Promise<ToolSnapshot> =>
  db.transaction().execute(async (trx) => {
    await getOwnTool(trx, subject, id)
    await revokeConsentsAndTokens(trx, { kind: 'tool', id })
    return writeToolGrant({ db: trx, secrets }, id, null)
  })

async function writeToolGrant(
  { db, secrets }: QueryableWithSecrets,
  id: number,
  grant: PassthroughGrant | null,
): Promise<ToolSnapshot> {
  const row = await db
    .updateTable('tool')
    .set(grantToColumns(grant))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toolSnapshot(await addOauthConfigName(db, row), maskHeaders(decryptHeaders(row, secrets)))
}

/** Tells whether the change makes it a different tool from the one that others have reviewed. */
const changesBehavior = ({
  definition,
  passthrough_auth,
  custom_headers,
  oauth_config_id,
}: CustomToolUpdate): boolean =>
  [definition, passthrough_auth, custom_headers].some((it) => it !== null) || typeof oauth_config_id === 'number'

/** Grants apply to what was reviewed, so they end when the owner changes the tool. */
function sharingColumns(
  subject: Subject,
  stored: StoredTool,
  { requires_confirmation, is_public, ...change }: CustomToolUpdate,
): Pick<StoredTool, 'requires_confirmation' | 'is_public'> {
  const isOther = changesBehavior({ ...change, requires_confirmation, is_public })
  const asked = toOptionalFlag(requires_confirmation) ?? (isOther && !subject.rights.has('admin') ? 1 : undefined)
  const shared = toOptionalFlag(is_public) ?? (isOther && !canShareTools(subject) ? 0 : undefined)
  return {
    requires_confirmation: asked ?? stored.requires_confirmation,
    is_public: shared ?? stored.is_public,
  }
}

const toOptionalFlag = (value: boolean | null): SqlFlag | undefined => (value === null ? undefined : toSqlFlag(value))
