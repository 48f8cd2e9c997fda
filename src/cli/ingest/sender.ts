// Sends documents and retries while the service is full or restarting.
import { setTimeout as delay } from 'node:timers/promises'
import { type Api, ApiError } from '../../client/api.ts'
import { ingestDocument } from '../../client/operations.ts'
import type { IngestionRequest } from '../../client/schemas.ts'
import { CommandError } from '../command.ts'
import { EXIT } from '../exit-code.ts'

export type IngestOutcome = 'created' | 'updated' | { withoutText: 'created' | 'updated' } | { refused: string }

/** Older services return no warnings. */
export function acceptedOutcome({
  already_existed,
  warnings,
}: {
  already_existed: boolean
  warnings?: string[] | undefined
}): IngestOutcome {
  const what = already_existed ? 'updated' : 'created'
  return warnings?.includes('no_text') ? { withoutText: what } : what
}

export interface Sender {
  /** Returns the outcome of each document, in order. Rejects if further sending is pointless. */
  send(bodies: readonly IngestionRequest[]): Promise<IngestOutcome[]>
  maxGroup: number
  maxInFlight: number
}

export interface SenderDeps {
  api: Api
  signal: AbortSignal
  /** Monotonic, in milliseconds. */
  clock: () => number
  /** Reports why sending takes longer, once per wait. */
  onWait: (reason: string, ms: number) => void
}

/** The time without an accepted document after which sending ends. */
const MAX_STALL_MS = 300_000
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 10_000
/** Errors of the service may be caused by a single document, so these are limited. */
const MAX_TRIES = 3

/** Sends each document in its own request, which every version of the service supports. */
export function createSingleSender({ api, signal, clock, onWait }: SenderDeps): Sender {
  const retryPolicy = createRetryPolicy({ signal, clock, onWait })
  const sendOne = async (body: IngestionRequest): Promise<IngestOutcome> => {
    for (let tries = 0; ; tries++) {
      try {
        const answer = await ingestDocument(api, { body, signal })
        retryPolicy.recordSuccess()
        return acceptedOutcome(answer)
      } catch (error) {
        signal.throwIfAborted()
        if (isRefusal(error) || (isFailure(error) && tries + 1 >= MAX_TRIES)) return { refused: describeRefusal(error) }
        await retryPolicy.waitBeforeRetry(error, tries)
      }
    }
  }
  return { maxGroup: 1, maxInFlight: 16, send: (bodies) => Promise.all(bodies.map(sendOne)) }
}

export interface RetryPolicy {
  /** Resets the time limit. */
  recordSuccess(): void
  /** Waits before the next try. Rejects if retrying is pointless or the time limit is exceeded. */
  waitBeforeRetry(error: unknown, tries: number): Promise<void>
}

export function createRetryPolicy({ signal, clock, onWait }: Omit<SenderDeps, 'api'>): RetryPolicy {
  let lastSuccess = clock()
  return {
    recordSuccess() {
      lastSuccess = clock()
    },
    async waitBeforeRetry(error, tries) {
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) throw error
      if (clock() - lastSuccess > MAX_STALL_MS) throw createStalledError(error)
      const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : null
      const ms = retryAfterMs ?? Math.min(FIRST_PAUSE_MS * 2 ** tries, MAX_PAUSE_MS)
      onWait(describeError(error), ms)
      await delay(ms, undefined, { signal })
    },
  }
}

/** The service rejects this document. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  (error.error_code === 'DOCUMENT_NOT_WRITABLE' || [400, 404, 409, 413, 422].includes(error.status))

const isFailure = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 500

const describeRefusal = ({ detail, fieldErrors, status, request_id }: ApiError): string => {
  if (fieldErrors.length > 0) return fieldErrors.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')
  return status >= 500 && request_id !== null ? `${detail} (HTTP ${status}, request ${request_id})` : detail
}

function describeError(error: unknown): string {
  if (error instanceof ApiError) return error.detail
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
}

const createStalledError = (error: unknown): CommandError =>
  new CommandError(
    error instanceof ApiError ? EXIT.tryAgain : EXIT.unavailable,
    `The service accepted nothing for ${MAX_STALL_MS / 60_000} minutes: ${describeError(error)} Run the same command again to continue.`,
    { cause: error },
  )
