// Delivers document and run events to webhooks. A webhook follows the receipts as the index follows the documents: its
// position marks what it has been sent, so nothing is lost and nothing piles up.
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Egress } from '../../egress/egress.ts'
import { createLoop, logErrors } from '../../flow/background-loop.ts'
import type { Database } from '../../store/database/database.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import {
  claimDelivery,
  hasDeliveredSince,
  insertDeliveries,
  insertFinishedDelivery,
  listPendingDeliveries,
  listReceiptEvents,
  pruneDeliveries,
  type StoredDelivery,
  updateDelivery,
} from '../../store/webhooks/deliveries.ts'
import {
  getWebhook,
  getWebhookSecret,
  listWebhooks,
  pauseWebhook,
  type Webhook,
} from '../../store/webhooks/webhooks.ts'
import { CALL_TIMEOUT_MS, callWebhook, type WebhookCallOutcome } from './call-webhook.ts'
import { documentDeliveries, testDelivery } from './message.ts'

/** The maximum number of documents in one message. */
const MAX_DOCUMENTS = 100
/** The maximum number of pending messages of a webhook; further events wait in the receipts. */
const MAX_PENDING = 10
/** Finished deliveries kept for inspection. */
const MAX_DELIVERIES_KEPT = 100
const FIRST_RETRY_MS = 5_000
const MAX_RETRY_MS = 3_600_000
/** After this time a message that a dead process has claimed is free again. */
const LEASE_MS = 2 * CALL_TIMEOUT_MS
/** Other processes may add events. */
const POLL_MS = 10_000
const PAUSE_AFTER_FAILURE_MS = 5_000

export interface Webhooks {
  /** Announces that there may be events to deliver. */
  wake(): void
  /** Sends a test message at once, also to a paused webhook. Returns the delivery. */
  test(id: number): Promise<StoredDelivery>
  /** Runs until the signal. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface WebhooksDeps {
  db: Database
  secrets: SecretBox
  egress: Egress
  logger: Logger
  now: () => number
}

export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const { db, egress, logger, now } = deps
  const active = new Map<number, Promise<void>>()
  /** Webhooks that were active when new events arrived; they may have checked before. */
  const missed = new Set<number>()
  /** One for each webhook. If each woke all webhooks, every retry would add timers of all, without end. */
  const retries = new Map<number, NodeJS.Timeout>()

  /** Serves each webhook independently, so that a slow one delays no other. */
  const startServing = (id: number, signal: AbortSignal): void => {
    const serving = serveWebhook(deps, id, signal, (ms) => retryAfter(id, ms, signal))
      .catch((error: unknown) => {
        if (signal.aborted || isGone(error)) return
        logger.error({ err: error, webhook_id: id }, 'webhook delivery failed')
      })
      .finally(() => {
        active.delete(id)
        // Restarts only this webhook: if each woke the others, two of them could loop for ever.
        if (missed.delete(id) && !signal.aborted) startServing(id, signal)
      })
    active.set(id, serving)
  }
  const retryAfter = (id: number, ms: number, signal: AbortSignal): void => {
    clearTimeout(retries.get(id))
    const retry = () => {
      retries.delete(id)
      if (signal.aborted) return
      if (active.has(id)) missed.add(id)
      else startServing(id, signal)
    }
    retries.set(id, setTimeout(retry, ms).unref())
  }
  const serveAll = async (signal: AbortSignal): Promise<void> => {
    const webhooks = await listWebhooks(db)
    for (const { id } of webhooks.filter((it) => it.status === 'active')) {
      if (active.has(id)) missed.add(id)
      else startServing(id, signal)
    }
  }
  const loop = createLoop(
    async (signal) => {
      await serveAll(signal)
      return POLL_MS
    },
    { retryMs: PAUSE_AFTER_FAILURE_MS, onError: logErrors(logger, 'webhook listing failed') },
  )
  return {
    wake: loop.wake,
    async test(id) {
      const { url } = await getWebhook(db, id)
      const message = testDelivery(now())
      const secret = await getWebhookSecret(deps, id)
      const outcome = await callWebhook(egress, { id, url, secret }, message, { now: now(), signal: NEVER })
      const stored = await insertFinishedDelivery(db, id, { ...message, ...finishedDelivery(outcome, 1, now()) })
      await pruneDeliveries(db, id, MAX_DELIVERIES_KEPT)
      return stored
    },
    async run(signal) {
      await loop.run(signal)
      await Promise.all(active.values())
    },
  }
}

