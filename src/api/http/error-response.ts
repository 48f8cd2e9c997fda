// Turns a thrown error into a response. It never shows a stack trace, a file path or an SQL statement.
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type ErrorCode } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Meter } from '../../domain/meter.ts'
import { errorCode, errorMessage } from '../../domain/values/node-error.ts'
import { EgressError } from '../../egress/egress.ts'
import { scimError } from '../../scim/error.ts'
import { SCIM_TYPE } from '../../scim/schemas.ts'
import { type ValidationError, validationBody } from '../wire/validation.ts'
import { MAX_CONTENT_TYPE } from './content-type.ts'
import { retryAfterHeaders, retryAfterSeconds } from './retry-after.ts'

/** The request does not match its schema: 422. */
export class InvalidRequestError extends Error {
  readonly errors: ValidationError[]

  constructor(errors: ValidationError[]) {
    super('request validation failed')
    this.errors = errors
  }
}

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { logger, meter }: { logger: Logger; meter: Meter },
): FastifyReply {
  if (isScimPath(request.url)) return sendScimError(error, request, reply, { logger, meter })
  reply.header('content-type', 'application/json')
  if (error instanceof InvalidRequestError) {
    meter.countError('VALIDATION')
    return reply.code(422).send(JSON.stringify(validationBody(error.errors)))
  }
  const appError = toAppError(error, request, logger)
  meter.countError(appError.code)
  reply.headers(retryAfterHeaders(appError))
  if (appError.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer')
  return reply.code(appError.status).send(JSON.stringify(appErrorBody(appError)))
}

const isScimPath = (url: string): boolean => /^(?:\/api)?\/scim\/v2(?:[/?]|$)/.test(url)

/** Clients of SCIM read another shape, whichever part of the service refuses the request. */
function sendScimError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { logger, meter }: { logger: Logger; meter: Meter },
): FastifyReply {
  const reason = error instanceof InvalidRequestError ? validationReason(error.errors) : null
  const appError =
    reason === null ? toAppError(error, request, logger) : new AppError('SCIM_INVALID_SYNTAX', { reason })
  meter.countError(appError.code)
  reply.headers(retryAfterHeaders(appError)).header('content-type', SCIM_TYPE)
  if (appError.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer')
  return reply.code(appError.status).send(JSON.stringify(scimError(appError)))
}

const validationReason = (errors: readonly ValidationError[]): string =>
  errors
    .map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
    .join('; ')
    .slice(0, 500)

/** The error as one item of a batch response: the body contains `retry_after`, because the item has no headers. */
export function errorBody(error: unknown, request: FastifyRequest, logger: Logger): object {
  if (error instanceof InvalidRequestError) return validationBody(error.errors)
  const appError = toAppError(error, request, logger)
  const retry_after = retryAfterSeconds(appError)
  return { ...appErrorBody(appError), ...(retry_after !== undefined && { retry_after }) }
}

const appErrorBody = ({ code, message }: AppError) => ({ error_code: code, detail: message })

/** 5xx errors that are intended and therefore not logged. */
const EXPECTED_ERRORS: readonly ErrorCode[] = ['OVERLOADED', 'NOT_IMPLEMENTED']

function toAppError(error: unknown, request: FastifyRequest, logger: Logger): AppError {
  const appError = error instanceof AppError ? error : translateError(error, request)
  if (appError.status >= 500 && !EXPECTED_ERRORS.includes(appError.code))
    // The route template, not the URL: the URL may contain an id, an e-mail address or a query.
    logger.error({ err: error, request_id: request.id, route: request.routeOptions.url }, 'request failed')
  return appError
}

function translateError(error: unknown, request: FastifyRequest): AppError {
  const code = errorCode(error)
  const statusCode = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : undefined
  const shortage = resourceShortage(error)
  if (shortage !== undefined) return new AppError(shortage, {}, { cause: error })
  if (error instanceof EgressError && error.code !== 'EGRESS_SETTING') {
    return new AppError(error.code, { reason: error.message }, { cause: error })
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return payloadTooLarge(request)
  }
  if (statusCode === 415) {
    const type = request.headers['content-type']?.slice(0, MAX_CONTENT_TYPE) || '(empty)'
    return new AppError('UNSUPPORTED_MEDIA_TYPE', { type, expected: 'application/json' }, { cause: error })
  }
  if (code === 'FST_ERR_BAD_URL') {
    return new AppError('INVALID_INPUT', { reason: 'The URL is not percent-encoded correctly.' }, { cause: error })
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('INVALID_INPUT', { reason: errorMessage(error) }, { cause: error })
  }
  return new AppError('INTERNAL_ERROR', { id: request.id }, { cause: error })
}

const SHORTAGE_CODES: Record<string, ErrorCode> = {
  EMFILE: 'OUT_OF_FILES',
  ENFILE: 'OUT_OF_FILES',
  ENOSPC: 'STORE_FULL',
  EDQUOT: 'STORE_FULL',
}

/** The error code for an exhausted resource of the machine, which is temporary and therefore not a 500. */
function resourceShortage(error: unknown): ErrorCode | undefined {
  for (let it = error, depth = 0; it instanceof Error && depth < 5; it = it.cause, depth++) {
    const shortage = 'code' in it ? SHORTAGE_CODES[String(it.code)] : undefined
    if (shortage !== undefined) return shortage
  }
  return undefined
}

/** Answers on the socket when the request could not be parsed: malformed HTTP, too large, or too slow. */
export function sendClientError(error: Error & { code?: string }, socket: Socket): void {
  const [codeOfError, phrase] = CLIENT_ERRORS[error.code ?? ''] ?? ['BAD_REQUEST', 'Bad Request']
  const { code, status, message } = new AppError(codeOfError, { limit: 'larger than 16 KiB' })
  const body = JSON.stringify({ error_code: code, detail: message })
  const head = [`HTTP/1.1 ${status} ${phrase}`, 'Connection: close', 'Content-Type: application/json']
  head.push(`X-Request-ID: ${randomUUID()}`)
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  socket.destroySoon()
}

/** With the phrases of the status line. Importing them from node:http would make each start 35 ms longer. */
const CLIENT_ERRORS: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['TIMED_OUT', 'Request Timeout'],
}

export const payloadTooLarge = (request: FastifyRequest): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', { limit: `${request.routeOptions.bodyLimit / 2 ** 20} MiB` })
