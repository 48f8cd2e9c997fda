// Requests of connectors: rate limited per host, with retries, and with waits that the source asks for.
import { setTimeout as delay } from 'node:timers/promises'
import pRetry from 'p-retry'
import { SourceError, type SourceRequest, type SourceResponse } from '../../connectors/connector.ts'
import type { EgressCaller, EgressProfile } from '../../domain/egress-refusal.ts'
import { type Egress, EgressError } from '../../egress/egress.ts'
import { parseRetryAfter } from '../../flow/retry-after.ts'
import type { HostRateLimiter } from './host-rate-limiter.ts'

export interface SourceFetchDeps {
  egress: Pick<Egress, 'fetch'>
  hostLimiter: HostRateLimiter
  profile: EgressProfile
  asker: EgressCaller
  /** The maximum number of retries. */
  retries: number
  /** The delay before the first retry; it doubles each time, with jitter. */
  firstRetryMs: number
  now: () => number
  /** Called when a host asks the client to wait, and before a request is repeated. */
  onWait: (reason: string, until: number) => void
  signal: AbortSignal
}

const DEFAULT_MAX_BYTES = 20 << 20
const MAX_RETRY_MS = 60_000
const MAX_RETRY_AFTER_MS = 3_600_000
const TIMEOUT_MS = 60_000
const RETRIED_STATUSES = [429, 500, 502, 503, 504]

/** A response with a transient error status. */
class RetryableAnswerError extends Error {
  readonly answer: SourceResponse
  constructor(answer: SourceResponse) {
    super(`it answers ${answer.status}`)
    this.answer = answer
  }
}

export async function fetchFromSource(
  deps: SourceFetchDeps,
  url: string,
  request: SourceRequest = {},
): Promise<SourceResponse> {
  const { retries, firstRetryMs: minTimeout, signal } = deps
  try {
    return await pRetry(() => fetchOnce(deps, url, request), {
      retries,
      minTimeout,
      maxTimeout: MAX_RETRY_MS,
      factor: 2,
      randomize: true,
      onFailedAttempt: ({ error, retryDelay }) => reportRetry(deps, url, error, retryDelay),
      shouldRetry: ({ error }) => !signal.aborted && isTransient(error),
      signal,
    })
  } catch (error) {
    signal.throwIfAborted()
    throw toSourceError(error, url)
  }
}

/** A person who watches the run sees at once why it does not go on. A wait that the source asked for is reported itself. */
function reportRetry(
  { hostLimiter, now, onWait, signal }: SourceFetchDeps,
  url: string,
  error: Error,
  delayMs: number,
) {
  if (signal.aborted || delayMs === 0 || !isTransient(error) || hostLimiter.pausedUntil(hostOf(url)) !== null) return
  const reason =
    error instanceof RetryableAnswerError ? `${hostOf(url)} answered ${error.answer.status}.` : error.message
  onWait(reason, now() + delayMs)
}

async function fetchOnce(deps: SourceFetchDeps, url: string, request: SourceRequest): Promise<SourceResponse> {
  const { hostLimiter, now, onWait, signal } = deps
  const host = hostOf(url)
  for (let until = hostLimiter.pausedUntil(host); until !== null; until = hostLimiter.pausedUntil(host)) {
    onWait(`${host} asked to wait before the next request.`, until)
    await delay(Math.max(until - now(), 1), undefined, { signal })
  }
  const answer = await hostLimiter.run(host, () => sendRequest(deps, url, request), signal)
  const requestedDelayMs = requestedDelay(answer, now())
  if (requestedDelayMs !== null) hostLimiter.pauseUntil(host, now() + requestedDelayMs)
  if (RETRIED_STATUSES.includes(answer.status) || (answer.status === 403 && requestedDelayMs !== null))
    throw new RetryableAnswerError(answer)
  return answer
}

async function sendRequest(
  { egress, profile, asker, signal }: SourceFetchDeps,
  url: string,
  { method, headers, body, maxBytes = DEFAULT_MAX_BYTES }: SourceRequest,
): Promise<SourceResponse> {
  const answer = await egress.fetch(url, {
    ...(method && { method }),
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    profile,
    asker,
    limits: { bytes: maxBytes, timeoutMs: TIMEOUT_MS },
    signal,
  })
  return { status: answer.status, headers: answer.headers, url: answer.url, body: await answer.bytes() }
}

/** The wait that the source asks for, or null: `Retry-After` (RFC 9110), or `X-RateLimit-Reset` when the limit is used up. */
export function requestedDelay(
  { status, headers }: Pick<SourceResponse, 'status' | 'headers'>,
  now: number,
): number | null {
  if (status < 400) return null
  const text = headers['retry-after']
  const requestedMs = text === undefined ? rateLimitReset(headers, now) : parseRetryAfter(text, now)
  return requestedMs === null ? null : Math.min(requestedMs, MAX_RETRY_AFTER_MS)
}

function rateLimitReset(headers: SourceResponse['headers'], now: number): number | null {
  if (headers['x-ratelimit-remaining'] !== '0') return null
  const resetMs = Number(headers['x-ratelimit-reset']) * 1_000 - now
  return Number.isFinite(resetMs) ? Math.max(resetMs, 0) : null
}

/** Addresses that the policy rejects are not retried. */
const isTransient = (error: unknown): boolean =>
  error instanceof RetryableAnswerError ||
  (error instanceof EgressError && error.code !== 'EGRESS_REFUSED' && !isFinal(error))

const isFinal = ({ reason }: EgressError) => ['resolve', 'size', 'redirects', 'closed', 'encoding'].includes(reason)

function toSourceError(error: unknown, url: string): unknown {
  if (error instanceof RetryableAnswerError) {
    const { status } = error.answer
    return new SourceError('unavailable', `${hostOf(url)} answers ${status}.`, { status, cause: error })
  }
  if (!(error instanceof EgressError)) return error
  if (error.code === 'EGRESS_REFUSED') return new SourceError('config', error.message, { cause: error })
  return new SourceError(error.reason === 'resolve' ? 'unresolved' : 'unavailable', error.message, { cause: error })
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url.slice(0, 100))
