// Which of our faults the failure of a server stands for, in words for a person.
import { APIConnectionError, APIError } from 'openai'
import { EgressError } from '../egress/egress.ts'
import { ModelError, type ModelFault } from './language-model.ts'
import { NotTheWire } from './openai-chunks.ts'
import type { Lateness } from './patience.ts'
import { causeOf, retryAfter } from './server-away.ts'

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
/** What an error in the middle of a stream may be called, where no status tells. */
const NAMED_FAULTS: readonly (readonly [RegExp, ModelFault])[] = [
  [/rate_limit|quota|too_many/i, 'limited'],
  [/context_length|invalid_request|content/i, 'refused'],
]
const MAX_SENTENCE = 200
const SHORTEST_SECRET = 6

export interface Facts {
  name: string
  /** That no sentence may repeat. */
  secrets: readonly string[]
  firstMs: number
  idleMs: number
}

/** How the time ran out. Whoever kept somebody waiting in vain is left alone for as long. */
export function lateFailure(late: Exclude<Lateness, 'closing'>, { name, firstMs, idleMs }: Facts): ModelError {
  if (late === 'first') {
    return new ModelError('unreachable', `${name} did not begin to answer within ${seconds(firstMs)}`, firstMs)
  }
  if (late === 'idle') {
    return new ModelError('unreachable', `${name} fell silent in the middle of its answer for ${seconds(idleMs)}`)
  }
  return new ModelError('unreachable', `${name} came to no end`)
}

/** Of a question that was answered with an error, or not at all. What is none of the server's passes as it is. */
export function askFailure(error: unknown, facts: Facts): unknown {
  if (error instanceof APIConnectionError) return unreached(error, facts)
  return error instanceof APIError ? answered(error, facts) : error
}

/** Of an answer that broke off while it was read. */
export function readFailure(error: unknown, facts: Facts): unknown {
  const { name } = facts
  if (error instanceof APIError) return answered(error, facts)
  if (error instanceof NotTheWire || error instanceof SyntaxError) {
    return new ModelError('broken', `${name} answered something that cannot be read`, null, { cause: error })
  }
  return new ModelError('unreachable', `the connection to ${name} broke off`, null, { cause: error })
}

/** Addresses are for administrators alone: they stand in the cause. */
function unreached(error: APIConnectionError, { name }: Facts): ModelError {
  const { cause } = error
  const why = cause instanceof EgressError ? '' : `: ${causeOf(error)}`
  return new ModelError('unreachable', `${name} cannot be reached${why}`, null, { cause })
}

function answered(error: APIError, facts: Facts): ModelError {
  const { name } = facts
  const fault = faultOf(error)
  const wait = fault === 'limited' || fault === 'unreachable' ? waitOf(error) : null
  const sentence = sentenceOf(error, facts)
  const words: Record<ModelFault, string> = {
    unauthorized: `the server of ${name} does not accept the key`,
    unknown_model: `the server does not know ${name}${sentence}`,
    limited: `${name} is asked too much${wait === null ? '' : `, and wants to be left alone for ${seconds(wait)}`}`,
    refused: `${name} did not take the question${sentence}`,
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

function waitOf({ headers }: APIError): number | null {
  const millis = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  return Number.isFinite(millis) && millis >= 0 ? millis : retryAfter(headers?.get('retry-after') ?? null)
}

/** What the server says, short, on one line, and without what only it and we should know. A page is no sentence. */
function sentenceOf({ status, message }: APIError, { secrets }: Facts): string {
  const plain = message
    .replace(new RegExp(`^${status}\\s*`), '')
    .replace(/\s+/g, ' ')
    .trim()
  if (plain === '' || /^(?:<|status code|\(no body\))/i.test(plain)) return ''
  const clean = secrets
    .filter((it) => it.length >= SHORTEST_SECRET)
    .reduce((text, secret) => text.replaceAll(secret, '…'), IS_JSON.test(plain) ? wordsIn(plain) : plain)
  if (clean === '') return ''
  return `: ${clean.slice(0, MAX_SENTENCE).toWellFormed().replaceAll('\0', '')}`
}

const IS_JSON = /^[{[]/
const WORDS = /"(?:msg|message|detail|error)"\s*:\s*"((?:[^"\\]|\\.)*)"/

/** Of an error in the shape of another framework. */
const wordsIn = (json: string): string => WORDS.exec(json)?.[1]?.replace(/\\./g, ' ') ?? ''

const seconds = (millis: number) => `${Math.max(0.1, Math.round(millis / 100) / 10)} s`
