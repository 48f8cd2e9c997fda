// Webhooks and their sealed secrets.
import type { Selectable, Updateable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import type { WebhookEvent, WebhookStatus } from '../../domain/webhook.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { WebhookRow } from '../database/tables.ts'
import type { DatabaseWithSecrets, SecretBox } from '../secrets/secret-box.ts'

const MAX_WEBHOOKS = 100

export interface Webhook {
  id: number
  url: string
  events: WebhookEvent[]
  /** Null for all pairs. */
  cc_pair_ids: number[] | null
  status: WebhookStatus
  /** Why it is paused. */
  reason: string | null
  /** Position in the stream of receipts. */
  position: number
  time_created: number
  time_updated: number
}

export type WebhookChange = Partial<Pick<Webhook, 'url' | 'events' | 'cc_pair_ids' | 'status' | 'reason'>>

/** It receives events from now on. */
export function insertWebhook(
  { db, secrets }: DatabaseWithSecrets,
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
    await sealWebhookSecret(trx, secrets, id, secret)
    return getWebhook(trx, id)
  })
}

export async function getWebhook(db: Queryable, id: number): Promise<Webhook> {
  const row = await db.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('WEBHOOK_NOT_FOUND', { id })
  return toWebhook(row)
}

export async function listWebhooks(db: Queryable): Promise<Webhook[]> {
  return (await db.selectFrom('webhook').selectAll().orderBy('id').execute()).map(toWebhook)
}

export async function getWebhookSecret({ db, secrets }: DatabaseWithSecrets, id: number): Promise<string> {
  const row = await db.selectFrom('webhook').select('secret').where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('WEBHOOK_NOT_FOUND', { id })
  return secrets.open(row.secret, webhookSecretLocation(id))
}

/** Changes only the given fields. Activating it retries pending messages at once. */
export function updateWebhook(
  { db, secrets }: DatabaseWithSecrets,
  id: number,
  { secret, ...change }: WebhookChange & { secret?: string },
  { now, giveUpAt }: { now: number; giveUpAt: number },
): Promise<Webhook> {
  return db.transaction().execute(async (trx) => {
    await getWebhook(trx, id)
    await trx
      .updateTable('webhook')
      .set({ ...webhookColumns(change), time_updated: now })
      .where('id', '=', id)
      .execute()
    if (secret !== undefined) await sealWebhookSecret(trx, secrets, id, secret)
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

/** Deletes its undelivered messages as well. */
export const deleteWebhook = (db: Database, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx.deleteFrom('webhook_delivery').where('webhook_id', '=', id).execute()
    const { numDeletedRows } = await trx.deleteFrom('webhook').where('id', '=', id).executeTakeFirst()
    if (numDeletedRows === 0n) throw new AppError('WEBHOOK_NOT_FOUND', { id })
  })

/** A webhook that was deleted meanwhile is ignored. */
export async function pauseWebhook(db: Database, id: number, reason: string, now: number): Promise<void> {
  await db
    .updateTable('webhook')
    .set({ status: 'paused', reason, time_updated: now })
    .where('id', '=', id)
    .where('status', '=', 'active')
    .execute()
}

const webhookSecretLocation = (id: number) => `webhook/${id}/secret` as const

const sealWebhookSecret = (db: Queryable, secrets: SecretBox, id: number, secret: string) =>
  db
    .updateTable('webhook')
    .set({ secret: secrets.seal(secret, webhookSecretLocation(id)) })
    .where('id', '=', id)
    .execute()

const webhookColumns = ({ events, cc_pair_ids, ...rest }: WebhookChange): Updateable<WebhookRow> => ({
  ...rest,
  ...(events !== undefined && { events: JSON.stringify(events) }),
  ...(cc_pair_ids !== undefined && { cc_pair_ids: cc_pair_ids === null ? null : JSON.stringify(cc_pair_ids) }),
})

const toWebhook = ({ secret: _, ...row }: Selectable<WebhookRow>): Webhook => ({
  ...row,
  events: JSON.parse(row.events),
  cc_pair_ids: row.cc_pair_ids === null ? null : JSON.parse(row.cc_pair_ids),
})
