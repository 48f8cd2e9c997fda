// What a model may use when it works for that person: built-in tools, those made of definitions, those of other servers.
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import type { Subject } from '../domain/subject.ts'
import { EgressError } from '../egress/egress.ts'
import { expireFailures, insertFailure } from '../store/tool-failures.ts'
import { listUsableTools, type StoredTool } from '../store/tools.ts'
import { type Bench, openBench } from './bench.ts'
import { calculatorTool } from './calculator.ts'
import { failed } from './callable.ts'
import { type CustomNeeds, customTool, openOperations } from './custom.ts'
import { type DateNeeds, dateTool } from './date.ts'
import { remoteTools } from './mcp-tools.ts'
import { type Oauth, type OauthNeeds, openOauth } from './oauth.ts'
import { type OpenUrlNeeds, openUrlTool } from './open-url.ts'
import { type FileNeeds, readFileTool, readUserFile } from './read-file.ts'
import { type SearchNeeds, searchTool } from './search.ts'
import type { Callable, Tool } from './tool.ts'

export interface ToolNeeds extends SearchNeeds, FileNeeds, OpenUrlNeeds, OauthNeeds, DateNeeds {
  logger: Logger
  /** See `send`. */
  callTimeoutMs?: number
}

export interface Tools {
  /**
   * Those of these ids that are switched on, at hand, and the subject's own, built in or shared, in the order of their
   * ids. Their callables have names of their own; of more than a model can choose from the last are left out.
   */
  toolsFor(subject: Subject, ids: readonly number[]): Promise<Tool[]>
  /** One of the subject's own; one of somebody else is FILE_NOT_FOUND. The text is empty where none could be read. */
  readUserFile(subject: Subject, fileId: string, signal: AbortSignal): Promise<{ name: string; text: string }>
  oauth: Omit<Oauth, 'tokenFor'>
  bench: Bench
  /** Lets go of failed calls that were kept long enough. */
  expire(): Promise<void>
}

export function openTools(needs: ToolNeeds): Tools {
  const { db, secrets, egress, extractor, now, logger } = needs
  const oauth = openOauth(needs)
  const custom: CustomNeeds = {
    egress,
    extractor,
    ...(needs.callTimeoutMs !== undefined && { callTimeoutMs: needs.callTimeoutMs }),
    secrets,
    consent: oauth,
    operationsOf: openOperations(),
    onFailure: (failure) => insertFailure({ db, secrets }, { ...failure, failed_at: now() }),
  }
  return {
    async toolsFor(subject, ids) {
      const rows = await listUsableTools(db, subject, ids)
      const remote = rows.filter((it) => it.mcp_server_id !== null)
      const remoteIds = remote.map((it) => it.id)
      const theirs = remoteIds.length === 0 ? [] : await remoteTools(needs, subject, remoteIds)
      const ours = rows.filter((it) => it.mcp_server_id === null).flatMap((it) => made(needs, custom, it))
      const tools = [...ours, ...theirs].sort((one, other) => one.id - other.id)
      return named(tools).map((tool) => ({ ...tool, callables: tool.callables.map((it) => guarded(logger, it)) }))
    },
    readUserFile: (subject, fileId, signal) => readUserFile(needs, subject, fileId, signal),
    oauth,
    bench: openBench({ ...custom, db }),
    expire: () => expireFailures(db, now()),
  }
}

const BUILT_IN: Record<string, (needs: ToolNeeds, row: StoredTool) => Callable> = {
  SearchTool: searchTool,
  OpenURLTool: openUrlTool,
  FileReaderTool: readFileTool,
  CalculatorTool: calculatorTool,
  DateTool: dateTool,
}

/** None where it cannot be called: its definition was taken away, or it is built into another version. */
function made(needs: ToolNeeds, custom: CustomNeeds, row: StoredTool): Tool[] {
  const { id, name, in_code_tool_id } = row
  if (in_code_tool_id !== null) {
    const make = BUILT_IN[in_code_tool_id]
    const display_name = row.display_name ?? name
    return make === undefined ? [] : [{ id, name, display_name, in_code_tool_id, callables: [make(needs, row)] }]
  }
  try {
    return [customTool(custom, row)]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    needs.logger.warn({ tool: id, reason: error.message }, 'a tool is left out of a chat: its definition is no use')
    return []
  }
}

/** What the wire of models takes. */
const MAX_NAME = 64
const MAX_CALLABLES = 128

/** A name that another tool has already goes behind the name of its own. */
function named(tools: readonly Tool[]): Tool[] {
  const taken = new Set<string>()
  return tools.flatMap((tool) => {
    const callables = tool.callables.slice(0, MAX_CALLABLES - taken.size).map((it) => {
      const name = freeName(tool, it.name, taken)
      taken.add(name)
      return { ...it, name }
    })
    return callables.length === 0 ? [] : [{ ...tool, callables }]
  })
}

function freeName(tool: Tool, wanted: string, taken: ReadonlySet<string>): string {
  const own = wireName(wanted)
  if (!taken.has(own)) return own
  const longer = wireName(`${tool.name}_${wanted}`)
  if (!taken.has(longer)) return longer
  for (let count = 2; ; count += 1) {
    const counted = `${longer.slice(0, MAX_NAME - 5)}_${count}`
    if (!taken.has(counted)) return counted
  }
}

const wireName = (name: string) => name.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, MAX_NAME) || '_'

/** Whatever happens is said to the model; only the end of the chat ends a call otherwise. */
function guarded(logger: Logger, it: Callable): Callable {
  return {
    ...it,
    async call(args, run) {
      run.signal.throwIfAborted()
      try {
        return await it.call(args, run)
      } catch (error) {
        run.signal.throwIfAborted()
        if (error instanceof AppError || error instanceof EgressError) return failed(error.message)
        logger.error({ err: error, tool: it.name }, 'a tool failed')
        return failed('The tool failed, for a reason that lies with this service. Its log has more.')
      }
    },
  }
}