/** The webhook was deleted in the meantime. */
const isGone = (error: unknown) => error instanceof AppError && error.code === 'WEBHOOK_NOT_FOUND'

const NEVER = new AbortController().signal

/** Delivers everything that is due. Calls `retryAfter` if the next retry comes before the next poll. */
async function serveWebhook(
  deps: WebhooksDeps,
  id: number,
  signal: AbortSignal,
  retryAfter: (ms: number) => void,
): Promise<void> {
  const { db, now } = deps
  while (!signal.aborted) {
    const webhook = await getWebhook(db, id)
    if (webhook.status !== 'active') return
    const hasMore = await queueDeliveries(deps, webhook)
    const pending = await listPendingDeliveries(db, id)
    const due = pending.filter((it) => Number(it.next_at) <= now())
    for (const delivery of due) if (!(await deliver(deps, id, delivery, signal))) return
    if (due.length > 0 || hasMore) continue
    const next = Math.min(...pending.map((it) => Number(it.next_at)))
    if (next < now() + POLL_MS) retryAfter(Math.max(next - now(), 1))
    return
  }
}

/** Turns new events into messages, up to the limit. Returns whether there may be more. */
async function queueDeliveries({ db, now }: WebhooksDeps, webhook: Webhook): Promise<boolean> {
  if ((await listPendingDeliveries(db, webhook.id)).length >= MAX_PENDING) return false
  const { news, position } = await listReceiptEvents(db, webhook.position, MAX_DOCUMENTS)
  if (position === webhook.position) return false
  await insertDeliveries(db, webhook, documentDeliveries(webhook, news, now()), position)
  return true
}

/** Returns whether the next message may be sent. */
async function deliver(
  deps: WebhooksDeps,
  id: number,
  delivery: StoredDelivery,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, egress, logger, now } = deps
  const { url, status } = await getWebhook(db, id)
  if (status !== 'active') return false
  const leaseEnd = now() + LEASE_MS
  if (!(await claimDelivery(db, delivery, leaseEnd))) return true
  const outcome = await callWebhook(egress, { id, url, secret: await getWebhookSecret(deps, id) }, delivery, {
    now: now(),
    signal,
  }).catch(async (reason: unknown) => {
    // On shutdown the claim is released, so that the next process need not wait for it to expire.
    await claimDelivery(db, { ...delivery, next_at: leaseEnd }, now())
    throw reason
  })
  const attempts = delivery.attempts + 1
  if (outcome.status === 'delivered') {
    await updateDelivery(db, delivery.id, finishedDelivery(outcome, attempts, now()))
    await pruneDeliveries(db, id, MAX_DELIVERIES_KEPT)
    return true
  }
  logger.warn({ webhook_id: id, delivery_id: delivery.id, attempts, reason: outcome.error }, 'webhook not delivered')
  return retryLater(deps, id, delivery, outcome)
}

type FailedCall = Extract<WebhookCallOutcome, { status: 'failed' }>

async function retryLater(
  { db, now }: WebhooksDeps,
  id: number,
  delivery: StoredDelivery,
  outcome: FailedCall,
): Promise<boolean> {
  const attempts = delivery.attempts + 1
  const next_at = now() + Math.max(outcome.retryAfterMs, webhookBackoffMs(attempts))
  const isOver = outcome.isFinal || next_at > delivery.give_up_at
  const isAlive = isOver && !outcome.isFinal && (await hasDeliveredSince(db, id, delivery.created_at))
  // The endpoint accepts other messages but not this one, so this one is dropped.
  if (isAlive) {
    await updateDelivery(db, delivery.id, finishedDelivery(outcome, attempts, now()))
    return true
  }
  await updateDelivery(db, delivery.id, { ...finishedDelivery(outcome, attempts, now()), next_at })
  if (!isOver) return true
  const why = outcome.isFinal ? '' : 'No delivery succeeded for a day. '
  await pauseWebhook(
    db,
    id,
    `${why}${outcome.error} Resume the webhook when the endpoint accepts messages again.`,
    now(),
  )
  return false
}

/** Exponential backoff with jitter. */
const webhookBackoffMs = (attempts: number) =>
  Math.round(Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_MS) * (0.75 + Math.random() / 2))

const finishedDelivery = (outcome: WebhookCallOutcome, attempts: number, now: number) => ({
  attempts,
  next_at: null,
  delivered_at: outcome.status === 'delivered' ? now : null,
  response_status: outcome.response_status,
  answer: outcome.answer,
  error: outcome.status === 'delivered' ? null : outcome.error,
})
