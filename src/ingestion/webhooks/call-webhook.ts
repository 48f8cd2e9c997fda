// Makes one delivery attempt to a webhook and interprets the response.
import { type Egress, EgressError } from '../../egress/egress.ts'
import { parseRetryAfter } from '../../flow/retry-after.ts'
import type { NewDelivery } from '../../store/webhooks/deliveries.ts'
import { signedHeaders } from './message.ts'

export type WebhookCallOutcome =
  | { status: 'delivered'; response_status: number; answer: string }
  | {
      status: 'failed'
      response_status: number | null
      answer: string | null
      error: string
      /** The wait that the endpoint asks for. */
      retryAfterMs: number
      /** A retry would fail as well. */
      isFinal: boolean
    }

export const CALL_TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 64 << 10
const MAX_ANSWER_EXCERPT = 500
const GONE = 410
const MAX_RETRY_AFTER_MS = 3_600_000

/** Rejects only with the reason of the signal. */
export async function callWebhook(
  egress: Egress,
  { id, url, secret }: { id: number; url: string; secret: string },
  message: Pick<NewDelivery, 'message_id' | 'payload'>,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<WebhookCallOutcome> {
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
    const answer = await readExcerpt(body)
    if (status >= 200 && status < 300) return { status: 'delivered', response_status: status, answer }
    return {
      status: 'failed',
      response_status: status,
      answer,
      error: `The endpoint answered with status ${status}. A status from 200 to 299 confirms delivery.`,
      retryAfterMs: Math.min(parseRetryAfter(headers['retry-after'], now) ?? 0, MAX_RETRY_AFTER_MS),
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

/** The start of the body. Errors are ignored, because the status has already arrived. */
async function readExcerpt(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of body) {
      pieces.push(piece)
      if (pieces.reduce((sum, it) => sum + it.length, 0) >= MAX_ANSWER_EXCERPT) break
    }
  } catch {
    // The connection broke or was too slow.
  }
  return new TextDecoder().decode(Buffer.concat(pieces)).slice(0, MAX_ANSWER_EXCERPT).replaceAll('\0', '')
}
