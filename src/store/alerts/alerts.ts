// Alerts and their begin and end. Each change that has to be reported is made once, whichever process sees it first.
import { type Selectable, sql } from 'kysely'
import type { AlertCondition, AlertEvent } from '../../domain/alerts/alert.ts'
import { AppError } from '../../domain/errors.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { AlertRow } from '../database/tables.ts'
import { idsOfManaged, type ManagedIds } from '../sources/managed-pairs.ts'

export type StoredAlert = Selectable<AlertRow>

/** Runs in the transaction that opens or closes the alert. */
export type OnAlertEvent = (trx: Queryable, event: AlertEvent, alert: StoredAlert) => Promise<void>

export const listOpenAlerts = (db: Queryable): Promise<StoredAlert[]> =>
  db.selectFrom('alert').selectAll().where('closed_at', 'is', null).orderBy('id').execute()

/**
 * Opens an alert, unless one is open for this condition, or was closed after `readAt`, when the condition was read: then
 * another process knows more.
 */
export const openAlert = (
  db: Database,
  condition: AlertCondition,
  { seenBy, readAt, now }: { seenBy: string; readAt: number; now: number },
  onEvent: OnAlertEvent,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { isLocal, since, ...columns } = condition
    const newer = await selectOf(trx, condition).where('closed_at', '>=', readAt).executeTakeFirst()
    if (newer !== undefined) return
    const alert = await trx
      .insertInto('alert')
      .values({ ...columns, since: since ?? now, opened_at: now, seen_by: isLocal ? seenBy : null, seen_at: now })
      .onConflict((it) => it.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (alert !== undefined) await onEvent(trx, 'alert.opened', alert)
  })

const selectOf = (db: Queryable, { kind, object_id }: Pick<AlertCondition, 'kind' | 'object_id'>) =>
  db.selectFrom('alert').select('id').where('kind', '=', kind).where('object_id', '=', object_id)

/** Stores the present facts of an open alert whose condition holds. */
export async function updateAlert(
  db: Queryable,
  alert: StoredAlert,
  { kind: _, object_id: __, isLocal, since: ___, ...facts }: AlertCondition,
  { seenBy, now }: { seenBy: string; now: number },
): Promise<void> {
  const seen_by = isLocal ? seenBy : null
  await db
    .updateTable('alert')
    .set({ ...facts, ended_at: null, seen_by, seen_at: now })
    .where('id', '=', alert.id)
    .where('closed_at', 'is', null)
    .execute()
}

/** Notes that the condition no longer holds. The alert stays open, and its end is not reported yet. */
export async function endAlert(db: Queryable, id: number, now: number): Promise<void> {
  await db.updateTable('alert').set({ ended_at: now }).where('id', '=', id).where('ended_at', 'is', null).execute()
}

/** Closes the alert, unless it was closed, or seen by another process since `readAt`. */
export const closeAlert = (
  db: Database,
  id: number,
  { readAt, now }: { readAt: number; now: number },
  onEvent: OnAlertEvent,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const alert = await trx
      .updateTable('alert')
      .set({ closed_at: now, ended_at: sql<number>`coalesce(ended_at, ${now})` })
      .where('id', '=', id)
      .where('closed_at', 'is', null)
      .where('seen_at', '<=', readAt)
      .returningAll()
      .executeTakeFirst()
    if (alert !== undefined) await onEvent(trx, 'alert.closed', alert)
  })

/** How often alerts of this condition were closed since then. */
export async function countClosings(db: Queryable, alert: StoredAlert, since: number): Promise<number> {
  return (await selectOf(db, alert).where('closed_at', '>', since).execute()).length
}

/** The alerts that the subject may see: all, or those of these pairs. */
export interface AlertScope {
  pairs: ManagedIds
  isAdmin: boolean
}

const MAX_LISTED = 200

/** Those that hold, the one that was opened last first, and those that ended since then, the last one first. */
export async function listAlerts(
  db: Queryable,
  scope: AlertScope,
  endedSince: number,
): Promise<{ open: StoredAlert[]; ended: StoredAlert[] }> {
  const visible = selectVisible(db, scope).selectAll().limit(MAX_LISTED)
  const open = await visible
    .where('ended_at', 'is', null)
    .where('closed_at', 'is', null)
    .orderBy('id', 'desc')
    .execute()
  const ended = await visible.where('ended_at', '>', endedSince).orderBy('ended_at', 'desc').orderBy('id').execute()
  return { open, ended }
}

/** ALERT_NOT_FOUND: there is no such alert, or the subject may not see it. */
export async function getAlert(db: Queryable, scope: AlertScope, id: number): Promise<StoredAlert> {
  const alert = await selectVisible(db, scope).selectAll().where('id', '=', id).executeTakeFirst()
  if (alert === undefined) throw new AppError('ALERT_NOT_FOUND', { id })
  return alert
}

const selectVisible = (db: Queryable, { pairs, isAdmin }: AlertScope) =>
  db
    .selectFrom('alert')
    .$if(!isAdmin, (it) => it.where('cc_pair_id', 'is not', null))
    .$if(!isAdmin && pairs !== 'all', (it) => it.where('cc_pair_id', 'in', idsOfManaged(pairs)))

/** Deletes alerts that were closed before then, with what belongs to them. */
export const expireAlerts = (db: Database, before: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const old = trx.selectFrom('alert').select('id').where('closed_at', '<', before)
    await trx.deleteFrom('alert_dismissal').where('alert_id', 'in', old).execute()
    await trx.deleteFrom('alert_mail').where('alert_id', 'in', old).execute()
    await trx.deleteFrom('alert').where('closed_at', '<', before).execute()
  })
