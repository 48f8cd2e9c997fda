// Builds and signs webhook messages: https://www.standardwebhooks.com
import { createHmac, randomUUID } from 'node:crypto'
import type { AlertEvent, AlertKind } from '../../domain/alerts/alert.ts'
import {
  DOCUMENT_EVENTS,
  type DocumentEvent,
  decodeWebhookSecret,
  MAX_DELIVERY_AGE_MS,
  type RunEvent,
  type StateEvent,
} from '../../domain/webhook.ts'
import type { NewDelivery, ReceiptEvent } from '../../store/webhooks/deliveries.ts'
import type { Webhook } from '../../store/webhooks/webhooks.ts'
import { failureReason } from '../push/receipt.ts'

const MAX_REASON = 1_000

/** One message for each event type to which the webhook subscribes. */
export function documentDeliveries(webhook: Webhook, news: readonly ReceiptEvent[], now: number): NewDelivery[] {
  const { events, cc_pair_ids } = webhook
  const wanted = news.filter((it) => cc_pair_ids === null || it.cc_pairs.some((pair) => cc_pair_ids.includes(pair.id)))
  const byEvent = Map.groupBy(wanted, documentEvent)
  return DOCUMENT_EVENTS.filter((it) => events.includes(it)).flatMap((event) => {
    const documents = byEvent.get(event)
    return documents === undefined ? [] : [createDelivery(event, { documents: documents.map(receiptFields) }, now)]
  })
}

/** A message without documents that tests the endpoint. */
export const testDelivery = (now: number): NewDelivery => createDelivery('test', { documents: [] }, now)

export interface RunEventDetails {
  event: RunEvent
  cc_pair: { id: number; name: string }
  source: string
  index_attempt_id: number
  /** The error; null after a recovery. */
  reason: string | null
  /** The next automatic retry; null after a recovery and when a user must act. */
  retry_at: number | null
}

export function runDelivery({ event, reason, retry_at, ...run }: RunEventDetails, now: number): NewDelivery {
  const retry = retry_at === null ? null : new Date(retry_at).toISOString()
  const data = { documents: [], run: { ...run, reason: reason?.slice(0, MAX_REASON) ?? null, retry_at: retry } }
  return createDelivery(event, data, now)
}

/** `alert` holds what the webhook gets, with ISO times. */
export const alertDelivery = (event: AlertEvent, alert: AlertMessage, now: number): NewDelivery =>
  createDelivery(event, { documents: [], alert: { ...alert, reason: alert.reason?.slice(0, MAX_REASON) ?? null } }, now)

export interface AlertMessage {
  id: number
  kind: AlertKind
  object_id: string
  name: string | null
  cc_pair_id: number | null
  reason: string | null
  count: number | null
  since: string
  due_at: string | null
  ended_at: string | null
  /** The path of the page where an administrator can act. */
  page: string
}

interface MessageData {
  documents: readonly object[]
  run?: object
  alert?: object
}

function createDelivery(event: DocumentEvent | StateEvent | 'test', data: MessageData, now: number): NewDelivery {
  const payload = JSON.stringify({ type: event, timestamp: new Date(now).toISOString(), data })
  return {
    message_id: `msg_${randomUUID().replaceAll('-', '')}`,
    event,
    payload,
    documents: data.documents.length,
    created_at: now,
    give_up_at: now + MAX_DELIVERY_AGE_MS,
  }
}

const documentEvent = (it: ReceiptEvent): DocumentEvent => (it.error === null ? 'indexed' : 'failed')

/** The fields of the receipt; of the document, only the id. */
const receiptFields = ({
  document_id,
  accepted_at,
  indexed_at,
  chunk_count,
  attempts,
  error,
  cc_pairs,
  warnings,
}: ReceiptEvent) => ({
  document_id,
  status: error === null ? 'indexed' : 'failed',
  accepted_at: new Date(accepted_at).toISOString(),
  indexed_at: indexed_at === null ? null : new Date(indexed_at).toISOString(),
  reason: error === null ? null : failureReason(error.slice(0, MAX_REASON), attempts),
  attempts,
  retry_at: null,
  chunk_count,
  cc_pairs,
  warnings,
})

/** Signs with the time of this attempt, so that an old message cannot be replayed later. */
export function signedHeaders(
  { message_id, payload }: Pick<NewDelivery, 'message_id' | 'payload'>,
  secret: string,
  now: number,
): Record<string, string> {
  const timestamp = Math.floor(now / 1_000)
  const key = decodeWebhookSecret(secret)
  if (key === undefined) throw new Error('a stored webhook secret is invalid')
  const signature = createHmac('sha256', key).update(`${message_id}.${timestamp}.${payload}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': message_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}
