// What was said of documents, in its order, and the messages that tell others of it.
import type { Selectable } from 'kysely'
import type { Database, Queries, Statement } from './database.ts'
import { listPairsOfDocuments } from './document-lists.ts'
import type { WebhookDeliveryRow } from './tables.ts'
import { getWebhook } from './webhooks.ts'

export type StoredDelivery = Selectable<WebhookDeliveryRow>

/** What the newest receipt of a document says. */
export interface News {
  document_id: string
  accepted_at: number
  indexed_at: number | null
  chunk_count: number | null
  attempts: number
  error: string | null
  cc_pairs: { id: number; name: string }[]
}

/**
 * The next receipts after `position`, and how far that goes. Left out is what does not count any more or not yet: about
 * a version that was replaced, about a deleted document, about a failure that will be tried again by itself.
 */
export async function listNews(
  db: Queries,
  position: number,
  limit: number,
): Promise<{ news: News[]; position: number }> {
  const rows = await db
    .selectFrom('receipt')
    .leftJoin('document', (join) =>
      join
        .onRef('document.id', '=', 'receipt.document_id')
        .onRef('document.seq', '=', 'receipt.seq')
        .on('document.deleted_at', 'is', null),
    )
    .select(['receipt.mark', 'receipt.document_id', 'receipt.indexed_at', 'receipt.chunk_count', 'receipt.attempts'])
    .select(['receipt.error', 'receipt.retry_at', 'document.accepted_at'])
    .where('receipt.mark', '>', position)
    .orderBy('receipt.mark')
    .limit(limit)
    .execute()
  const counting = rows.filter((it) => it.retry_at === null && it.accepted_at !== null)
  const pairs = await listPairsOfDocuments(
    db,
    counting.map((it) => it.document_id),
  )
  const news = counting.map(({ mark: _, retry_at: __, accepted_at, ...it }) => ({
    ...it,
    accepted_at: accepted_at ?? 0,
    cc_pairs: pairs.get(it.document_id) ?? [],
  }))
  return { news, position: rows.at(-1)?.mark ?? position }
}

export type NewDelivery = Pick<
  StoredDelivery,
  'message_id' | 'event' | 'payload' | 'documents' | 'created_at' | 'give_up_at'
>

/** Nothing, if somebody else has told these news already. */
const INSERT = `insert into webhook_delivery
    (webhook_id, message_id, event, payload, documents, created_at, give_up_at, attempts, next_at)
  select id, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?6 from webhook where id = ?1 and position = ?8 and status = 'active'`
const MOVE = `update webhook set position = ?3 where id = ?1 and position = ?2`
/** Comes first: where many write at once, it makes them take turns. */
const TURN = `update webhook set position = position where id = ?1`

/** Keeps the messages and moves the webhook on, together. */
export async function insertDeliveries(
  db: Database,
  webhook: { id: number; position: number },
  deliveries: readonly NewDelivery[],
  position: number,
): Promise<void> {
  const inserts: Statement[] = deliveries.map((it) => ({
    sql: INSERT,
    parameters: [
      ...[webhook.id, it.message_id, it.event, it.payload, it.documents],
      ...[it.created_at, it.give_up_at, webhook.position],
    ],
  }))
  const [result] = await db.commit([
    [
      { sql: TURN, parameters: [webhook.id] },
      ...inserts,
      { sql: MOVE, parameters: [webhook.id, webhook.position, position] },
    ],
  ])
  if (!result!.ok) throw result!.error
}

/** The messages of a webhook that are not delivered yet, oldest first. */
export const listPending = (db: Queries, webhookId: number): Promise<StoredDelivery[]> =>
  db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('next_at', 'is not', null)
    .orderBy('id')
    .execute()

export const listDeliveries = (db: Queries, webhookId: number, limit: number): Promise<StoredDelivery[]> =>
  db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Whether the message is the caller's to send until then: nobody else has taken it since it was read. */
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

/** One that was sent already. WEBHOOK_NOT_FOUND when the webhook was deleted meanwhile. */
export const insertFinished = (
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

/** Whether anything of the webhook arrived since then. */
export async function hasDelivered(db: Queries, webhookId: number, since: number): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('delivered_at', '>=', since)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Keeps the newest finished ones of a webhook. */
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
