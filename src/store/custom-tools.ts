// What the owner of a tool, or an administrator, may do to it.
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import {
  type CustomToolCreate,
  type CustomToolUpdate,
  checkHeaders,
  maskHeaders,
  type ToolSnapshot,
  unmaskHeaders,
} from '../domain/tool.ts'
import { methodsOf } from '../domain/tool-definition.ts'
import type { Database, Queries } from './database.ts'
import { checkOauthConfig, dropOrphan } from './oauth-configs.ts'
import type { SecretBox } from './secret-box.ts'
import { findTool, headersOf, nameOfOauthConfig, placeOfHeaders, type StoredTool, snapshot } from './tools.ts'

interface Store {
  db: Database
  secrets: SecretBox
}

/** The snapshot shows the headers as they were sent; later reads mask them. */
export async function insertTool(
  { db, secrets }: Store,
  subject: Subject,
  tool: CustomToolCreate,
  now: number,
): Promise<ToolSnapshot> {
  const headers = unmaskHeaders(tool.custom_headers ?? [], [])
  methodsOf(tool.definition)
  checkHeaders(tool.passthrough_auth, headers)
  checkGrants(subject, tool)
  return db.transaction().execute(async (trx) => {
    if (tool.oauth_config_id !== null) await checkOauthConfig(trx, subject, tool.oauth_config_id)
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
        default_enabled: 0,
        requires_confirmation: tool.requires_confirmation === false ? 0 : 1,
        is_public: (tool.is_public ?? mayShare(subject)) ? 1 : 0,
        time_created: now,
        time_updated: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const row = await trx
      .updateTable('tool')
      .set({ custom_headers: secrets.seal(JSON.stringify(headers), placeOfHeaders(id)) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return snapshot(await nameOfOauthConfig(trx, row), headers)
  })
}

/** Changes only what was sent. Built-in tools are BUILT_IN_TOOL, other people's are NOT_OWNER but for administrators. */
export async function updateTool(
  { db, secrets }: Store,
  subject: Subject,
  id: number,
  change: CustomToolUpdate,
  now: number,
): Promise<ToolSnapshot> {
  return db.transaction().execute(async (trx) => {
    const stored = await findOwnTool(trx, subject, id)
    const headers = headersOf(stored, secrets)
    const wanted = change.custom_headers === null ? headers : unmaskHeaders(change.custom_headers, headers)
    const passthrough = change.passthrough_auth ?? stored.passthrough_auth === 1
    if (change.definition !== null && !isEmpty(change.definition)) methodsOf(change.definition)
    checkHeaders(passthrough, wanted)
    checkGrants(subject, change)
    const oauth_config_id = change.oauth_config_id === undefined ? stored.oauth_config_id : change.oauth_config_id
    if (oauth_config_id !== null && oauth_config_id !== stored.oauth_config_id) {
      await checkOauthConfig(trx, subject, oauth_config_id)
    }
    const row = await trx
      .updateTable('tool')
      .set({
        name: change.name ?? stored.name,
        description: change.description ?? stored.description,
        definition: change.definition === null ? stored.definition : JSON.stringify(change.definition),
        custom_headers: secrets.seal(JSON.stringify(wanted), placeOfHeaders(id)),
        passthrough_auth: passthrough ? 1 : 0,
        oauth_config_id,
        ...grantsOf(subject, stored, change),
        time_updated: now,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (stored.oauth_config_id !== null && stored.oauth_config_id !== oauth_config_id) {
      await dropOrphan(trx, stored.oauth_config_id)
    }
    return snapshot(await nameOfOauthConfig(trx, row), change.custom_headers ?? maskHeaders(headers))
  })
}

/** Refuses what `updateTool` refuses, and with TOOL_IN_USE one that an agent has. */
export const deleteTool = ({ db }: Pick<Store, 'db'>, subject: Subject, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { oauth_config_id } = await findOwnTool(trx, subject, id)
    const users = await trx
      .selectFrom('persona_tool')
      .innerJoin('persona', 'persona.id', 'persona_tool.persona_id')
      .select('persona.name')
      .where('tool_id', '=', id)
      .orderBy('persona.id')
      .limit(MAX_NAMED)
      .execute()
    if (users.length > 0) throw new AppError('TOOL_IN_USE', { names: users.map((it) => it.name).join(', ') })
    await trx.deleteFrom('tool_failure').where('tool_id', '=', id).execute()
    await trx.deleteFrom('tool').where('id', '=', id).execute()
    if (oauth_config_id !== null) await dropOrphan(trx, oauth_config_id)
  })

const MAX_NAMED = 10

/** All of them or none. One that is not there is TOOLS_NOT_FOUND; administrators switch built-in tools too. */
export const switchTools = (
  { db }: Pick<Store, 'db'>,
  subject: Subject,
  { ids, enabled, now }: { ids: readonly number[]; enabled: boolean; now: number },
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const stored = await trx
      .selectFrom('tool')
      .select(['id', 'user_id'])
      .where('id', 'in', [...ids])
      .execute()
    const missing = ids.filter((id) => !stored.some((it) => it.id === id))
    if (missing.length > 0) throw new AppError('TOOLS_NOT_FOUND', { ids: `[${missing.join(', ')}]` })
    if (!stored.every((it) => isOwn(it, subject))) throw new AppError('NOT_OWNER')
    await trx
      .updateTable('tool')
      .set({ enabled: enabled ? 1 : 0, time_updated: now })
      .where('id', 'in', [...ids])
      .execute()
  })

/** BUILT_IN_TOOL and NOT_OWNER, as it is for `updateTool`. */
export async function findOwnTool(db: Queries, subject: Subject, id: number): Promise<StoredTool> {
  const stored = await findTool(db, id)
  if (stored.in_code_tool_id !== null) throw new AppError('BUILT_IN_TOOL')
  if (stored.mcp_server_id !== null) {
    const reason = `This tool belongs to MCP server ${stored.mcp_server_id}: choose its tools with POST /admin/mcp/servers/update.`
    throw new AppError('INVALID_INPUT', { reason })
  }
  if (!isOwn(stored, subject)) throw new AppError('NOT_OWNER')
  return stored
}

const isOwn = (tool: Pick<StoredTool, 'user_id'>, subject: Subject) =>
  tool.user_id === subject.user_id || subject.rights.has('admin')

/** An update may take the definition away: the wire has it so. */
const isEmpty = (definition: object) => Object.keys(definition).length === 0

/** Others act by a tool that is shared: what it does with their words is looked at by who looks after the service. */
const mayShare = ({ rights }: Subject) => rights.has('connectors')

/** Nobody shares a tool of their own with all, or takes the question away that is asked before it writes. */
function checkGrants(
  subject: Subject,
  { requires_confirmation, is_public }: Pick<CustomToolUpdate, 'requires_confirmation' | 'is_public'>,
): void {
  if (requires_confirmation === false && !subject.rights.has('admin')) {
    throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'admin' })
  }
  if (is_public === true && !mayShare(subject)) throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'connectors' })
}

/** What was granted was granted for what was seen: it ends when the owner makes another tool of it. */
function grantsOf(
  subject: Subject,
  stored: StoredTool,
  { requires_confirmation, is_public, ...change }: CustomToolUpdate,
): Pick<StoredTool, 'requires_confirmation' | 'is_public'> {
  const isAnother =
    [change.definition, change.passthrough_auth, change.custom_headers].some((it) => it !== null) ||
    typeof change.oauth_config_id === 'number'
  const asked = flag(requires_confirmation) ?? (isAnother && !subject.rights.has('admin') ? 1 : undefined)
  const shared = flag(is_public) ?? (isAnother && !mayShare(subject) ? 0 : undefined)
  return {
    requires_confirmation: asked ?? stored.requires_confirmation,
    is_public: shared ?? stored.is_public,
  }
}

const flag = (value: boolean | null): 0 | 1 | undefined => (value === null ? undefined : value ? 1 : 0)
