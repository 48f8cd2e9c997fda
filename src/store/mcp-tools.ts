// The tools that remote servers offer, as rows of `tool`: what they were when the server was last asked is what a model sees.
import { AppError } from '../domain/errors.ts'
import type { ToolSnapshot } from '../domain/tool.ts'
import type { Database, Queries } from './database.ts'
import { snapshot } from './tools.ts'

/** As a server tells it, looked over. */
export interface OfferedTool {
  name: string
  display_name: string | null
  description: string
  input_schema: Readonly<Record<string, unknown>>
  /** It says of itself that it changes nothing. */
  is_read_only: boolean
}

export interface StoredMcpTool extends OfferedTool {
  id: number
  mcp_server_id: number
  enabled: boolean
}

/**
 * Takes over what a server offers. The tools of the first time are switched on: that is what the server was connected
 * for. What comes later is off until somebody chooses it, and what is not offered any more keeps its place and is not called.
 */
export const syncMcpTools = (
  db: Database,
  { id: mcp_server_id, user_id, is_public }: { id: number; user_id: string; is_public: boolean },
  offered: readonly OfferedTool[],
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const stored = await rowsOf(trx, [mcp_server_id]).execute()
    const gone = stored.filter((it) => !offered.some((tool) => tool.name === it.name)).map((it) => it.id)
    if (gone.length > 0) await trx.updateTable('mcp_tool').set({ is_offered: 0 }).where('tool_id', 'in', gone).execute()
    const enabled = stored.length === 0 ? 1 : 0
    for (const tool of offered) {
      const id = stored.find((it) => it.name === tool.name)?.id
      if (id === undefined)
        await insertOffered(trx, tool, { mcp_server_id, user_id, enabled, is_public: is_public ? 1 : 0, now })
      else await updateOffered(trx, id, tool, now)
    }
  })

async function insertOffered(
  trx: Queries,
  tool: OfferedTool,
  { now, ...row }: { mcp_server_id: number; user_id: string; enabled: 0 | 1; is_public: 0 | 1; now: number },
): Promise<void> {
  const { id } = await trx
    .insertInto('tool')
    .values({
      name: tool.name,
      display_name: tool.display_name,
      description: tool.description,
      definition: null,
      in_code_tool_id: null,
      custom_headers: null,
      passthrough_auth: 0,
      requires_confirmation: tool.is_read_only ? 0 : 1,
      oauth_config_id: null,
      chat_selectable: 1,
      agent_creation_selectable: 1,
      default_enabled: 0,
      time_created: now,
      time_updated: now,
      ...row,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('mcp_tool')
    .values({ tool_id: id, ...columnsOf(tool) })
    .execute()
}

async function updateOffered(trx: Queries, id: number, tool: OfferedTool, now: number): Promise<void> {
  const { display_name, description } = tool
  const requires_confirmation = tool.is_read_only ? 0 : 1
  await trx
    .updateTable('tool')
    .set({ display_name, description, requires_confirmation, time_updated: now })
    .where('id', '=', id)
    .execute()
  await trx.updateTable('mcp_tool').set(columnsOf(tool)).where('tool_id', '=', id).execute()
}

const columnsOf = ({ input_schema, is_read_only }: OfferedTool) => ({
  input_schema: JSON.stringify(input_schema),
  is_read_only: is_read_only ? (1 as const) : (0 as const),
  is_offered: 1 as const,
})

/** Switches these on and all others of the server off. One that is not there is INVALID_INPUT. */
export const selectMcpTools = (
  db: Database,
  serverId: number,
  names: readonly string[],
  now: number,
): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const stored = await rowsOf(trx, [serverId]).execute()
    const unknown = names.filter((it) => !stored.some((tool) => tool.name === it))
    if (unknown.length > 0) {
      const reason = `The server has no tool "${unknown[0]}". GET /admin/mcp/server/${serverId}/tools/snapshots?source=mcp asks it which it has.`
      throw new AppError('INVALID_INPUT', { reason })
    }
    for (const { id, name } of stored) {
      await trx
        .updateTable('tool')
        .set({ enabled: names.includes(name) ? 1 : 0, time_updated: now })
        .where('id', '=', id)
        .execute()
    }
    return new Set(names).size
  })

/** Of these servers, in order of their ids, switched on or off. */
export async function listMcpToolSnapshots(db: Queries, serverIds: readonly number[]): Promise<ToolSnapshot[]> {
  const ids = (await rowsOf(db, serverIds).execute()).map((it) => it.id)
  if (ids.length === 0) return []
  const rows = await db.selectFrom('tool').selectAll().where('id', 'in', ids).orderBy('id').execute()
  return rows.map((row) => snapshot({ ...row, oauth_config_name: null }, null))
}

/** What can be called now: switched on, and still offered. */
export async function listCallableMcpTools(db: Queries, serverIds: readonly number[]): Promise<StoredMcpTool[]> {
  const rows = await rowsOf(db, serverIds).where('enabled', '=', 1).where('is_offered', '=', 1).execute()
  return rows.map(({ input_schema, is_read_only, enabled, ...row }) => ({
    ...row,
    // The join has made sure of it.
    mcp_server_id: row.mcp_server_id!,
    input_schema: JSON.parse(input_schema),
    is_read_only: is_read_only === 1,
    enabled: enabled === 1,
  }))
}

export async function countMcpTools(db: Queries): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('tool')
    .innerJoin('mcp_tool', 'mcp_tool.tool_id', 'tool.id')
    .select((it) => ['mcp_server_id', it.fn.countAll<number>().as('count')])
    .groupBy('mcp_server_id')
    .execute()
  return new Map(rows.map(({ mcp_server_id, count }) => [mcp_server_id!, count]))
}

/** The servers whose tools the persona has. */
export async function listServersOfPersona(db: Queries, personaId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('persona_tool')
    .innerJoin('tool', 'tool.id', 'persona_tool.tool_id')
    .select('mcp_server_id')
    .distinct()
    .where('persona_id', '=', personaId)
    .where('mcp_server_id', 'is not', null)
    .execute()
  return rows.map((it) => it.mcp_server_id!)
}

export async function deleteToolsOfServer(trx: Queries, serverId: number): Promise<void> {
  const own = trx.selectFrom('tool').select('id').where('mcp_server_id', '=', serverId)
  await trx.deleteFrom('persona_tool').where('tool_id', 'in', own).execute()
  await trx.deleteFrom('mcp_tool').where('tool_id', 'in', own).execute()
  await trx.deleteFrom('tool').where('mcp_server_id', '=', serverId).execute()
}

/** An empty list is no SQL; no server has the number -1. */
const rowsOf = (db: Queries, serverIds: readonly number[]) =>
  db
    .selectFrom('tool')
    .innerJoin('mcp_tool', 'mcp_tool.tool_id', 'tool.id')
    .select([
      'tool.id',
      'mcp_server_id',
      'name',
      'display_name',
      'description',
      'enabled',
      'input_schema',
      'is_read_only',
    ])
    .where('mcp_server_id', 'in', [-1, ...serverIds])
    .orderBy('tool.id')
