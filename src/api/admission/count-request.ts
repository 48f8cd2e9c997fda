// Counts a request against the limits of requests per minute, and says in headers how many remain.
import type { FastifyReply } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import type { RequestAllowance, RequestLimits } from '../../identity/request-limits.ts'
import type { AnyRoute } from '../route.ts'

/** Names that most clients know: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-06 */
export const RATE_LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const

export const rateLimitHeaders = ({
  limit,
  remaining,
  resetSeconds,
}: Omit<RequestAllowance, 'isExceeded'>): Record<string, string> => {
  const [limitName, remainingName, resetName] = RATE_LIMIT_HEADERS
  return { [limitName]: String(limit), [remainingName]: String(remaining), [resetName]: String(resetSeconds) }
}

/** RATE_LIMITED: a limit is used up. */
export function countRequest(
  { requestLimits }: { requestLimits: Pick<RequestLimits, 'count'> },
  { ignoresLimits }: Pick<AnyRoute, 'ignoresLimits'>,
  subject: Subject,
  reply: FastifyReply,
): void {
  if (ignoresLimits === true) return
  const allowance = requestLimits.count(subject)
  if (allowance === null) return
  reply.headers(rateLimitHeaders(allowance))
  const { limit, resetSeconds: seconds, isExceeded } = allowance
  const reason = `The ${limit} requests per minute are used up.`
  if (isExceeded) throw new AppError('RATE_LIMITED', { reason, limit, seconds })
}
