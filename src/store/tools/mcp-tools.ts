// Tools of remote servers as rows of `tool`. Models see them as they were at the last refresh.

import type { NotNull } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import { canShareTools, type Subject } from '../../domain/subject.ts'
import type { ToolSnapshot } from '../../domain/tools/tool.ts'
import type { Database, Queryable } from '../database/database.ts'
import { checkHeldOff } from './custom-tools.ts'
import { unshareMcpServer } from './mcp-grants.ts'
import { toolSnapshot } from './tools.ts'

/** A tool as its server describes it, validated. */
export interface OfferedTool {
  name: string
  display_name: string | null
  description: string
  input_schema: Readonly<Record<string, unknown>>
  /** The server declares that the tool changes nothing. */
  is_read_only: boolean
}

export interface StoredMcpTool extends OfferedTool {
  id: number
  mcp_server_id: number
  enabled: boolean
}

/**
 * Stores the tools that a server offers. The tools of the first sync are switched on. Tools that appear later stay off
 * until they are selected; tools that disappear keep their row and are not called. `isTrusted`: the subject who
 * refreshed may decide what other users get. Otherwise new and changed tools are off as well.
 */
export const syncMcpTools = (
  db: Database,
  { id: mcp_server_id, user_id, is_public }: { id: number; user_id: string; is_public: boolean },
  offered: readonly OfferedTool[],
  { now, isTrusted }: { now: number; isTrusted: boolean },
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const stored = await queryMcpTools(trx, [mcp_server_id]).execute()
    const withdrawnIds = stored.filter((it) => !offered.some((tool) => tool.name === it.name)).map((it) => it.id)
    if (withdrawnIds.length > 0)
      await trx.updateTable('mcp_tool').set({ is_offered: 0 }).where('tool_id', 'in', withdrawnIds).execute()
    const enabled = stored.length === 0 && isTrusted ? 1 : 0
    for (const tool of offered) {
      const known = stored.find((it) => it.name === tool.name)
      if (known === undefined) {
        await insertOfferedTool(trx, tool, { mcp_server_id, user_id, enabled, is_public: is_public ? 1 : 0, now })
        continue
      }
      await updateOfferedTool(trx, known.id, tool, now)
      if (isTrusted || isUnchangedTool(known, tool)) continue
      await trx.updateTable('tool').set({ enabled: 0 }).where('id', '=', known.id).execute()
    }
  })

function isUnchangedTool(known: OfferedToolColumns, { display_name, description, ...tool }: OfferedTool): boolean {
  const { input_schema, is_read_only } = mcpToolColumns({ ...tool, display_name, description })
  return (
    known.display_name === display_name &&
    known.description === description &&
    known.input_schema === input_schema &&
    known.is_read_only === is_read_only
  )
}

type OfferedToolColumns = Pick<OfferedTool, 'display_name' | 'description'> & {
  input_schema: string
  is_read_only: 0 | 1
}

async function insertOfferedTool(
  trx: Queryable,
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
      held_off: 0,
      default_enabled: 0,
      time_created: now,
      time_updated: now,
      ...row,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('mcp_tool')
    .values({ tool_id: id, ...mcpToolColumns(tool) })
    .execute()
}

async function updateOfferedTool(trx: Queryable, id: number, tool: OfferedTool, now: number): Promise<void> {
  const { display_name, description } = tool
  const requires_confirmation = tool.is_read_only ? 0 : 1
  await trx
    .updateTable('tool')
    .set({ display_name, description, requires_confirmation, time_updated: now })
    .where('id', '=', id)
    .execute()
  await trx.updateTable('mcp_tool').set(mcpToolColumns(tool)).where('tool_id', '=', id).execute()
}

const mcpToolColumns = ({ input_schema, is_read_only }: OfferedTool) => ({
  input_schema: JSON.stringify(input_schema),
  is_read_only: is_read_only ? (1 as const) : (0 as const),
  is_offered: 1 as const,
})

/**
 * Switches these tools on and all others of the server off. INVALID_INPUT: a name is unknown. Nobody else was offered a
 * tool that was off, so sharing ends if the subject may not share.
 */
export const setEnabledMcpTools = (
  db: Database,
  subject: Subject,
  { serverId, names }: { serverId: number; names: readonly string[] },
  now: number,
): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const stored = await queryMcpTools(trx, [serverId]).execute()
    const unknown = names.filter((it) => !stored.some((tool) => tool.name === it))
    if (unknown.length > 0) {
      const reason = `The server has no tool "${unknown[0]}". GET /admin/mcp/server/${serverId}/tools/snapshots?source=mcp lists its tools.`
      throw new AppError('INVALID_INPUT', { reason })
    }
    const chosen = stored.filter((it) => it.enabled === 0 && names.includes(it.name))
    checkHeldOff(chosen, subject)
    const isMore = chosen.length > 0
    if (isMore && !canShareTools(subject)) await unshareMcpServer(trx, serverId)
    for (const tool of stored) {
      await trx
        .updateTable('tool')
        .set({ ...enabledColumns(tool, { isOn: names.includes(tool.name), subject }), time_updated: now })
        .where('id', '=', tool.id)
        .execute()
    }
    return new Set(names).size
  })

