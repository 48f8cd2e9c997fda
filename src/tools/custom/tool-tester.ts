// Lets the owner of a tool preview and send requests, list failed calls and compare definitions.
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { parseToolMethods, singleServer, type ToolMethod } from '../../domain/tools/tool-definition.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import { maskSecret } from '../../domain/values/mask.ts'
import { EgressError } from '../../egress/egress.ts'
import { getOwnTool } from '../../store/tools/custom-tools.ts'
import { getToolFailure, listToolFailures, type ToolFailure } from '../../store/tools/failures.ts'
import type { StoredTool } from '../../store/tools/tools.ts'
import { addPassthroughToken, type CustomToolDeps, type PreparedRequest, prepareRequest } from './custom-tool.ts'
import { buildOperation, type Operation } from './operation.ts'
import type { JsonObject, NodeBudget } from './schema.ts'
import { sendRequest, type ToolResponse } from './send-request.ts'

export type ToolTesterDeps = Omit<CustomToolDeps, 'onFailure' | 'getOperations'>

export interface TryCallRequest {
  /**
   * The operation and arguments, or the id of a stored failed call. Values given here override those of the failed
   * call.
   */
  operation: string | null
  arguments: JsonObject | null
  failure_id: number | null
  run: boolean
}

export interface TriedCall {
  operation: string
  arguments: JsonObject
  request: { method: string; url: string; headers: Record<string, string>; body: string | null }
  /** Null if the request was not sent or failed; `error` then gives the reason, if there is one. */
  answer:
    | (Pick<ToolResponse, 'media_type' | 'kind' | 'text' | 'is_truncated'> & { status_code: number; took_ms: number })
    | null
  error: string | null
}

export interface DefinitionDiff {
  added: OperationSummary[]
  removed: OperationSummary[]
  changed: (OperationSummary & { changes: { field: string; before: unknown; after: unknown }[] })[]
  /** Null if the server is unchanged. */
  server: { before: string | null; after: string | null } | null
}
/** An operation as a model sees it. */
export interface CallableOperation extends OperationSummary {
  raw_name: string
  /** JSON Schema. */
  arguments: JsonObject
}
type OperationSummary = Pick<ToolMethod, 'name' | 'summary' | 'method' | 'path'>

/** For the owner of the tool and for administrators; others get NOT_OWNER. */
export interface ToolTester {
  /** INVALID_INPUT names the invalid value. A failed call is a normal result. */
  tryCall(
    subject: Subject,
    tool_id: number,
    request: TryCallRequest,
    options: { signal: AbortSignal },
  ): Promise<TriedCall>
  diffDefinition(subject: Subject, tool_id: number, definition: JsonObject): Promise<DefinitionDiff>
  listFailedCalls(subject: Subject, tool_id: number, page: KeysetPage): Promise<ToolFailure[]>
  /** INVALID_DEFINITION if the tool has no valid definition. */
  listOperations(subject: Subject, tool_id: number): Promise<CallableOperation[]>
}

export function createToolTester(deps: ToolTesterDeps): ToolTester {
  const { db } = deps
  return {
    async tryCall(subject, tool_id, request, options) {
      const row = await getOwnTool(db, subject, tool_id)
      const storedFailure = request.failure_id === null ? null : await getToolFailure(deps, tool_id, request.failure_id)
      const operation = findOperation(row, request.operation ?? storedFailure?.operation ?? null)
      const args = request.arguments ?? storedFailure?.arguments ?? {}
      const prepared = await prepareRequest(deps, { row, operation, args }, { subject, ...options })
      const common = { operation: operation.raw_name, arguments: args, request: maskSecrets(prepared) }
      if (!request.run) return { ...common, answer: null, error: null }
      const authorized = await addPassthroughToken(deps, subject, row, prepared)
      return { ...common, ...(await sendTimed(deps, authorized, { tool_id, signal: options.signal })) }
    },
    async diffDefinition(subject, tool_id, definition) {
      const { definition: stored } = await getOwnTool(db, subject, tool_id)
      return compareDefinitions(stored === null || stored === '{}' ? null : JSON.parse(stored), definition)
    },
    async listFailedCalls(subject, tool_id, page) {
      await getOwnTool(db, subject, tool_id)
      return listToolFailures(deps, tool_id, page)
    },
    async listOperations(subject, tool_id) {
      const { definition } = await getOwnTool(db, subject, tool_id)
      return describeOperations(JSON.parse(definition ?? '{}'))
    },
  }
}

