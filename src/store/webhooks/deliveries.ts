// Events of documents in order, and the webhook messages about them.
import type { Selectable } from 'kysely'
import type { DocumentWarning } from '../../domain/document.ts'
import { STATE_EVENTS, type StateEvent } from '../../domain/webhook.ts'
import { commitStatements } from '../database/commit-statements.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'
import type { WebhookDeliveryRow } from '../database/tables.ts'
import { listPairsOfDocuments } from '../documents/lists.ts'
import { warningsOfRow } from '../documents/receipts.ts'
import { getWebhook, listWebhooks } from './webhooks.ts'

export type StoredDelivery = Selectable<WebhookDeliveryRow>

/** Content of the newest receipt of a document. */
export interface ReceiptEvent {
  document_id: string
  accepted_at: number
  indexed_at: number | null
  chunk_count: number | null
  attempts: number
  error: string | null
  cc_pairs: { id: number; name: string }[]
  warnings: DocumentWarning[]
}

/**
 * Returns the next receipts after `position` and the new position. Leaves out receipts of replaced versions, of deleted
 * documents, and of failures that will be retried.
 */
export async function listReceiptEvents(
  db: Queryable,
  position: number,
  limit: number,
): Promise<{ news: ReceiptEvent[]; position: number }> {
  const rows = await db
    .selectFrom('receipt')
    .leftJoin('document', (join) =>
      join
        .onRef('document.id', '=', 'receipt.document_id')
        .onRef('document.seq', '=', 'receipt.seq')
        .on('document.deleted_at', 'is', null),
    )
    .select(['receipt.mark', 'receipt.document_id', 'receipt.indexed_at', 'receipt.chunk_count', 'receipt.attempts'])
    .select(['receipt.error', 'receipt.retry_at', 'document.accepted_at', 'document.no_text'])
    .where('receipt.mark', '>', position)
    .orderBy('receipt.mark')
    .limit(limit)
    .execute()
  const counting = rows.filter((it) => it.retry_at === null && it.accepted_at !== null)
  const pairs = await listPairsOfDocuments(
    db,
    counting.map((it) => it.document_id),
  )
  const news = counting.map(({ mark: _, retry_at: __, accepted_at, no_text, ...it }) => ({
    ...it,
    accepted_at: accepted_at ?? 0,
    cc_pairs: pairs.get(it.document_id) ?? [],
    warnings: warningsOfRow({ no_text }),
  }))
  return { news, position: rows.at(-1)?.mark ?? position }
}

export type NewDelivery = Pick<
  StoredDelivery,
  'message_id' | 'event' | 'payload' | 'documents' | 'created_at' | 'give_up_at'
>

/** Inserts nothing if another process has already delivered these events. */
const INSERT_DELIVERY = `insert into webhook_delivery
    (webhook_id, message_id, event, payload, documents, created_at, give_up_at, attempts, next_at)
  select id, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?6 from webhook where id = ?1 and position = ?8 and status = 'active'`
const ADVANCE_WEBHOOK = `update webhook set position = ?3 where id = ?1 and position = ?2`
/** Runs first: it serializes concurrent writers. */
const LOCK_WEBHOOK = `update webhook set position = position where id = ?1`

/** Stores the messages and advances the webhook, atomically. */
export async function insertDeliveries(
  db: Database,
  webhook: { id: number; position: number },
  deliveries: readonly NewDelivery[],
  position: number,
): Promise<void> {
  const inserts: SqlStatement[] = deliveries.map((it) => ({
    sql: INSERT_DELIVERY,
    parameters: [
      ...[webhook.id, it.message_id, it.event, it.payload, it.documents],
      ...[it.created_at, it.give_up_at, webhook.position],
    ],
  }))
  await commitStatements(db, [
    { sql: LOCK_WEBHOOK, parameters: [webhook.id] },
    ...inserts,
    { sql: ADVANCE_WEBHOOK, parameters: [webhook.id, webhook.position, position] },
  ])
}

