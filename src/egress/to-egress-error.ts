// Converts network errors into `EgressError`s. Other errors are returned unchanged.
import { AppError } from '../domain/errors.ts'
import { EgressError, type EgressReason } from './egress-error.ts'
import { MAX_HEADER_BYTES } from './transport/connection-pools.ts'

export interface CallSignals {
  /** Aborted if the caller cancelled the request, which is not a failure of the host. */
  caller: AbortSignal
  deadline: AbortSignal
  timeoutMs: number
}

const REASONS: Record<string, EgressReason> = {
  UND_ERR_HEADERS_OVERFLOW: 'headers',
  UND_ERR_INVALID_ARG: 'header',
  UND_ERR_NOT_SUPPORTED: 'header',
  UND_ERR_CLOSED: 'closed',
  UND_ERR_DESTROYED: 'closed',
}

export function toEgressError(error: unknown, host: string, { caller, deadline, timeoutMs }: CallSignals): unknown {
  if (error instanceof EgressError || error instanceof AppError) return error
  if (caller.aborted) return caller.reason
  if (deadline.aborted) return new EgressError('time', host, { limit: timeoutMs }, { cause: error })
  if (!isNetworkError(error)) return error
  const facts = { limit: MAX_HEADER_BYTES, header: error.message }
  return new EgressError(REASONS[String(error.code)] ?? 'protocol', host, facts, { cause: error })
}

/** Errors of sockets, zlib and undici have a code, except some parser errors. */
const isNetworkError = (error: unknown): error is Error & { code?: unknown } =>
  error instanceof Error && ('code' in error || error.name === 'HTTPParserError')
