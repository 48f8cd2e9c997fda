// A tool that somebody made of an OpenAPI definition: each operation is one thing to call.
import { AppError } from '../domain/errors.ts'
import type { PacketObject } from '../domain/packet.ts'
import { methodsOf } from '../domain/tool-definition.ts'
import { EgressError } from '../egress/egress.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { headersOf, type StoredTool } from '../store/tools.ts'
import { argumentFault, failed } from './callable.ts'
import { type Consent, ConsentNeeded } from './oauth.ts'
import { type Operation, operationOf } from './operation.ts'
import { requestOf, type ToolRequest } from './request.ts'
import { checkOf, type Json } from './schema.ts'
import { type SendNeeds, send, type ToolAnswer } from './send.ts'
import type { Callable, Tool, ToolResult, ToolRun } from './tool.ts'

export interface CustomNeeds extends SendNeeds {
  secrets: SecretBox
  consent: Consent
  /** Those that a model is offered. INVALID_DEFINITION where an update took the definition away. */
  operationsOf: (row: StoredTool) => readonly Operation[]
  /** Told of each call of a chat that failed, to be tried again by whoever made the tool. */
  onFailure(failure: CallFailure): Promise<void>
}

export interface CallFailure {
  tool_id: number
  user_id: string
  operation: string
  arguments: Record<string, unknown>
  reason: string
  status_code: number | null
}

/** More than a model can choose from. */
const MAX_OPERATIONS = 128

export function customTool(needs: CustomNeeds, row: StoredTool): Tool {
  return {
    id: row.id,
    name: row.name,
    display_name: row.display_name ?? row.name,
    in_code_tool_id: null,
    callables: needs.operationsOf(row).map((it) => callableOf(needs, row, it)),
  }
}

const MAX_KNOWN = 100

/** A definition may be megabytes long, and is the same for every chat until somebody changes it. */
export function openOperations(): CustomNeeds['operationsOf'] {
  const known = new Map<number, { definition: string; operations: Operation[] }>()
  return ({ id, definition: stored }) => {
    const definition = stored ?? '{}'
    const before = known.get(id)
    if (before?.definition === definition) return before.operations
    const json: Json = JSON.parse(definition)
    const operations = methodsOf(json)
      .slice(0, MAX_OPERATIONS)
      .map((it) => operationOf(json, it))
    known.delete(id)
    known.set(id, { definition, operations })
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value!)
    return operations
  }
}

function callableOf(needs: CustomNeeds, row: StoredTool, operation: Operation): Callable {
  const { name, description, schema } = operation
  return {
    name,
    description: `${row.name}: ${description}`,
    parameters: schema,
    async call(args, run) {
      const tool = { tool_name: name, tool_id: row.id }
      run.emit({ type: 'custom_tool_start', ...tool })
      run.emit({ type: 'custom_tool_args', tool_name: name, tool_args: args })
      const outcome = await attempt(needs, { row, operation, args }, run)
      run.emit({ type: 'custom_tool_delta', ...tool, file_ids: null, ...outcome.shown })
      if (outcome.failure !== null) {
        const of = { tool_id: row.id, user_id: run.subject.user_id, operation: operation.raw_name, arguments: args }
        await needs.onFailure({ ...of, ...outcome.failure })
      }
      return outcome.result
    },
  }
}

interface Attempt {
  row: StoredTool
  operation: Operation
  args: Json
}

type Delta = Extract<PacketObject, { type: 'custom_tool_delta' }>

interface Outcome {
  result: ToolResult
  shown: Pick<Delta, 'response_type' | 'data' | 'error'>
  /** Null where there is nothing to try again. */
  failure: Pick<CallFailure, 'reason' | 'status_code'> | null
}

async function attempt(needs: CustomNeeds, call: Attempt, run: ToolRun): Promise<Outcome> {
  const { row, operation, args } = call
  try {
    const { request } = await outgoing(needs, call, run)
    if (isWrite(operation) && row.requires_confirmation === 1) {
      const pending = { tool_id: row.id, tool_name: operation.name, method: request.method, url: request.url.href }
      if (!(await run.confirm({ ...pending, tool_args: args }))) return refused
    }
    return outcomeOf(await send(needs, request, { tool_id: row.id, signal: run.signal }))
  } catch (error) {
    run.signal.throwIfAborted()
    if (error instanceof EgressError || error instanceof AppError) return brokenOff(error)
    throw error
  }
}