/**
 * Like `setToolsEnabled`: a tool of another user that an administrator switched off is switched on only by an
 * administrator.
 */
function enabledColumns(
  { enabled, held_off, user_id }: { enabled: 0 | 1; held_off: 0 | 1; user_id: string | null },
  { isOn, subject }: { isOn: boolean; subject: Subject },
): { enabled: 0 | 1; held_off: 0 | 1 } {
  if (isOn) return { enabled: 1, held_off: 0 }
  const isTaken = enabled === 1 && subject.rights.has('admin') && user_id !== subject.user_id
  return { enabled: 0, held_off: isTaken ? 1 : held_off }
}

/** Lists the tools of these servers, on or off, in order of their ids. */
export async function listMcpToolSnapshots(db: Queryable, serverIds: readonly number[]): Promise<ToolSnapshot[]> {
  const ids = (await queryMcpTools(db, serverIds).execute()).map((it) => it.id)
  if (ids.length === 0) return []
  const rows = await db.selectFrom('tool').selectAll().where('id', 'in', ids).orderBy('id').execute()
  return rows.map((row) => toolSnapshot({ ...row, oauth_config_name: null }, null))
}

/** A stored tool with what its server last said of it. */
export interface StoredMcpToolSnapshot extends ToolSnapshot, Pick<OfferedTool, 'input_schema' | 'is_read_only'> {
  /** False if the server no longer offers the tool. */
  is_offered: boolean
}

/** Like `listMcpToolSnapshots`, for one server. */
export async function listStoredMcpTools(db: Queryable, serverId: number): Promise<StoredMcpToolSnapshot[]> {
  const rows = await db
    .selectFrom('tool')
    .innerJoin('mcp_tool', 'mcp_tool.tool_id', 'tool.id')
    .selectAll('tool')
    .select(['input_schema', 'is_read_only', 'is_offered'])
    .where('mcp_server_id', '=', serverId)
    .orderBy('tool.id')
    .execute()
  return rows.map(({ input_schema, is_read_only, is_offered, ...row }) => ({
    ...toolSnapshot({ ...row, oauth_config_name: null }, null),
    input_schema: JSON.parse(input_schema),
    is_read_only: is_read_only === 1,
    is_offered: is_offered === 1,
  }))
}

/** Lists the callable tools: switched on and still offered. */
export async function listCallableMcpTools(db: Queryable, serverIds: readonly number[]): Promise<StoredMcpTool[]> {
  const rows = await queryMcpTools(db, serverIds).where('enabled', '=', 1).where('is_offered', '=', 1).execute()
  return rows.map(({ input_schema, is_read_only, enabled, ...row }) => ({
    ...row,
    input_schema: JSON.parse(input_schema),
    is_read_only: is_read_only === 1,
    enabled: enabled === 1,
  }))
}

export async function countMcpTools(db: Queryable): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('tool')
    .innerJoin('mcp_tool', 'mcp_tool.tool_id', 'tool.id')
    .select((it) => ['mcp_server_id', it.fn.countAll<number>().as('count')])
    .groupBy('mcp_server_id')
    .$narrowType<{ mcp_server_id: NotNull }>()
    .execute()
  return new Map(rows.map(({ mcp_server_id, count }) => [mcp_server_id, count]))
}

/** Lists the servers of the persona's tools. */
export async function listMcpServersOfPersona(db: Queryable, personaId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('persona_tool')
    .innerJoin('tool', 'tool.id', 'persona_tool.tool_id')
    .select('mcp_server_id')
    .distinct()
    .where('persona_id', '=', personaId)
    .where('mcp_server_id', 'is not', null)
    .$narrowType<{ mcp_server_id: NotNull }>()
    .execute()
  return rows.map((it) => it.mcp_server_id)
}

export async function deleteMcpTools(trx: Queryable, serverId: number): Promise<void> {
  const own = trx.selectFrom('tool').select('id').where('mcp_server_id', '=', serverId)
  await trx.deleteFrom('persona_tool').where('tool_id', 'in', own).execute()
  await trx.deleteFrom('mcp_tool').where('tool_id', 'in', own).execute()
  await trx.deleteFrom('tool').where('mcp_server_id', '=', serverId).execute()
}

/** SQL has no empty list; no server has the id -1. */
const queryMcpTools = (db: Queryable, serverIds: readonly number[]) =>
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
      'held_off',
      'user_id',
      'input_schema',
      'is_read_only',
    ])
    .where('mcp_server_id', 'in', [-1, ...serverIds])
    .$narrowType<{ mcp_server_id: NotNull }>()
    .orderBy('tool.id')
