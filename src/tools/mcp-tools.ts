// The tools of connected servers, ready to be called in a chat.
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { PacketObject } from '../domain/packet.ts'
import type { Subject } from '../domain/subject.ts'
import { listMcpServers, type StoredMcpServer } from '../store/mcp-servers.ts'
import { listCallableMcpTools, type StoredMcpTool } from '../store/mcp-tools.ts'
import { argumentFault } from './callable.ts'
import { callRemoteTool } from './mcp-client.ts'
import { type RemoteContent, readContent } from './mcp-content.ts'
import { isRefusal, reasonOf } from './mcp-fault.ts'
import type { RemoteNeeds } from './mcp-fetch.ts'
import { SignInNeeded } from './mcp-oauth.ts'
import { checkOf, type Json, standalone } from './schema.ts'
import type { Callable, Tool, ToolResult, ToolRun } from './tool.ts'

/** Those of servers that are connected and open to the subject; `ids`: of these tools alone. */
export async function remoteTools(needs: RemoteNeeds, subject: Subject, ids?: readonly number[]): Promise<Tool[]> {
  const servers = (await listMcpServers(needs.db, subject)).filter((it) => it.status === 'CONNECTED')
  const byId = new Map(servers.map((it) => [it.id, it]))
  const rows = await listCallableMcpTools(needs.db, [...byId.keys()])
  const names = new Set<string>()
  return rows
    .filter((it) => ids === undefined || ids.includes(it.id))
    .map((row) => toolOf(needs, byId.get(row.mcp_server_id)!, row, names))
}

/** As models may write it: https://platform.openai.com/docs/api-reference/chat/create, function names. */
const MAX_NAME = 64

function toolOf(needs: RemoteNeeds, server: StoredMcpServer, row: StoredMcpTool, names: Set<string>): Tool {
  const name = uniqueName(
    `mcp${server.id}_${row.name.replace(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, MAX_NAME),
    row.id,
    names,
  )
  // A schema of strangers may refer to itself, and may hold what models do not take.
  const parameters = { ...standalone({ ...row.input_schema }, row.input_schema), type: 'object' }
  const callable: Callable = {
    name,
    description: `${server.name}: ${row.description || row.display_name || row.name}`,
    parameters,
    call: (args, run) => call(needs, { server, row, name, parameters }, args, run),
  }
  const display_name = row.display_name ?? row.name
  return { id: row.id, name: row.name, display_name, in_code_tool_id: null, callables: [callable] }
}

function uniqueName(wanted: string, id: number, names: Set<string>): string {
  const name = names.has(wanted) ? `${wanted.slice(0, MAX_NAME - 1 - String(id).length)}_${id}` : wanted
  names.add(name)
  return name
}

interface Called {
  server: StoredMcpServer
  row: StoredMcpTool
  name: string
  parameters: Json
}

async function call(
  needs: RemoteNeeds,
  called: Called,
  args: Record<string, unknown>,
  run: ToolRun,
): Promise<ToolResult> {
  const tool = { tool_name: called.name, tool_id: called.row.id }
  run.emit({ type: 'custom_tool_start', ...tool })
  run.emit({ type: 'custom_tool_args', tool_name: called.name, tool_args: args })
  const { result, shown } = await attempt(needs, called, args, run)
  run.emit({ type: 'custom_tool_delta', ...tool, file_ids: null, ...shown })
  return result
}

type Delta = Extract<PacketObject, { type: 'custom_tool_delta' }>
interface Outcome {
  result: ToolResult
  shown: Pick<Delta, 'response_type' | 'data' | 'error'>
}

async function attempt(
  needs: RemoteNeeds,
  called: Called,
  args: Record<string, unknown>,
  run: ToolRun,
): Promise<Outcome> {
  const { server, row } = called
  const checked = checkOf(called.parameters).safeParse(args)
  if (!checked.success) return failed(argumentFault(checked.error))
  if (!(await isAllowed(called, args, run))) return failed(REFUSED)
  const { subject, authorization, remoteHeaders: headers, signal } = run
  try {
    return outcomeOf(
      await callRemoteTool(needs, { server, subject, authorization, headers, signal }, { name: row.name, args }),
    )
  } catch (error) {
    signal.throwIfAborted()
    const isAuth = isRefusal(error, (it) => it instanceof SignInNeeded)
    const wayOut = isAuth ? ` ${signInAt(server)}` : ''
    return failed(`The server "${server.name}" could not be asked. ${reasonOf(error)}${wayOut}`, isAuth)
  }
}

const REFUSED = 'The person did not agree to this call. It was not made; do not try it again.'
const signInAt = ({ name, auth_performer }: StoredMcpServer) =>
  auth_performer === 'ADMIN'
    ? `Whoever connected "${name}" has to give it other credentials.`
    : `Sign in at "${name}" first.`

/** What a server says of its own tools may be wrong, so a policy stands above it. */
async function isAllowed(
  { server, row, name }: Called,
  tool_args: Record<string, unknown>,
  run: ToolRun,
): Promise<boolean> {
  const policies = server.tool_policies
  const policy = Object.hasOwn(policies, row.name) ? policies[row.name] : undefined
  if (policy === 'allow' || (policy === undefined && row.is_read_only)) return true
  const url = new URL(server.server_url).origin
  return run.confirm({ tool_id: row.id, tool_name: name, method: 'tools/call', url, tool_args })
}

const failed = (message: string, is_auth_error = false, data: unknown = null): Outcome => ({
  result: { text: message, passages: [], isError: true },
  shown: { response_type: 'error', data, error: { is_auth_error, status_code: null, message } },
})

/** A person reads the beginning; the whole would be sent again with each look at the chat. */
const MAX_SHOWN = 16_384

function outcomeOf(result: CallToolResult): Outcome {
  const content = readContent(result)
  if (result.isError === true) {
    const { shown } = failed('The tool answers that it failed.', false, shownOf(content))
    return { result: { text: content.text, passages: [], isError: true }, shown }
  }
  const response_type = content.json === undefined ? 'text' : 'json'
  return {
    result: { text: content.text, passages: [], isError: false },
    shown: { response_type, data: shownOf(content), error: null },
  }
}

function shownOf({ text, json }: RemoteContent): unknown {
  if (json !== undefined && JSON.stringify(json).length <= MAX_SHOWN) return json
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`
}
