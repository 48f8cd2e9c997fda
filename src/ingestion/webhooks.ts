// Tells other programs what became of documents. It follows the receipts as the index follows the documents: what was
// not told yet is what stands after the webhook's position, so nothing is lost and nothing piles up.
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import type { Egress } from '../egress/egress.ts'
import type { Database } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'
import {
  claimDelivery,
  hasDelivered,
  insertDeliveries,
  insertFinished,
  listNews,
  listPending,
  pruneDeliveries,
  type StoredDelivery,
  updateDelivery,
} from '../store/webhook-deliveries.ts'
import { getSecret, getWebhook, listWebhooks, pauseWebhook, type Webhook } from '../store/webhooks.ts'
import { createWaiters } from './waiters.ts'
import { CALL_TIMEOUT_MS, type CallOutcome, callWebhook } from './webhook-call.ts'
import { messagesOf, testMessage } from './webhook-message.ts'

/** Documents that one message tells of at most. */
const MAX_DOCUMENTS = 100
/** Messages of one webhook that wait; what they do not tell waits in the receipts. */
const MAX_PENDING = 10
/** Finished ones that are kept to be looked at. */
const KEPT = 100
const FIRST_RETRY_MS = 5_000
const MAX_RETRY_MS = 3_600_000
/** Whoever has taken a message and is gone: then it is anybody's again. */
const LEASE_MS = 2 * CALL_TIMEOUT_MS
/** Another process may have news too. */
const LOOK_MS = 10_000
const PAUSE_AFTER_FAILURE_MS = 5_000

export interface Webhooks {
  /** Says that there may be something to tell. */
  wake(): void
  /** Sends a message without documents at once, also to one that is paused. Answers what came of it. */
  test(id: number): Promise<StoredDelivery>
  /** Works until the signal. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface WebhookNeeds {
  db: Database
  secrets: SecretBox
  egress: Egress
  logger: Logger
  now: () => number
}

export function createWebhooks(needs: WebhookNeeds): Webhooks {
  const { db, egress, logger, now } = needs
  const waiters = createWaiters()
  const underWay = new Map<number, Promise<void>>()
  /** Those that were under way when there was something new: they may have looked before it came. */
  const missed = new Set<number>()

  /** Each webhook by itself: one that is slow delays no other. */
  const start = (id: number, signal: AbortSignal): void => {
    const serving = serve(needs, id, signal, () => waiters.wake())
      .catch((error: unknown) => {
        if (signal.aborted || isGone(error)) return
        logger.error({ err: error, webhook_id: id }, 'a webhook could not be served')
      })
      .finally(() => {
        underWay.delete(id)
        // Only this one: were the others looked at too, two of them could keep each other going for ever.
        if (missed.delete(id) && !signal.aborted) start(id, signal)
      })
    underWay.set(id, serving)
  }
  const begin = async (signal: AbortSignal): Promise<void> => {
    const webhooks = await listWebhooks(db)
    for (const { id } of webhooks.filter((it) => it.status === 'active')) {
      if (underWay.has(id)) missed.add(id)
      else start(id, signal)
    }
  }
  return {
    wake: () => waiters.wake(),
    async test(id) {
      const { url } = await getWebhook(db, id)
      const message = testMessage(now())
      const secret = await getSecret(needs, id)
      const outcome = await callWebhook(egress, { id, url, secret }, message, { now: now(), signal: NEVER })
      const stored = await insertFinished(db, id, { ...message, ...finished(outcome, 1, now()) })
      await pruneDeliveries(db, id, KEPT)
      return stored
    },
    async run(signal) {
      while (!signal.aborted) {
        try {
          await begin(signal)
          await waiters.sleep(LOOK_MS, signal)
        } catch (error) {
          logger.error({ err: error }, 'webhooks cannot be told anything')
          await waiters.sleep(PAUSE_AFTER_FAILURE_MS, signal)
        }
      }
      await Promise.all(underWay.values())
    },
  }
}

/** Deleted meanwhile: there is nobody to tell any more. */
const isGone = (error: unknown) => error instanceof AppError && error.code === 'WEBHOOK_NOT_FOUND'

