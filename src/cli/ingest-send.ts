// Documents to the service, with patience: it may be full, or be restarted, for a while.
import { setTimeout as delay } from 'node:timers/promises'
import { type Api, ApiError } from '../client/api.ts'
import { postServiceApiIngestion } from '../client/operations.ts'
import type { IngestionRequest } from '../client/schemas.ts'
import { CommandError } from './command.ts'
import { EXIT } from './exit-code.ts'

export type Outcome = 'created' | 'updated' | { refused: string }

export interface Sender {
  /** What came of each, in their order. Rejects when there is no use in sending any more. */
  send(bodies: readonly IngestionRequest[]): Promise<Outcome[]>
  maxGroup: number
  maxInFlight: number
}

export interface Sending {
  api: Api
  signal: AbortSignal
  /** Monotonic, in milliseconds. */
  clock: () => number
  /** Why it takes longer. Told once for each time that it has to wait. */
  onWait: (reason: string, ms: number) => void
}

/** How long nothing may be accepted before it gives up. */
const PATIENCE_MS = 300_000
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 10_000
/** Errors of the service that may be those of this one document. */
const MAX_TRIES = 3

/** Each by itself, as every version of the service can. */
export function sendSingly({ api, signal, clock, onWait }: Sending): Sender {
  const patience = createPatience({ signal, clock, onWait })
  const sendOne = async (body: IngestionRequest): Promise<Outcome> => {
    for (let tries = 0; ; tries++) {
      try {
        const { already_existed } = await postServiceApiIngestion(api, { body, signal })
        patience.reward()
        return already_existed ? 'updated' : 'created'
      } catch (error) {
        signal.throwIfAborted()
        if (isRefusal(error) || (isFailure(error) && tries + 1 >= MAX_TRIES)) return { refused: refusalOf(error) }
        await patience.pause(error, tries)
      }
    }
  }
  return { maxGroup: 1, maxInFlight: 16, send: (bodies) => Promise.all(bodies.map(sendOne)) }
}

export interface Patience {
  /** Something was accepted. */
  reward(): void
  /** Waits before the next try; rejects when it is no use, or when nothing has been accepted for too long. */
  pause(error: unknown, tries: number): Promise<void>
}

export function createPatience({ signal, clock, onWait }: Omit<Sending, 'api'>): Patience {
  let lastSuccess = clock()
  return {
    reward() {
      lastSuccess = clock()
    },
    async pause(error, tries) {
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) throw error
      if (clock() - lastSuccess > PATIENCE_MS) throw outOfPatience(error)
      const asked = error instanceof ApiError ? error.retryAfterMs : null
      const ms = asked ?? Math.min(FIRST_PAUSE_MS * 2 ** tries, MAX_PAUSE_MS)
      onWait(reasonOf(error), ms)
      await delay(ms, undefined, { signal })
    },
  }
}

/** It is this document that the service does not take. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  (error.error_code === 'DOCUMENT_NOT_WRITABLE' || [400, 404, 409, 413, 422].includes(error.status))

const isFailure = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 500

const refusalOf = ({ detail, misfits, status, request_id }: ApiError): string => {
  if (misfits.length > 0) return misfits.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')
  return status >= 500 && request_id !== null ? `${detail} (HTTP ${status}, request ${request_id})` : detail
}

function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return error.detail
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
}

const outOfPatience = (error: unknown): CommandError =>
  new CommandError(
    error instanceof ApiError ? EXIT.tryAgain : EXIT.unavailable,
    `Nothing was accepted for ${PATIENCE_MS / 60_000} minutes: ${reasonOf(error)} The same command goes on from here.`,
    { cause: error },
  )
