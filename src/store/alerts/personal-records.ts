// Personal data in connection with alerts. The ids are those of `userIdsOf`.
import type { Queryable } from '../database/database.ts'

/** SQL has no empty list; the empty id stands for everybody, and is nobody's. */
const namesOf = (ids: readonly string[]): string[] => ids.filter((it) => it !== '')

export async function findAlertRecords(db: Queryable, ids: readonly string[]) {
  const owners = namesOf(ids)
  if (owners.length === 0) return { alert_dismissals: [], alert_mails: [] }
  return {
    alert_dismissals: await db
      .selectFrom('alert_dismissal')
      .select(['alert_id', 'until', 'time_created'])
      .where('user_id', 'in', owners)
      .orderBy('id')
      .execute(),
    alert_mails: await db
      .selectFrom('alert_mail')
      .select(['alert_id', 'event', 'sent_at'])
      .where('person_id', 'in', owners)
      .orderBy('id')
      .execute(),
  }
}

export async function deleteAlertRecords(trx: Queryable, ids: readonly string[]): Promise<void> {
  const owners = namesOf(ids)
  if (owners.length === 0) return
  await trx.deleteFrom('alert_dismissal').where('user_id', 'in', owners).execute()
  await trx.deleteFrom('alert_mail').where('person_id', 'in', owners).execute()
}