/** Everything but what only asks. */
const isWrite = ({ method }: Operation) => method !== 'GET'

export interface Outgoing {
  request: ToolRequest
  /** The names of headers that hold a secret. */
  secret: ReadonlySet<string>
}

/** What would be sent. INVALID_INPUT names the argument that does not fit; TOOL_NEEDS_CONSENT says where to give it. */
export async function outgoing(
  { secrets, consent }: Pick<CustomNeeds, 'secrets' | 'consent'>,
  { row, operation, args }: Attempt,
  { subject, authorization, signal }: Pick<ToolRun, 'subject' | 'authorization' | 'signal'>,
): Promise<Outgoing> {
  const checked = checkOf(operation.schema).safeParse(args)
  if (!checked.success) throw new AppError('INVALID_INPUT', { reason: argumentFault(checked.error) })
  const request = requestOf(operation, args)
  const given: Record<string, string> = Object.fromEntries(
    headersOf(row, secrets).map(({ key, value }) => [key.toLowerCase(), value]),
  )
  if (row.passthrough_auth === 1) {
    if (authorization === null) throw new AppError('INVALID_INPUT', { reason: NOTHING_TO_PASS_ON })
    given.authorization = authorization
  }
  if (row.oauth_config_id !== null) {
    given.authorization = `Bearer ${await consent.tokenFor(subject, row.oauth_config_id, signal)}`
  }
  return { request: { ...request, headers: { ...request.headers, ...given } }, secret: new Set(Object.keys(given)) }
}

const NOTHING_TO_PASS_ON =
  'This tool passes on the header "Authorization" of whoever asks, and there is none: ask with a key, not in the session of a browser.'

const refused: Outcome = {
  result: failed('The person did not agree to this call. It was not made; do not try it again.'),
  shown: errorShown('The call was not confirmed, so it was not made.', null),
  failure: null,
}

function brokenOff(error: EgressError | AppError): Outcome {
  if (error instanceof ConsentNeeded) return unconnected(error)
  return {
    result: failed(error.message),
    shown: errorShown(error.message, null),
    failure: { reason: error.message, status_code: null },
  }
}

/** The person is shown where to connect it; a model could not. */
function unconnected({ oauth_config_id, account }: ConsentNeeded): Outcome {
  const message = `It acts with your account at "${account}", which is not connected.`
  const { error, ...shown } = errorShown(message, 401)
  return {
    result: failed(
      `The account of the person at "${account}" is not connected. They see how; wait until they have done it.`,
    ),
    shown: { ...shown, error: error && { ...error, oauth_config_id } },
    failure: null,
  }
}

function errorShown(message: string, status_code: number | null, data: unknown = null): Outcome['shown'] {
  const is_auth_error = status_code === 401 || status_code === 403
  return { response_type: 'error', data, error: { is_auth_error, status_code, message } }
}

function outcomeOf(answer: ToolAnswer): Outcome {
  const { status, kind, text } = answer
  const data = shownData(answer)
  if (status >= 200 && status < 300) {
    return {
      result: { text, passages: [], isError: false },
      shown: { response_type: kind, data, error: null },
      failure: null,
    }
  }
  const reason = `The server answers ${status}.`
  return {
    result: failed(`${reason}\n${text}`),
    shown: { ...errorShown(reason, status, data), response_type: kind },
    failure: { reason: `${reason} ${text.slice(0, MAX_REASON)}`, status_code: status },
  }
}

const MAX_REASON = 500
/** A person reads the beginning; the whole would be sent again with each look at the chat. */
const MAX_SHOWN = 16_384

function shownData({ text, json, kind }: ToolAnswer): unknown {
  if (kind === 'json' && text.length <= MAX_SHOWN) return json
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`
}