/** A definition can repeat one schema in a thousand operations. Schemas beyond this limit accept any value. */
const MAX_LISTED_NODES = 100_000

function describeOperations(definition: JsonObject): CallableOperation[] {
  const budget: NodeBudget = { remaining: MAX_LISTED_NODES }
  return parseToolMethods(definition).map((method) => {
    const { name, raw_name, summary, path } = method
    const operation = buildOperation(definition, method, budget)
    return { name, raw_name, summary, path, method: operation.method, arguments: operation.schema }
  })
}

const MAX_LISTED_NAMES = 20

function findOperation({ definition }: StoredTool, wanted: string | null): Operation {
  const json: JsonObject = JSON.parse(definition ?? '{}')
  const methods = parseToolMethods(json)
  const method = methods.find((it) => it.raw_name === wanted || it.name === wanted)
  if (method !== undefined) return buildOperation(json, method)
  const names = methods.slice(0, MAX_LISTED_NAMES).map((it) => it.raw_name)
  throw new AppError('INVALID_INPUT', {
    reason: `\`operation\` must be an operation of the tool: ${names.join(', ')}.`,
  })
}

/** Secrets are masked. */
const maskSecrets = ({
  request: { method, url, headers, body },
  secretHeaders,
}: PreparedRequest): TriedCall['request'] => ({
  method,
  url: url.href,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secretHeaders.has(name) ? maskSecret(value) : value]),
  ),
  body: body ?? null,
})

async function sendTimed(
  deps: ToolTesterDeps,
  request: PreparedRequest['request'],
  context: { tool_id: number; signal: AbortSignal },
): Promise<Pick<TriedCall, 'answer' | 'error'>> {
  const started = performance.now()
  try {
    const { status: status_code, media_type, kind, text, is_truncated } = await sendRequest(deps, request, context)
    const took_ms = Math.round(performance.now() - started)
    return { answer: { status_code, media_type, kind, text, is_truncated, took_ms }, error: null }
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof EgressError) return { answer: null, error: error.message }
    throw error
  }
}

/** A definition can repeat one schema in a thousand operations. Parts beyond this limit count as unchanged. */
const MAX_COMPARED_NODES = 500_000

export function compareDefinitions(before: JsonObject | null, after: JsonObject): DefinitionDiff {
  const oldOperations = operationsByName(before)
  const newOperations = operationsByName(after)
  const changed = [...newOperations].flatMap(([name, current]) => {
    const changes = listChanges(oldOperations.get(name), current)
    return changes.length === 0 ? [] : [{ ...summarizeOperation(current), changes }]
  })
  const server = { before: serverUrlOf(before), after: serverUrlOf(after) }
  return {
    added: [...newOperations].filter(([name]) => !oldOperations.has(name)).map(([, it]) => summarizeOperation(it)),
    removed: [...oldOperations].filter(([name]) => !newOperations.has(name)).map(([, it]) => summarizeOperation(it)),
    changed,
    server: server.before === server.after ? null : server,
  }
}

interface ComparableOperation {
  method: ToolMethod
  fields: Record<string, unknown>
}

function operationsByName(definition: JsonObject | null): Map<string, ComparableOperation> {
  if (definition === null) return new Map()
  const budget: NodeBudget = { remaining: MAX_COMPARED_NODES }
  return new Map(
    parseToolMethods(definition).map((method) => {
      const { schema, parameters, bodyArgument } = buildOperation(definition, method, budget)
      const { path, summary } = method
      const parameterFields = { arguments: schema, places: parameters, body: bodyArgument }
      return [
        method.raw_name,
        { method, fields: { method: method.method.toUpperCase(), path, summary, parameters: parameterFields } },
      ]
    }),
  )
}

function listChanges(
  before: ComparableOperation | undefined,
  after: ComparableOperation,
): DefinitionDiff['changed'][number]['changes'] {
  if (before === undefined) return []
  return Object.keys(after.fields)
    .filter((field) => JSON.stringify(before.fields[field]) !== JSON.stringify(after.fields[field]))
    .map((field) => ({ field, before: before.fields[field], after: after.fields[field] }))
}

const summarizeOperation = ({ method: { name, summary, method, path } }: ComparableOperation): OperationSummary => ({
  name,
  summary,
  method,
  path,
})

const serverUrlOf = (definition: JsonObject | null) =>
  definition === null ? null : (singleServer(definition)?.url ?? null)
