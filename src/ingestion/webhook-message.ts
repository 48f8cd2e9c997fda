// What a webhook is told, and the proof that we said it: https://www.standardwebhooks.com
import { createHmac, randomUUID } from 'node:crypto'
import { GIVE_UP_MS, secretBytes, type WebhookEvent } from '../domain/webhook.ts'
import type { NewDelivery, News } from '../store/webhook-deliveries.ts'
import type { Webhook } from '../store/webhooks.ts'
import { failReason } from './receipt.ts'

const MAX_REASON = 1_000

/** One message an event, of what this webhook wants to be told. */
export function messagesOf(webhook: Webhook, news: readonly News[], now: number): NewDelivery[] {
  const { events, cc_pair_ids } = webhook
  const wanted = news.filter((it) => cc_pair_ids === null || it.cc_pairs.some((pair) => cc_pair_ids.includes(pair.id)))
  const byEvent = Map.groupBy(wanted, eventOf)
  return events.flatMap((event) => {
    const documents = byEvent.get(event)
    return documents === undefined ? [] : [messageOf(event, documents.map(receiptOf), now)]
  })
}

/** Says nothing of a document: it only arrives, or not. */
export const testMessage = (now: number): NewDelivery => messageOf('test', [], now)

function messageOf(event: WebhookEvent | 'test', documents: readonly object[], now: number): NewDelivery {
  const payload = JSON.stringify({ type: event, timestamp: new Date(now).toISOString(), data: { documents } })
  return {
    message_id: `msg_${randomUUID().replaceAll('-', '')}`,
    event,
    payload,
    documents: documents.length,
    created_at: now,
    give_up_at: now + GIVE_UP_MS,
  }
}

const eventOf = (it: News): WebhookEvent => (it.error === null ? 'indexed' : 'failed')

/** The fields of the receipt, and nothing of the document but its id. */
const receiptOf = ({ document_id, accepted_at, indexed_at, chunk_count, attempts, error, cc_pairs }: News) => ({
  document_id,
  status: error === null ? 'indexed' : 'failed',
  accepted_at: new Date(accepted_at).toISOString(),
  indexed_at: indexed_at === null ? null : new Date(indexed_at).toISOString(),
  reason: error === null ? null : failReason(error.slice(0, MAX_REASON), attempts),
  attempts,
  retry_at: null,
  chunk_count,
  cc_pairs,
})

/** The time is the one of this try, so that nobody can send an old message again much later. */
export function signedHeaders(
  { message_id, payload }: Pick<NewDelivery, 'message_id' | 'payload'>,
  secret: string,
  now: number,
): Record<string, string> {
  const timestamp = Math.floor(now / 1_000)
  const key = secretBytes(secret)
  if (key === undefined) throw new Error('a stored webhook secret is none')
  const signature = createHmac('sha256', key).update(`${message_id}.${timestamp}.${payload}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': message_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}
