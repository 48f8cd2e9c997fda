// Dismissals: one person, or everybody, need not see an alert any more.
import type { Selectable } from 'kysely'
import type { Queryable } from '../database/database.ts'
import type { AlertDismissalRow } from '../database/tables.ts'

/** Stands for everybody. */
export const EVERYBODY = ''

export type AlertDismissal = Pick<Selectable<AlertDismissalRow>, 'alert_id' | 'user_id' | 'until'>

/** Replaces an earlier dismissal. */
export async function upsertDismissal(db: Queryable, dismissal: AlertDismissal, now: number): Promise<void> {
  await db
    .insertInto('alert_dismissal')
    .values({ ...dismissal, time_created: now })
    .onConflict((it) => it.columns(['alert_id', 'user_id']).doUpdateSet({ until: dismissal.until, time_created: now }))
    .execute()
}

export async function deleteDismissal(db: Queryable, alertId: number, userId: string): Promise<void> {
  await db.deleteFrom('alert_dismissal').where('alert_id', '=', alertId).where('user_id', '=', userId).execute()
}

/** Those of this person and of everybody that have not run out. */
export const listDismissals = (db: Queryable, userId: string, now: number): Promise<AlertDismissal[]> =>
  db
    .selectFrom('alert_dismissal')
    .select(['alert_id', 'user_id', 'until'])
    .where('user_id', 'in', [EVERYBODY, userId])
    .where((it) => it.or([it('until', 'is', null), it('until', '>', now)]))
    .orderBy('id')
    .execute()
