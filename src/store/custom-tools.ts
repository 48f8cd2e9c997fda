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
import type { SecretBox } from './secret-box.ts'
import { findTool, headersOf, placeOfHeaders, type StoredTool, snapshot } from './tools.ts'

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
  checkOauthConfig(tool.oauth_config_id)
  const row = await db.transaction().execute(async (trx) => {
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
        oauth_config_id: null,
        enabled: 1,
        chat_selectable: 1,
        agent_creation_selectable: 1,
        default_enabled: 0,
        time_created: now,
        time_updated: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return trx
      .updateTable('tool')
      .set({ custom_headers: secrets.seal(JSON.stringify(headers), placeOfHeaders(id)) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return snapshot(row, headers)
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
    checkOauthConfig(change.oauth_config_id)
    const row = await trx
      .updateTable('tool')
      .set({
        name: change.name ?? stored.name,
        description: change.description ?? stored.description,
        definition: change.definition === null ? stored.definition : JSON.stringify(change.definition),
        custom_headers: secrets.seal(JSON.stringify(wanted), placeOfHeaders(id)),
        passthrough_auth: passthrough ? 1 : 0,
        oauth_config_id: change.oauth_config_id === null ? null : stored.oauth_config_id,
        time_updated: now,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return snapshot(row, change.custom_headers ?? maskHeaders(headers))
  })
}

/** Refuses what `updateTool` refuses. */
export const deleteTool = ({ db }: Pick<Store, 'db'>, subject: Subject, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await findOwnTool(trx, subject, id)
    await trx.deleteFrom('tool').where('id', '=', id).execute()
  })

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

async function findOwnTool(db: Queries, subject: Subject, id: number): Promise<StoredTool> {
  const stored = await findTool(db, id)
  if (stored.in_code_tool_id !== null) throw new AppError('BUILT_IN_TOOL')
  if (!isOwn(stored, subject)) throw new AppError('NOT_OWNER')
  return stored
}

const isOwn = (tool: Pick<StoredTool, 'user_id'>, subject: Subject) =>
  tool.user_id === subject.user_id || subject.rights.has('admin')

/** An update may take the definition away: the wire has it so. */
const isEmpty = (definition: object) => Object.keys(definition).length === 0

/** No configuration can be stored yet, so every id is unknown. */
function checkOauthConfig(id: number | null | undefined): void {
  if (typeof id === 'number') throw new AppError('OAUTH_CONFIG_NOT_FOUND', { id })
}
