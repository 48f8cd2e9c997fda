// Who is told of documents. The secret is sealed; whoever sends opens it.
import type { Selectable, Updateable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { WebhookEvent, WebhookStatus } from '../domain/webhook.ts'
import type { Database, Queries } from './database.ts'
import type { SecretBox } from './secret-box.ts'
import type { WebhookRow } from './tables.ts'

const MAX_WEBHOOKS = 100

export interface Webhook {
  id: number
  url: string
  events: WebhookEvent[]
  /** Null for every pair. */
  cc_pair_ids: number[] | null
  status: WebhookStatus
  /** Why it is paused. */
  reason: string | null
  /** How far the stream of receipts was told. */
  position: number
  time_created: number
  time_updated: number
}

export type WebhookChange = Partial<Pick<Webhook, 'url' | 'events' | 'cc_pair_ids' | 'status' | 'reason'>>

interface Store {
  db: Database
  secrets: SecretBox
}

/** It is told of what happens from now on. */
export function insertWebhook(
  { db, secrets }: Store,
  webhook: Pick<Webhook, 'url' | 'events' | 'cc_pair_ids'>,
  secret: string,
  now: number,
): Promise<Webhook> {
  return db.transaction().execute(async (trx) => {
    const { count } = await trx
      .selectFrom('webhook')
      .select((it) => it.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= MAX_WEBHOOKS) throw new AppError('TOO_MANY_WEBHOOKS', { count: MAX_WEBHOOKS })
    const { value: position } = await trx
      .selectFrom('sequence')
      .select('value')
      .where('name', '=', 'mark')
      .executeTakeFirstOrThrow()
    const { id } = await trx
      .insertInto('webhook')
      .values({
        url: webhook.url,
        events: JSON.stringify(webhook.events),
        cc_pair_ids: webhook.cc_pair_ids === null ? null : JSON.stringify(webhook.cc_pair_ids),
        secret: '',
        status: 'active',
        reason: null,
        position,
        time_created: now,
        time_updated: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await sealSecret(trx, secrets, id, secret)
    return getWebhook(trx, id)
  })
}

export async function getWebhook(db: Queries, id: number): Promise<Webhook> {
  const row = await db.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('WEBHOOK_NOT_FOUND', { id })
  return webhookOf(row)
}

export async function listWebhooks(db: Queries): Promise<Webhook[]> {
  return (await db.selectFrom('webhook').selectAll().orderBy('id').execute()).map(webhookOf)
}

export async function getSecret({ db, secrets }: Store, id: number): Promise<string> {
  const row = await db.selectFrom('webhook').select('secret').where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('WEBHOOK_NOT_FOUND', { id })
  return secrets.open(row.secret, placeOf(id))
}

/** Changes only what is there. One that is active again tries at once what waits. */
export function updateWebhook(
  { db, secrets }: Store,
  id: number,
  { secret, ...change }: WebhookChange & { secret?: string },
  { now, giveUpAt }: { now: number; giveUpAt: number },
): Promise<Webhook> {
  return db.transaction().execute(async (trx) => {
    await getWebhook(trx, id)
    await trx
      .updateTable('webhook')
      .set({ ...columnsOf(change), time_updated: now })
      .where('id', '=', id)
      .execute()
    if (secret !== undefined) await sealSecret(trx, secrets, id, secret)
    if (change.status === 'active') {
      await trx
        .updateTable('webhook_delivery')
        .set({ next_at: now, give_up_at: giveUpAt, attempts: 0 })
        .where('webhook_id', '=', id)
        .where('next_at', 'is not', null)
        .execute()
    }
    return getWebhook(trx, id)
  })
}

/** What it was not told yet goes with it. */
export const deleteWebhook = (db: Database, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx.deleteFrom('webhook_delivery').where('webhook_id', '=', id).execute()
    const { numDeletedRows } = await trx.deleteFrom('webhook').where('id', '=', id).executeTakeFirst()
    if (numDeletedRows === 0n) throw new AppError('WEBHOOK_NOT_FOUND', { id })
  })

/** A webhook that is gone meanwhile needs no pause. */
export async function pauseWebhook(db: Database, id: number, reason: string, now: number): Promise<void> {
  await db
    .updateTable('webhook')
    .set({ status: 'paused', reason, time_updated: now })
    .where('id', '=', id)
    .where('status', '=', 'active')
    .execute()
}

const placeOf = (id: number) => `webhook/${id}/secret` as const

const sealSecret = (db: Queries, secrets: SecretBox, id: number, secret: string) =>
  db
    .updateTable('webhook')
    .set({ secret: secrets.seal(secret, placeOf(id)) })
    .where('id', '=', id)
    .execute()

const columnsOf = ({ events, cc_pair_ids, ...rest }: WebhookChange): Updateable<WebhookRow> => ({
  ...rest,
  ...(events !== undefined && { events: JSON.stringify(events) }),
  ...(cc_pair_ids !== undefined && { cc_pair_ids: cc_pair_ids === null ? null : JSON.stringify(cc_pair_ids) }),
})

const webhookOf = ({ secret: _, ...row }: Selectable<WebhookRow>): Webhook => ({
  ...row,
  events: JSON.parse(row.events),
  cc_pair_ids: row.cc_pair_ids === null ? null : JSON.parse(row.cc_pair_ids),
  status: row.status as WebhookStatus, // What `updateWebhook` and `pauseWebhook` write.
})