/** Pending messages about states per webhook; newer ones supersede older ones. */
const MAX_PENDING_STATE_DELIVERIES = 100

/**
 * Inserts a message for each webhook that subscribes to the pair, paused ones included. Events of no pair are for
 * webhooks that subscribe to all.
 */
export async function insertStateDeliveries(
  trx: Queryable,
  { cc_pair_id, event }: { cc_pair_id: number | null; event: StateEvent },
  createMessage: () => NewDelivery,
): Promise<void> {
  const wanted = (await listWebhooks(trx)).filter(
    (it) =>
      it.events.includes(event) &&
      (it.cc_pair_ids === null || (cc_pair_id !== null && it.cc_pair_ids.includes(cc_pair_id))),
  )
  for (const { id } of wanted) {
    const message = createMessage()
    const delivery = { webhook_id: id, ...message, attempts: 0, next_at: message.created_at }
    await trx.insertInto('webhook_delivery').values(delivery).execute()
    await dropOldStateDeliveries(trx, id)
  }
}

async function dropOldStateDeliveries(trx: Queryable, webhookId: number): Promise<void> {
  const waiting = trx
    .selectFrom('webhook_delivery')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('next_at', 'is not', null)
    .where('event', 'in', STATE_EVENTS)
  const oldest = await waiting.orderBy('id', 'desc').offset(MAX_PENDING_STATE_DELIVERIES).limit(1).executeTakeFirst()
  if (oldest === undefined) return
  await trx.deleteFrom('webhook_delivery').where('id', 'in', waiting).where('id', '<=', oldest.id).execute()
}

/** Lists the undelivered messages of a webhook, oldest first. */
export const listPendingDeliveries = (db: Queryable, webhookId: number): Promise<StoredDelivery[]> =>
  db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('next_at', 'is not', null)
    .orderBy('id')
    .execute()

export const listDeliveries = (db: Queryable, webhookId: number, limit: number): Promise<StoredDelivery[]> =>
  db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Returns whether the caller may send the message until then: nobody else has claimed it since it was read. */
export async function claimDelivery(db: Database, delivery: StoredDelivery, until: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_delivery')
    .set({ next_at: until })
    .where('id', '=', delivery.id)
    .where('next_at', '=', delivery.next_at)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export type DeliveryOutcome = Pick<
  StoredDelivery,
  'attempts' | 'next_at' | 'delivered_at' | 'response_status' | 'answer' | 'error'
>

export async function updateDelivery(db: Database, id: number, outcome: DeliveryOutcome): Promise<void> {
  await db.updateTable('webhook_delivery').set(outcome).where('id', '=', id).execute()
}

/** Inserts a message that was already sent. WEBHOOK_NOT_FOUND: the webhook was deleted meanwhile. */
export const insertFinishedDelivery = (
  db: Database,
  webhookId: number,
  delivery: NewDelivery & DeliveryOutcome,
): Promise<StoredDelivery> =>
  db.transaction().execute(async (trx) => {
    await getWebhook(trx, webhookId)
    return trx
      .insertInto('webhook_delivery')
      .values({ webhook_id: webhookId, ...delivery })
      .returningAll()
      .executeTakeFirstOrThrow()
  })

/** Tells whether a message of the webhook was delivered since then. */
export async function hasDeliveredSince(db: Queryable, webhookId: number, since: number): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('delivered_at', '>=', since)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Keeps the newest finished messages of a webhook. */
export async function pruneDeliveries(db: Database, webhookId: number, kept: number): Promise<void> {
  const newest = db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .orderBy('id', 'desc')
    .limit(kept)
  await db
    .deleteFrom('webhook_delivery')
    .where('webhook_id', '=', webhookId)
    .where('next_at', 'is', null)
    .where('id', 'not in', newest)
    .execute()
}
