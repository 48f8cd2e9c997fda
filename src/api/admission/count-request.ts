// Counts a request against the limits of requests per minute, and says in headers how many remain.
import type { FastifyReply } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import type { RequestLimits } from '../../identity/request-limits.ts'
import type { AnyRoute } from '../route.ts'

/** Names that most clients know: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-06 */
export const RATE_LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const

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
  const { limit, remaining, resetSeconds: seconds, isExceeded } = allowance
  const [limitName, remainingName, resetName] = RATE_LIMIT_HEADERS
  reply.headers({ [limitName]: limit, [remainingName]: remaining, [resetName]: seconds })
  if (isExceeded) throw new AppError('RATE_LIMITED', { limit, seconds })
}
