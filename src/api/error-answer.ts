// From a throw to an answer. Says what went wrong and the way out, never a stack, a path or a statement.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type ErrorCode } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
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
  QUEUE_FULL: 5,
  STORE_FULL: 30,
  SHUTTING_DOWN: 5,
}

export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): FastifyReply {
  reply.header('content-type', 'application/json')
  if (error instanceof RequestInvalid) return reply.code(422).send(JSON.stringify(validationBody(error.errors)))
  const known = error instanceof AppError ? error : translated(error, request)
  if (known.status >= 500) logger.error({ err: error, request_id: request.id, url: request.url }, 'request failed')
  const retryAfter = RETRY_AFTER_SECONDS[known.code]
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  if (known.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer')
  return reply.code(known.status).send(JSON.stringify({ error_code: known.code, detail: known.message }))
}

function translated(error: unknown, request: FastifyRequest): AppError {
  const { code, statusCode } = error instanceof Error ? (error as Error & { code?: string; statusCode?: number }) : {}
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('PAYLOAD_TOO_LARGE', { limit: 'the limit of this route' }, { cause: error })
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('INVALID_INPUT', { reason: (error as Error).message }, { cause: error })
  }
  return new AppError('INTERNAL_ERROR', { id: request.id }, { cause: error })
}