const NEVER = new AbortController().signal

/** Tells what there is to tell now; what has to wait wakes the caller when its time has come. */
async function serve(needs: WebhookNeeds, id: number, signal: AbortSignal, wake: () => void): Promise<void> {
  const { db, now } = needs
  while (!signal.aborted) {
    const webhook = await getWebhook(db, id)
    if (webhook.status !== 'active') return
    const hasMore = await gather(needs, webhook)
    const pending = await listPending(db, id)
    const due = pending.filter((it) => Number(it.next_at) <= now())
    for (const delivery of due) if (!(await deliver(needs, id, delivery, signal))) return
    if (due.length > 0 || hasMore) continue
    const next = Math.min(...pending.map((it) => Number(it.next_at)))
    if (next < now() + LOOK_MS) setTimeout(wake, Math.max(next - now(), 1)).unref()
    return
  }
}

/** Puts news into messages, as far as there is room. Answers whether there may be more that fit. */
async function gather({ db, now }: WebhookNeeds, webhook: Webhook): Promise<boolean> {
  if ((await listPending(db, webhook.id)).length >= MAX_PENDING) return false
  const { news, position } = await listNews(db, webhook.position, MAX_DOCUMENTS)
  if (position === webhook.position) return false
  await insertDeliveries(db, webhook, messagesOf(webhook, news, now()), position)
  return true
}

/** Answers whether the webhook may be told more. */
async function deliver(
  needs: WebhookNeeds,
  id: number,
  delivery: StoredDelivery,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, egress, logger, now } = needs
  const { url, status } = await getWebhook(db, id)
  if (status !== 'active') return false
  const leaseEnd = now() + LEASE_MS
  if (!(await claimDelivery(db, delivery, leaseEnd))) return true
  const outcome = await callWebhook(egress, { id, url, secret: await getSecret(needs, id) }, delivery, {
    now: now(),
    signal,
  }).catch(async (reason: unknown) => {
    // The service ends: the next one shall not wait for the lease to end.
    await claimDelivery(db, { ...delivery, next_at: leaseEnd }, now())
    throw reason
  })
  const attempts = delivery.attempts + 1
  if (outcome.status === 'delivered') {
    await updateDelivery(db, delivery.id, finished(outcome, attempts, now()))
    await pruneDeliveries(db, id, KEPT)
    return true
  }
  logger.warn({ webhook_id: id, delivery_id: delivery.id, attempts, reason: outcome.error }, 'webhook not delivered')
  return retryLater(needs, id, delivery, outcome)
}

type Failure = Extract<CallOutcome, { status: 'failed' }>

async function retryLater(
  { db, now }: WebhookNeeds,
  id: number,
  delivery: StoredDelivery,
  outcome: Failure,
): Promise<boolean> {
  const attempts = delivery.attempts + 1
  const next_at = now() + Math.max(outcome.retryAfterMs, backoffMs(attempts))
  const isOver = outcome.isFinal || next_at > delivery.give_up_at
  const isAlive = isOver && !outcome.isFinal && (await hasDelivered(db, id, delivery.created_at))
  // The endpoint lives and does not want this one: it stands in no other's way any longer.
  if (isAlive) {
    await updateDelivery(db, delivery.id, finished(outcome, attempts, now()))
    return true
  }
  await updateDelivery(db, delivery.id, { ...finished(outcome, attempts, now()), next_at })
  if (!isOver) return true
  const why = outcome.isFinal ? '' : 'Nothing has arrived for a day. '
  await pauseWebhook(db, id, `${why}${outcome.error} PATCH it with {"status": "active"} to go on.`, now())
  return false
}

/** Twice as long each time, and never for all at once. */
const backoffMs = (attempts: number) =>
  Math.round(Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_MS) * (0.75 + Math.random() / 2))

const finished = (outcome: CallOutcome, attempts: number, now: number) => ({
  attempts,
  next_at: null,
  delivered_at: outcome.status === 'delivered' ? now : null,
  response_status: outcome.response_status,
  answer: outcome.answer,
  error: outcome.status === 'delivered' ? null : outcome.error,
})
