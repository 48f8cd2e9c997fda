// Says when a client may try again.
import type { AppError, ErrorCode } from '../../domain/errors.ts'
import { rateLimitHeaders } from '../admission/count-request.ts'

const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = {
  TOO_MANY_REQUESTS: 1,
  OVERLOADED: 1,
  QUEUE_FULL: 5,
  STORE_FULL: 30,
  DISK_LOW: 30,
  STORE_UNAVAILABLE: 5,
  STORE_READ_ONLY: 5,
  STORE_UNFIT: 30,
  RECORD_DAMAGED: 60,
  OUT_OF_FILES: 5,
  SERVICE_UNAVAILABLE: 5,
  SHUTTING_DOWN: 5,
}

export const retryAfterSeconds = ({ code, retryAfterSeconds: known }: AppError): number | undefined =>
  known ?? RETRY_AFTER_SECONDS[code]

/** Empty for an error that time does not cure. */
export function retryAfterHeaders(error: AppError): Record<string, string> {
  const seconds = retryAfterSeconds(error)
  if (seconds === undefined) return {}
  const { rateLimit: limit } = error
  return {
    'retry-after': String(seconds),
    ...(limit !== null && rateLimitHeaders({ limit, remaining: 0, resetSeconds: seconds })),
  }
}
