// From a throw to an answer. Says what went wrong and the way out, never a stack, a path or a statement.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type ErrorCode } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import { EgressError } from '../egress/egress.ts'
import type { Services } from './services.ts'
import { type ValidationError, validationBody } from './validation.ts'

/** What the client sent does not fit: 422. */
export class RequestInvalid extends Error {
  readonly errors: ValidationError[]

  constructor(errors: ValidationError[]) {
    super('the request does not fit')
    this.errors = errors
  }
}

const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = {
  TOO_MANY_REQUESTS: 1,
  OVERLOADED: 1,
  QUEUE_FULL: 5,
  STORE_FULL: 30,
  DISK_LOW: 30,
  STORE_UNAVAILABLE: 5,
  SHUTTING_DOWN: 5,
}

export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { logger, meter }: Pick<Services, 'logger' | 'meter'>,
): FastifyReply {
  reply.header('content-type', 'application/json')
  if (error instanceof RequestInvalid) {
    meter.erred('VALIDATION')
    return reply.code(422).send(JSON.stringify(validationBody(error.errors)))
  }
  const known = knownError(error, request, logger)
  meter.erred(known.code)
  const retryAfter = RETRY_AFTER_SECONDS[known.code]
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  if (known.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer')
  return reply.code(known.status).send(JSON.stringify(bodyOf(known)))
}

/** The body of the answer, for one of many that are answered together: what a header would say stands in it. */
export function errorBody(error: unknown, request: FastifyRequest, logger: Logger): object {
  if (error instanceof RequestInvalid) return validationBody(error.errors)
  const known = knownError(error, request, logger)
  const retry_after = RETRY_AFTER_SECONDS[known.code]
  return { ...bodyOf(known), ...(retry_after !== undefined && { retry_after }) }
}

const bodyOf = ({ code, message }: AppError) => ({ error_code: code, detail: message })

function knownError(error: unknown, request: FastifyRequest, logger: Logger): AppError {
  const known = error instanceof AppError ? error : translated(error, request)
  if (known.status >= 500 && known.code !== 'OVERLOADED')
    // Not the address as it came: there may be an id, an e-mail or a query in it.
    logger.error({ err: error, request_id: request.id, route: request.routeOptions.url }, 'request failed')
  return known
}

function translated(error: unknown, request: FastifyRequest): AppError {
  const { code, statusCode } = error instanceof Error ? (error as Error & { code?: string; statusCode?: number }) : {}
  if (error instanceof EgressError && error.code !== 'EGRESS_SETTING') {
    return new AppError(error.code, { reason: error.message }, { cause: error })
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return tooLarge(request)
  }
  if (statusCode === 415) {
    const type = request.headers['content-type'] || '(empty)'
    return new AppError('UNSUPPORTED_MEDIA_TYPE', { type, expected: 'application/json' }, { cause: error })
  }
  if (code === 'FST_ERR_BAD_URL') {
    return new AppError('INVALID_INPUT', { reason: 'The address is not percent-encoded correctly.' }, { cause: error })
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('INVALID_INPUT', { reason: (error as Error).message }, { cause: error })
  }
  return new AppError('INTERNAL_ERROR', { id: request.id }, { cause: error })
}

/** What came was no HTTP, too much of it, or not in time: the socket gets a last answer. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  const { code, status, message } = new AppError(UNREADABLE[error.code ?? ''] ?? 'BAD_REQUEST')
  const body = JSON.stringify({ error_code: code, detail: message })
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Connection: close', 'Content-Type: application/json']
  head.push(`X-Request-ID: ${randomUUID()}`)
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  socket.destroySoon()
}

const UNREADABLE: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'TIMED_OUT',
}

export const tooLarge = (request: FastifyRequest): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', { limit: `${request.routeOptions.bodyLimit / 2 ** 20} MiB` })
