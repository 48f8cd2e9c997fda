// Maps failures of a model server to `ModelError`s, in words for the user.
import { APIConnectionError, APIError } from 'openai'
import { EgressError } from '../../egress/egress.ts'
import { parseRetryAfter } from '../../flow/retry-after.ts'
import { ModelError, type ModelFault } from '../language-model.ts'
import { MalformedResponseError } from './chunks.ts'
import type { TimeoutPhase } from './response-timeout.ts'
import { rootCauseOf } from './root-cause.ts'

const FAULTS: Readonly<Record<number, ModelFault>> = {
  400: 'refused',
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'unknown_model',
  408: 'unreachable',
  413: 'refused',
  422: 'refused',
  429: 'limited',
}
/** Error names within a stream, where no status is available. */
const NAMED_FAULTS: readonly (readonly [RegExp, ModelFault])[] = [
  [/rate_limit|quota|too_many/i, 'limited'],
  [/context_length|invalid_request|content/i, 'refused'],
]
const MAX_SENTENCE = 200
const SHORTEST_SECRET = 6

export interface ModelErrorContext {
  name: string
  /** Texts that no message may contain. */
  secrets: readonly string[]
  firstMs: number
  idleMs: number
}

/** Describes which limit expired. A model that did not start in time is also rested for as long. */
export function timeoutError(
  late: Exclude<TimeoutPhase, 'closing'>,
  { name, firstMs, idleMs }: ModelErrorContext,
): ModelError {
  if (late === 'first') {
    return new ModelError('unreachable', `${name} did not start to answer within ${formatSeconds(firstMs)}`, firstMs)
  }
  if (late === 'idle') {
    return new ModelError('unreachable', `${name} sent nothing for ${formatSeconds(idleMs)}`)
  }
  return new ModelError('unreachable', `${name} exceeded the time limit`)
}

/** Maps the failure of a request; an error that is not the server's passes unchanged. */
export function requestError(error: unknown, context: ModelErrorContext): unknown {
  if (error instanceof APIConnectionError) return connectionError(error, context)
  return error instanceof APIError ? statusError(error, context) : error
}

/** Maps a failure while reading the response. */
export function responseError(error: unknown, context: ModelErrorContext): unknown {
  const { name } = context
  if (error instanceof APIError) return statusError(error, context)
  if (error instanceof MalformedResponseError || error instanceof SyntaxError) {
    return new ModelError('broken', `${name} returned an unreadable response`, null, { cause: error })
  }
  return new ModelError('unreachable', `the connection to ${name} was lost`, null, { cause: error })
}

/** Only administrators may see addresses, so they stay in the cause. */
function connectionError(error: APIConnectionError, { name }: ModelErrorContext): ModelError {
  const { cause } = error
  const why = cause instanceof EgressError ? '' : `: ${rootCauseOf(error)}`
  return new ModelError('unreachable', `${name} cannot be reached${why}`, null, { cause })
}

function statusError(error: APIError, context: ModelErrorContext): ModelError {
  const { name } = context
  const fault = faultOf(error)
  const wait = fault === 'limited' || fault === 'unreachable' ? retryAfterOf(error) : null
  const sentence = serverMessage(error, context)
  const words: Record<ModelFault, string> = {
    unauthorized: `the server of ${name} rejected the key`,
    unknown_model: `the server does not know ${name}${sentence}`,
    limited: `${name} is rate-limited${wait === null ? '' : `; retry after ${formatSeconds(wait)}`}`,
    refused: `${name} rejected the request${sentence}`,
    unreachable: `the server of ${name} failed${error.status === undefined ? '' : ` with ${error.status}`}${sentence}`,
    broken: `the server of ${name} answered ${error.status}${sentence}`,
  }
  return new ModelError(fault, words[fault], wait)
}

function faultOf({ status, code, type, message }: APIError): ModelFault {
  const number = status ?? Number(code)
  if (Number.isInteger(number)) return FAULTS[number] ?? (number >= 500 ? 'unreachable' : 'broken')
  return NAMED_FAULTS.find(([it]) => it.test(`${code} ${type} ${message}`))?.[1] ?? 'unreachable'
}

function retryAfterOf({ headers }: APIError): number | null {
  const millis = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  return Number.isFinite(millis) && millis >= 0 ? millis : parseRetryAfter(headers?.get('retry-after'), Date.now())
}

/** The server's message: short, on one line, without secrets. Empty for an HTML page. */
function serverMessage({ status, message }: APIError, { secrets }: ModelErrorContext): string {
  const text = message.startsWith(`${status}`) ? message.slice(`${status}`.length) : message
  const plain = text.replace(/\s+/g, ' ').trim()
  if (plain === '' || /^(?:<|status code|\(no body\))/i.test(plain)) return ''
  const clean = secrets
    .filter((it) => it.length >= SHORTEST_SECRET)
    .reduce((text, secret) => text.replaceAll(secret, '…'), JSON_START.test(plain) ? messageInJson(plain) : plain)
  if (clean === '') return ''
  return `: ${clean.slice(0, MAX_SENTENCE).toWellFormed().replaceAll('\0', '')}`
}

const JSON_START = /^[{[]/
const JSON_MESSAGE = /"(?:msg|message|detail|error)"\s*:\s*"((?:[^"\\]|\\.)*)"/

/** Extracts the message from JSON errors of other frameworks. */
const messageInJson = (json: string): string => JSON_MESSAGE.exec(json)?.[1]?.replace(/\\./g, ' ') ?? ''

const formatSeconds = (millis: number) => `${Math.max(0.1, Math.round(millis / 100) / 10)} s`
