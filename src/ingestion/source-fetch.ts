// A request of a connector: in turn, again where that may help, and as late as the source asks.
import { setTimeout as delay } from 'node:timers/promises'
import pRetry from 'p-retry'
import { type PullAnswer, type PullRequest, SourceError } from '../connectors/connector.ts'
import type { Asker, Profile } from '../domain/refusal.ts'
import { type Egress, EgressError } from '../egress/egress.ts'
import type { HostGates } from './host-gates.ts'

export interface FetchNeeds {
  egress: Pick<Egress, 'fetch'>
  gates: HostGates
  profile: Profile
  asker: Asker
  /** How often a request is repeated. */
  retries: number
  /** Before the first repetition; each one after waits twice as long, and none exactly so long. */
  firstRetryMs: number
  now: () => number
  /** Told while a host wants to be left alone. */
  onWait: (reason: string, until: number) => void
  signal: AbortSignal
}

const DEFAULT_MAX_BYTES = 20 << 20
const MAX_RETRY_MS = 60_000
const MAX_RETRY_AFTER_MS = 3_600_000
const TIMEOUT_MS = 60_000
const TRY_AGAIN = [429, 500, 502, 503, 504]

/** An answer that may be another one in a while. */
class Unanswered extends Error {
  readonly answer: PullAnswer
  constructor(answer: PullAnswer) {
    super(`it answers ${answer.status}`)
    this.answer = answer
  }
}

export async function fetchFromSource(needs: FetchNeeds, url: string, request: PullRequest = {}): Promise<PullAnswer> {
  const { retries, firstRetryMs: minTimeout, signal } = needs
  try {
    return await pRetry(() => attempt(needs, url, request), {
      retries,
      minTimeout,
      maxTimeout: MAX_RETRY_MS,
      factor: 2,
      randomize: true,
      shouldRetry: ({ error }) => !signal.aborted && mayPass(error),
      signal,
    })
  } catch (error) {
    signal.throwIfAborted()
    throw sourceError(error, url)
  }
}

async function attempt(needs: FetchNeeds, url: string, request: PullRequest): Promise<PullAnswer> {
  const { gates, now, onWait, signal } = needs
  const host = hostOf(url)
  for (let until = gates.heldUntil(host); until !== null; until = gates.heldUntil(host)) {
    onWait(`${host} asks to be left alone for a while.`, until)
    await delay(Math.max(until - now(), 1), undefined, { signal })
  }
  const answer = await gates.pass(host, () => exchange(needs, url, request), signal)
  const wishMs = wishOf(answer, now())
  if (wishMs !== null) gates.hold(host, now() + wishMs)
  if (TRY_AGAIN.includes(answer.status) || (answer.status === 403 && wishMs !== null)) throw new Unanswered(answer)
  return answer
}

async function exchange(
  { egress, profile, asker, signal }: FetchNeeds,
  url: string,
  { method, headers, body, maxBytes = DEFAULT_MAX_BYTES }: PullRequest,
): Promise<PullAnswer> {
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

/** How long the source wants us to wait, or null: RFC 9110 and, where a limit is used up, `X-RateLimit-Reset`. */
export function wishOf({ status, headers }: Pick<PullAnswer, 'status' | 'headers'>, now: number): number | null {
  if (status < 400) return null
  const text = headers['retry-after']
  const reset =
    headers['x-ratelimit-remaining'] === '0' ? Number(headers['x-ratelimit-reset']) * 1_000 - now : Number.NaN
  const told = text === undefined ? reset : /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isFinite(told) ? Math.min(Math.max(told, 0), MAX_RETRY_AFTER_MS) : null
}

/** An address that is refused by policy is so every time. */
const mayPass = (error: unknown): boolean =>
  error instanceof Unanswered || (error instanceof EgressError && error.code !== 'EGRESS_REFUSED' && !isFinal(error))

const isFinal = ({ reason }: EgressError) => ['resolve', 'size', 'redirects', 'closed', 'encoding'].includes(reason)

function sourceError(error: unknown, url: string): unknown {
  if (error instanceof Unanswered) {
    const { status } = error.answer
    return new SourceError('unavailable', `${hostOf(url)} answers ${status}.`, { status, cause: error })
  }
  if (!(error instanceof EgressError)) return error
  if (error.code === 'EGRESS_REFUSED') return new SourceError('config', error.message, { cause: error })
  return new SourceError(error.reason === 'resolve' ? 'unresolved' : 'unavailable', error.message, { cause: error })
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url.slice(0, 100))
