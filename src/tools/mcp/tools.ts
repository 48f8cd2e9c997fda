// The tools of connected servers as callables for chats.
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { PacketObject } from '../../domain/chat/packet.ts'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { listMcpServers, type StoredMcpServer } from '../../store/tools/mcp-servers.ts'
import { listCallableMcpTools, type StoredMcpTool } from '../../store/tools/mcp-tools.ts'
import { describeArgumentError } from '../builtin/define-built-in-tool.ts'
import { createValidator, inlineReferences, type JsonObject } from '../custom/schema.ts'
import { ensureConsent } from '../oauth/passthrough.ts'
import type { Callable, Tool, ToolResult, ToolRun } from '../tool.ts'
import { callRemoteTool } from './client.ts'
import { readToolContent, type ToolContent } from './content.ts'
import { describeFailure, isAuthFailure } from './failure.ts'
import type { McpClientDeps } from './fetch.ts'
import { SignInRequiredError } from './oauth.ts'

/** Returns the tools of connected servers that the subject may use; `ids` limits them to these tools. */
export async function loadMcpTools(deps: McpClientDeps, subject: Subject, ids?: readonly number[]): Promise<Tool[]> {
  const servers = (await listMcpServers(deps.db, subject)).filter((it) => it.status === 'CONNECTED')
  const byId = new Map(servers.map((it) => [it.id, it]))
  const rows = await listCallableMcpTools(deps.db, [...byId.keys()])
  const names = new Set<string>()
  return rows
    .filter((it) => ids === undefined || ids.includes(it.id))
    .flatMap((row) => {
      const server = byId.get(row.mcp_server_id)
      return server === undefined ? [] : [createMcpTool(deps, server, row, names)]
    })
}

/** The limit of function names: https://platform.openai.com/docs/api-reference/chat/create. */
const MAX_NAME_CHARACTERS = 64

function createMcpTool(deps: McpClientDeps, server: StoredMcpServer, row: StoredMcpTool, names: Set<string>): Tool {
  const name = uniqueName(
    `mcp${server.id}_${row.name.replace(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, MAX_NAME_CHARACTERS),
    row.id,
    names,
  )
  // Schemas of servers are untrusted: they can be recursive and use keywords that models reject.
  const parameters = { ...inlineReferences({ ...row.input_schema }, row.input_schema), type: 'object' }
  const callable: Callable = {
    name,
    description: `${server.name}: ${row.description || row.display_name || row.name}`,
    parameters,
    call: (args, run) => runToolCall(deps, { server, row, name, parameters }, args, run),
  }
  const display_name = row.display_name ?? row.name
  return { id: row.id, name: row.name, display_name, in_code_tool_id: null, callables: [callable] }
}

function uniqueName(wanted: string, id: number, names: Set<string>): string {
  const name = names.has(wanted) ? `${wanted.slice(0, MAX_NAME_CHARACTERS - 1 - String(id).length)}_${id}` : wanted
  names.add(name)
  return name
}

interface McpToolCall {
  server: StoredMcpServer
  row: StoredMcpTool
  name: string
  parameters: JsonObject
}

async function runToolCall(
  deps: McpClientDeps,
  toolCall: McpToolCall,
  args: Record<string, unknown>,
  run: ToolRun,
): Promise<ToolResult> {
  const tool = { tool_name: toolCall.name, tool_id: toolCall.row.id }
  run.emit({ type: 'custom_tool_start', ...tool })
  run.emit({ type: 'custom_tool_args', tool_name: toolCall.name, tool_args: args })
  const { result, delta } = await callServer(deps, toolCall, args, run)
  run.emit({ type: 'custom_tool_delta', ...tool, file_ids: null, ...delta })
  return result
}

type McpToolDelta = Extract<PacketObject, { type: 'custom_tool_delta' }>
interface McpCallOutcome {
  result: ToolResult
  delta: Pick<McpToolDelta, 'response_type' | 'data' | 'error'>
}

async function callServer(
  deps: McpClientDeps,
  toolCall: McpToolCall,
  args: Record<string, unknown>,
  run: ToolRun,
): Promise<McpCallOutcome> {
  const { server, row } = toolCall
  const checked = createValidator(toolCall.parameters).safeParse(args)
  if (!checked.success) return failedOutcome(describeArgumentError(checked.error))
  const { subject, remoteHeaders: headers, signal } = run
  try {
    if (!(await isCallAllowed(deps, toolCall, args, run))) return failedOutcome(REFUSED)
    return outcomeOfResult(await callRemoteTool(deps, { server, subject, headers, signal }, { name: row.name, args }))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) return failedOutcome(error.message)
    const isAuth = await isAuthFailure(error, (it) => it instanceof SignInRequiredError)
    const hint = isAuth ? ` ${signInHint(server)}` : ''
    const reason = await describeFailure(error)
    return failedOutcome(`The server "${server.name}" could not be called. ${reason}${hint}`, isAuth)
  }
}

const REFUSED = 'The person did not allow this call, so it was not made. Do not try again.'
const signInHint = ({ name, auth_performer }: StoredMcpServer) =>
  auth_performer === 'ADMIN'
    ? `The person who connected "${name}" must update its credentials.`
    : `Sign in to "${name}" first.`

/** Policies of the administrator override what a server declares about its tools. */
async function isCallAllowed(
  deps: McpClientDeps,
  { server, row, name }: McpToolCall,
  tool_args: Record<string, unknown>,
  run: ToolRun,
): Promise<boolean> {
  const url = new URL(server.server_url).origin
  const pending = { tool_id: row.id, tool_name: name, method: 'tools/call', url, tool_args }
  const confirmPassthrough = () => run.confirm({ ...pending, passes_token: true })
  if (server.auth_type === 'PT_OAUTH' && !(await ensureConsent(deps, run.subject, { server }, confirmPassthrough)))
    return false
  const policies = server.tool_policies
  const policy = Object.hasOwn(policies, row.name) ? policies[row.name] : undefined
  if (policy === 'allow' || (policy === undefined && row.is_read_only)) return true
  return run.confirm(pending)
}

const failedOutcome = (message: string, is_auth_error = false, data: unknown = null): McpCallOutcome => ({
  result: { text: message, passages: [], isError: true },
  delta: { response_type: 'error', data, error: { is_auth_error, status_code: null, message } },
})

/** People read only the beginning, and the whole text would be sent again each time the chat is opened. */
const MAX_DISPLAYED_CHARACTERS = 16_384

function outcomeOfResult(result: CallToolResult): McpCallOutcome {
  const content = readToolContent(result)
  if (result.isError === true) {
    const { delta } = failedOutcome('The tool reported an error.', false, displayData(content))
    return { result: { text: content.text, passages: [], isError: true }, delta }
  }
  const response_type = content.json === undefined ? 'text' : 'json'
  return {
    result: { text: content.text, passages: [], isError: false },
    delta: { response_type, data: displayData(content), error: null },
  }
}

function displayData({ text, json }: ToolContent): unknown {
  if (json !== undefined && JSON.stringify(json).length <= MAX_DISPLAYED_CHARACTERS) return json
  return text.length <= MAX_DISPLAYED_CHARACTERS ? text : `${text.slice(0, MAX_DISPLAYED_CHARACTERS).toWellFormed()}…`
}
