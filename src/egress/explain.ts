// Which of our errors a fault of the network stands for. What is none of the network's passes as it is.
import { errors } from 'undici'
import { AppError } from '../domain/errors.ts'
import { EgressError, type EgressReason } from './egress-error.ts'
import { HEADER_BYTES } from './pools.ts'

export interface Call {
  /** Whoever asked may have stopped it; that is no failure of the host. */
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

export function explain(error: unknown, host: string, { caller, deadline, timeoutMs }: Call): unknown {
  if (error instanceof EgressError || error instanceof AppError) return error
  if (caller.aborted) return caller.reason
  if (deadline.aborted) return new EgressError('time', host, { limit: timeoutMs }, { cause: error })
  if (!isFault(error)) return error
  const facts = { limit: HEADER_BYTES, header: error.message }
  return new EgressError(REASONS[String(error.code)] ?? 'protocol', host, facts, { cause: error })
}

/** Every error of a socket, of zlib and of undici has a code, except some of the parser. */
const isFault = (error: unknown): error is Error & { code?: unknown } =>
  error instanceof errors.HTTPParserError || (error instanceof Error && 'code' in error)
