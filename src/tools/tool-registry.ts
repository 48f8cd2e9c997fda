// The tools that a model may use for a person: built-in tools, custom tools and the tools of MCP servers.
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import type { Subject } from '../domain/subject.ts'
import { EgressError } from '../egress/egress.ts'
import { expireToolFailures, insertToolFailure } from '../store/tools/failures.ts'
import { listUsableTools, type StoredTool } from '../store/tools/tools.ts'
import { BUILT_IN_TOOLS, type BuiltInToolDeps } from './built-in-tools.ts'
import { errorResult } from './builtin/define-built-in-tool.ts'
import { readUserFile } from './builtin/read-file.ts'
import { type CustomToolDeps, createOperationCache, customTool } from './custom/custom-tool.ts'
import { createToolTester, type ToolTester } from './custom/tool-tester.ts'
import { loadMcpTools } from './mcp/tools.ts'
import type { PassthroughDeps } from './oauth/passthrough.ts'
import { openToolOauth, type ToolOauth, type ToolOauthDeps } from './oauth/tool-oauth.ts'
import type { Callable, Tool } from './tool.ts'

export interface ToolRegistryDeps extends BuiltInToolDeps, ToolOauthDeps, PassthroughDeps {
  logger: Logger
  /** See `send`. */
  callTimeoutMs?: number
}

export interface ToolRegistry {
  /**
   * Returns the tools with these ids that are enabled and that the subject may use, ordered by id. Names of callables
   * are unique. Callables beyond the limit of models are left out.
   */
  toolsFor(subject: Subject, ids: readonly number[]): Promise<Tool[]>
  /** Reads a file of the subject; a file of another user is FILE_NOT_FOUND. The text is empty if none could be extracted. */
  readUserFile(subject: Subject, fileId: string, signal: AbortSignal): Promise<{ name: string; text: string }>
  oauth: Omit<ToolOauth, 'getToken'>
  tester: ToolTester
  /** Deletes stored failed calls after their retention time. */
  expireFailedCalls(): Promise<void>
}

export function openToolRegistry(deps: ToolRegistryDeps): ToolRegistry {
  const { db, secrets, egress, extractor, now, logger } = deps
  const oauth = openToolOauth(deps)
  const custom: CustomToolDeps = {
    egress,
    extractor,
    ...(deps.callTimeoutMs !== undefined && { callTimeoutMs: deps.callTimeoutMs }),
    secrets,
    db,
    now,
    callTokens: deps.callTokens,
    oauth: oauth,
    getOperations: createOperationCache(),
    onFailure: (failure) => insertToolFailure({ db, secrets }, { ...failure, failed_at: now() }),
  }
  return {
    async toolsFor(subject, ids) {
      const rows = await listUsableTools(db, subject, ids)
      const remote = rows.filter((it) => it.mcp_server_id !== null)
      const remoteIds = remote.map((it) => it.id)
      const mcpTools = remoteIds.length === 0 ? [] : await loadMcpTools(deps, subject, remoteIds)
      const ownTools = rows.filter((it) => it.mcp_server_id === null).flatMap((it) => createOwnTools(deps, custom, it))
      const tools = [...ownTools, ...mcpTools].sort((one, other) => one.id - other.id)
      return withUniqueNames(tools).map((tool) => ({
        ...tool,
        callables: tool.callables.map((it) => withErrorsCaught(logger, it)),
      }))
    },
    readUserFile: (subject, fileId, signal) => readUserFile(deps, subject, fileId, signal),
    oauth,
    tester: createToolTester(custom),
    expireFailedCalls: () => expireToolFailures(db, now()),
  }
}

/** Empty if the tool cannot be called because its definition is invalid or this version does not include it. */
function createOwnTools(deps: ToolRegistryDeps, custom: CustomToolDeps, row: StoredTool): Tool[] {
  const { id, name, in_code_tool_id } = row
  if (in_code_tool_id !== null) {
    const tool = BUILT_IN_TOOLS.find((it) => it.row.in_code_tool_id === in_code_tool_id)
    const display_name = row.display_name ?? name
    if (tool === undefined) return []
    return [{ id, name, display_name, in_code_tool_id, callables: [tool.createCallable(deps, row)] }]
  }
  try {
    return [customTool(custom, row)]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    deps.logger.warn({ tool: id, reason: error.message }, 'tool skipped: invalid definition')
    return []
  }
}

/** Limits of the function calling APIs. */
const MAX_NAME_CHARACTERS = 64
const MAX_CALLABLES = 128

/** Prefixes a name that is already in use with the name of its tool. */
function withUniqueNames(tools: readonly Tool[]): Tool[] {
  const taken = new Set<string>()
  return tools.flatMap((tool) => {
    const callables = tool.callables.slice(0, MAX_CALLABLES - taken.size).map((it) => {
      const name = uniqueName(tool, it.name, taken)
      taken.add(name)
      return { ...it, name }
    })
    return callables.length === 0 ? [] : [{ ...tool, callables }]
  })
}

function uniqueName(tool: Tool, wanted: string, taken: ReadonlySet<string>): string {
  const own = toWireName(wanted)
  if (!taken.has(own)) return own
  const longer = toWireName(`${tool.name}_${wanted}`)
  if (!taken.has(longer)) return longer
  for (let count = 2; ; count += 1) {
    const counted = `${longer.slice(0, MAX_NAME_CHARACTERS - 5)}_${count}`
    if (!taken.has(counted)) return counted
  }
}

const toWireName = (name: string) => name.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, MAX_NAME_CHARACTERS) || '_'

/** Turns every error into a result for the model. Rejects only if the chat was aborted. */
function withErrorsCaught(logger: Logger, it: Callable): Callable {
  return {
    ...it,
    async call(args, run) {
      run.signal.throwIfAborted()
      try {
        return await it.call(args, run)
      } catch (error) {
        run.signal.throwIfAborted()
        if (error instanceof AppError || error instanceof EgressError) return errorResult(error.message)
        logger.error({ err: error, tool: it.name }, 'tool call failed')
        return errorResult('The tool failed because of an internal error. The log of the service has details.')
      }
    },
  }
}
