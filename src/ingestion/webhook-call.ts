// One try to tell a webhook something, and what to make of the answer.
import { type Egress, EgressError } from '../egress/egress.ts'
import type { NewDelivery } from '../store/webhook-deliveries.ts'
import { signedHeaders } from './webhook-message.ts'

export type CallOutcome =
  | { status: 'delivered'; response_status: number; answer: string }
  | {
      status: 'failed'
      response_status: number | null
      answer: string | null
      error: string
      /** How long the endpoint wants us to wait. */
      retryAfterMs: number
      /** Another try would come to the same. */
      isFinal: boolean
    }

export const CALL_TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 64 << 10
const SHOWN_ANSWER = 500
const GONE = 410
const MAX_RETRY_AFTER_MS = 3_600_000

/** Rejects with the reason of the signal, and with nothing else. */
export async function callWebhook(
  egress: Egress,
  { id, url, secret }: { id: number; url: string; secret: string },
  message: Pick<NewDelivery, 'message_id' | 'payload'>,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<CallOutcome> {
  try {
    const { status, headers, body } = await egress.fetch(url, {
      method: 'POST',
      headers: signedHeaders(message, secret, now),
      body: message.payload,
      profile: 'admin-target',
      asker: { kind: 'webhook', id },
      limits: { timeoutMs: CALL_TIMEOUT_MS, bytes: MAX_ANSWER_BYTES, redirects: 0 },
      signal,
    })
    const answer = await beginningOf(body)
    if (status >= 200 && status < 300) return { status: 'delivered', response_status: status, answer }
    return {
      status: 'failed',
      response_status: status,
      answer,
      error: `It answered with ${status}; 200 to 299 would say that it has the message.`,
      retryAfterMs: retryAfterMs(headers['retry-after'], now),
      isFinal: status === GONE,
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const isRefused = error instanceof EgressError && error.code === 'EGRESS_REFUSED'
    const reason = error instanceof Error ? error.message : String(error)
    return {
      status: 'failed',
      response_status: null,
      answer: null,
      error: reason,
      retryAfterMs: 0,
      isFinal: isRefused,
    }
  }
}

/** The status has arrived already: what becomes of the body changes nothing. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of body) {
      pieces.push(piece)
      if (pieces.reduce((sum, it) => sum + it.length, 0) >= SHOWN_ANSWER) break
    }
  } catch {
    // Broken off, or too slow.
  }
  return new TextDecoder().decode(Buffer.concat(pieces)).slice(0, SHOWN_ANSWER).replaceAll('\0', '')
}

/** Seconds or a date, as RFC 9110 has it; anything else is no wish. */
function retryAfterMs(text: string | undefined, now: number): number {
  if (text === undefined) return 0
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : 0
}
