// A custom tool is defined by an OpenAPI document. Each operation becomes one callable.

import type { PacketObject } from '../../domain/chat/packet.ts'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { parseToolMethods } from '../../domain/tools/tool-definition.ts'
import { EgressError } from '../../egress/egress.ts'
import { createLruCache } from '../../flow/lru-cache.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { decryptHeaders, type StoredTool } from '../../store/tools/tools.ts'
import { describeArgumentError, errorResult } from '../builtin/define-built-in-tool.ts'
import { ensureConsent, issueAuthorization, type PassthroughDeps } from '../oauth/passthrough.ts'
import { ConsentRequiredError, type OauthTokenSource } from '../oauth/tool-oauth.ts'
import type { Callable, Tool, ToolResult, ToolRun } from '../tool.ts'
import { buildOperation, type Operation } from './operation.ts'
import { buildRequest, type ToolRequest } from './request.ts'
import { createValidator, type JsonObject } from './schema.ts'
import { type SendDeps, sendRequest, type ToolResponse } from './send-request.ts'

export interface CustomToolDeps extends SendDeps, PassthroughDeps {
  secrets: SecretBox
  oauth: OauthTokenSource
  /** The operations that models get. INVALID_DEFINITION if an update removed the definition. */
  getOperations: (row: StoredTool) => readonly Operation[]
  /** Called for each failed call in a chat, so that the owner of the tool can retry it. */
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

/** Models choose poorly among more operations. */
const MAX_OPERATIONS = 128

export function customTool(deps: CustomToolDeps, row: StoredTool): Tool {
  return {
    id: row.id,
    name: row.name,
    display_name: row.display_name ?? row.name,
    in_code_tool_id: null,
    callables: deps.getOperations(row).map((it) => createCallable(deps, row, it)),
  }
}

const MAX_CACHED_DEFINITIONS = 100

/** A definition can be several megabytes long and rarely changes. */
export function createOperationCache(): CustomToolDeps['getOperations'] {
  const cache = createLruCache<number, { definition: string; operations: Operation[] }>(MAX_CACHED_DEFINITIONS)
  return ({ id, definition: stored }) => {
    const definition = stored ?? '{}'
    const cached = cache.get(id)
    if (cached?.definition === definition) return cached.operations
    const json: JsonObject = JSON.parse(definition)
    const operations = parseToolMethods(json)
      .slice(0, MAX_OPERATIONS)
      .map((it) => buildOperation(json, it))
    cache.set(id, { definition, operations })
    return operations
  }
}

function createCallable(deps: CustomToolDeps, row: StoredTool, operation: Operation): Callable {
  const { name, description, schema } = operation
  return {
    name,
    description: `${row.name}: ${description}`,
    parameters: schema,
    async call(args, run) {
      const tool = { tool_name: name, tool_id: row.id }
      run.emit({ type: 'custom_tool_start', ...tool })
      run.emit({ type: 'custom_tool_args', tool_name: name, tool_args: args })
      const outcome = await callOperation(deps, { row, operation, args }, run)
      run.emit({ type: 'custom_tool_delta', ...tool, file_ids: null, ...outcome.delta })
      if (outcome.failure !== null) {
        const context = {
          tool_id: row.id,
          user_id: run.subject.user_id,
          operation: operation.raw_name,
          arguments: args,
        }
        await deps.onFailure({ ...context, ...outcome.failure })
      }
      return outcome.result
    },
  }
}

interface OperationCall {
  row: StoredTool
  operation: Operation
  args: JsonObject
}

type CustomToolDelta = Extract<PacketObject, { type: 'custom_tool_delta' }>

interface CustomCallOutcome {
  result: ToolResult
  delta: Pick<CustomToolDelta, 'response_type' | 'data' | 'error'>
  /** Null if a retry makes no sense. */
  failure: Pick<CallFailure, 'reason' | 'status_code'> | null
}

async function callOperation(deps: CustomToolDeps, call: OperationCall, run: ToolRun): Promise<CustomCallOutcome> {
  const { row, operation, args } = call
  try {
    const prepared = await prepareRequest(deps, call, run)
    const { method, url } = prepared.request
    const pending = { tool_id: row.id, tool_name: operation.name, method, url: url.href, tool_args: args }
    const confirmPassthrough = () => run.confirm({ ...pending, passes_token: true })
    if (prepared.passesToken && !(await ensureConsent(deps, run.subject, { tool: row }, confirmPassthrough)))
      return REFUSED_OUTCOME
    if (isWrite(operation) && row.requires_confirmation === 1 && !(await run.confirm(pending))) return REFUSED_OUTCOME
    const request = await addPassthroughToken(deps, run.subject, row, prepared)
    return outcomeOfAnswer(await sendRequest(deps, request, { tool_id: row.id, signal: run.signal }))
  } catch (error) {
    run.signal.throwIfAborted()
    if (error instanceof EgressError || error instanceof AppError) return failedOutcome(error)
    throw error
  }
}

/** GET is the only method that does not change anything. */
const isWrite = ({ method }: Operation) => method !== 'GET'

export interface PreparedRequest {
  request: ToolRequest
  /** Names of headers that contain secrets. */
  secretHeaders: ReadonlySet<string>
  /** `addPassthroughToken` adds a token of the asking person. */
  passesToken: boolean
}

/**
 * Builds the request without the passthrough token. INVALID_INPUT names the invalid argument; TOOL_NEEDS_CONSENT
 * tells where to connect an account.
 */
export async function prepareRequest(
  { secrets, oauth }: Pick<CustomToolDeps, 'secrets' | 'oauth'>,
  { row, operation, args }: OperationCall,
  { subject, signal }: Pick<ToolRun, 'subject' | 'signal'>,
): Promise<PreparedRequest> {
  const checked = createValidator(operation.schema).safeParse(args)
  if (!checked.success) throw new AppError('INVALID_INPUT', { reason: describeArgumentError(checked.error) })
  const request = buildRequest(operation, args)
  const extraHeaders: Record<string, string> = Object.fromEntries(
    decryptHeaders(row, secrets).map(({ key, value }) => [key.toLowerCase(), value]),
  )
  // A connected account of the person takes precedence over a token of this service.
  const passesToken = row.passthrough_auth === 1 && row.oauth_config_id === null
  if (passesToken) extraHeaders.authorization = 'Bearer pharos_call_…'
  if (row.oauth_config_id !== null) {
    extraHeaders.authorization = `Bearer ${await oauth.getToken(subject, row.oauth_config_id, signal)}`
  }
  const secretHeaders = new Set(Object.keys(extraHeaders))
  return { request: { ...request, headers: { ...request.headers, ...extraHeaders } }, secretHeaders, passesToken }
}

/** Issues the token last, immediately before the request is sent. */
export async function addPassthroughToken(
  deps: PassthroughDeps,
  subject: Subject,
  tool: StoredTool,
  { request, passesToken }: PreparedRequest,
): Promise<ToolRequest> {
  if (!passesToken) return request
  const authorization = await issueAuthorization(deps, subject, { tool })
  return { ...request, headers: { ...request.headers, authorization } }
}

const REFUSED_OUTCOME: CustomCallOutcome = {
  result: errorResult('The person did not allow this call, so it was not made. Do not try again.'),
  delta: errorDelta('The call was not confirmed, so it was not made.', null),
  failure: null,
}

function failedOutcome(error: EgressError | AppError): CustomCallOutcome {
  if (error instanceof ConsentRequiredError) return consentOutcome(error)
  return {
    result: errorResult(error.message),
    delta: errorDelta(error.message, null),
    failure: { reason: error.message, status_code: null },
  }
}

/** Tells the person where to connect the account, which a model cannot do. */
function consentOutcome({ oauth_config_id, account }: ConsentRequiredError): CustomCallOutcome {
  const message = `This tool uses your account at "${account}", which is not connected.`
  const { error, ...shown } = errorDelta(message, 401)
  return {
    result: errorResult(
      `The account of the person at "${account}" is not connected. The person has been asked to connect it. Wait for that.`,
    ),
    delta: { ...shown, error: error && { ...error, oauth_config_id } },
    failure: null,
  }
}

function errorDelta(message: string, status_code: number | null, data: unknown = null): CustomCallOutcome['delta'] {
  const is_auth_error = status_code === 401 || status_code === 403
  return { response_type: 'error', data, error: { is_auth_error, status_code, message } }
}

function outcomeOfAnswer(answer: ToolResponse): CustomCallOutcome {
  const { status, kind, text } = answer
  const data = displayData(answer)
  if (status >= 200 && status < 300) {
    return {
      result: { text, passages: [], isError: false },
      delta: { response_type: kind, data, error: null },
      failure: null,
    }
  }
  const reason = `The server responded with status ${status}.`
  return {
    result: errorResult(`${reason}\n${text}`),
    delta: { ...errorDelta(reason, status, data), response_type: kind },
    failure: { reason: `${reason} ${text.slice(0, MAX_REASON_CHARACTERS)}`, status_code: status },
  }
}

const MAX_REASON_CHARACTERS = 500
/** People read only the beginning, and the whole text would be sent again each time the chat is opened. */
const MAX_DISPLAYED_CHARACTERS = 16_384

function displayData({ text, json, kind }: ToolResponse): unknown {
  if (kind === 'json' && text.length <= MAX_DISPLAYED_CHARACTERS) return json
  return text.length <= MAX_DISPLAYED_CHARACTERS ? text : `${text.slice(0, MAX_DISPLAYED_CHARACTERS).toWellFormed()}…`
}
