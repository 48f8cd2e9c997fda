import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import {
  type CustomToolCreate,
  type CustomToolUpdate,
  checkHeaders,
  type Header,
  maskHeaders,
  type ToolSnapshot,
  unmaskHeaders,
} from '../domain/tool.ts'
import type { Database, Queries } from './database.ts'
import type { SecretBox } from './secret-box.ts'
import type { ToolRow } from './tables.ts'

type StoredTool = Selectable<ToolRow>
const place = (id: number) => `tool/${id}/custom_headers`

/** The snapshot shows the headers as they were sent; later reads mask them. */
export async function insertTool(
  { db, secrets }: { db: Database; secrets: SecretBox },
  subject: Subject,
  tool: CustomToolCreate,
  now: number,
): Promise<ToolSnapshot> {
  const headers = tool.custom_headers ?? []
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
      .set({ custom_headers: secrets.seal(JSON.stringify(headers), place(id)) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return snapshot(row, headers)
}

/** Changes only what was sent. Built-in tools are BUILT_IN_TOOL, other people's are NOT_OWNER but for administrators. */
export async function updateTool(
  { db, secrets }: { db: Database; secrets: SecretBox },
  subject: Subject,
  id: number,
  change: CustomToolUpdate,
  now: number,
): Promise<ToolSnapshot> {
  return db.transaction().execute(async (trx) => {
    const stored = await findTool(trx, id)
    if (stored.in_code_tool_id !== null) throw new AppError('BUILT_IN_TOOL')
    if (stored.user_id !== subject.user_id && !subject.rights.has('admin')) throw new AppError('NOT_OWNER')
    const headers = headersOf(stored, secrets)
    const wanted = change.custom_headers === null ? headers : unmaskHeaders(change.custom_headers, headers)
    const passthrough = change.passthrough_auth ?? stored.passthrough_auth === 1
    checkHeaders(passthrough, wanted)
    checkOauthConfig(change.oauth_config_id)
    const row = await trx
      .updateTable('tool')
      .set({
        name: change.name ?? stored.name,
        description: change.description ?? stored.description,
        definition: change.definition === null ? stored.definition : JSON.stringify(change.definition),
        custom_headers: secrets.seal(JSON.stringify(wanted), place(id)),
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

export async function getTool({ db, secrets }: { db: Queries; secrets: SecretBox }, id: number): Promise<ToolSnapshot> {
  const row = await findTool(db, id)
  return snapshot(row, row.custom_headers === null ? null : maskHeaders(headersOf(row, secrets)))
}

async function findTool(db: Queries, id: number): Promise<StoredTool> {
  const row = await db.selectFrom('tool').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('TOOL_NOT_FOUND')
  return row
}

const headersOf = (row: StoredTool, secrets: SecretBox): Header[] =>
  row.custom_headers === null ? [] : JSON.parse(secrets.open(row.custom_headers, place(row.id)))

/** No configuration can be stored yet, so every id is unknown. */
function checkOauthConfig(id: number | null | undefined): void {
  if (typeof id === 'number') throw new AppError('OAUTH_CONFIG_NOT_FOUND', { id })
}

function snapshot(row: StoredTool, custom_headers: readonly Header[] | null): ToolSnapshot {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    definition: row.definition === null ? null : JSON.parse(row.definition),
    display_name: row.display_name ?? row.name,
    in_code_tool_id: row.in_code_tool_id,
    custom_headers: custom_headers === null ? null : [...custom_headers],
    passthrough_auth: row.passthrough_auth === 1,
    mcp_server_id: row.mcp_server_id,
    user_id: row.user_id,
    oauth_config_id: row.oauth_config_id,
    oauth_config_name: null,
    enabled: row.enabled === 1,
    chat_selectable: row.chat_selectable === 1,
    agent_creation_selectable: row.agent_creation_selectable === 1,
    default_enabled: row.default_enabled === 1,
  }
}
