// Mails about alerts that wait to be sent. All that are due for a person leave in one mail.
import type { AlertEvent, AlertKind } from '../../domain/alerts/alert.ts'
import type { Database, Queryable } from '../database/database.ts'

/** Adds a mail for each administrator who can sign in. */
export async function insertAlertMails(
  trx: Queryable,
  { alert_id, event }: { alert_id: number; event: AlertEvent },
  { now, giveUpAt }: { now: number; giveUpAt: number },
): Promise<void> {
  const people = await trx
    .selectFrom('person')
    .select('id')
    .where('role', '=', 'admin')
    .where('is_active', '=', 1)
    .where((it) => it.or([it('is_verified', '=', 1), it('password_hash', 'is not', null)]))
    .execute()
  for (const { id: person_id } of people) {
    const mail = { alert_id, person_id, event, next_at: now, give_up_at: giveUpAt }
    await trx.insertInto('alert_mail').values(mail).execute()
  }
}

/**
 * For an alert that ended: forgets mails about its begin that were not sent. Returns whether any was: then the end has to
 * be mailed as well.
 */
export async function withdrawOpeningMails(trx: Queryable, alertId: number): Promise<boolean> {
  await trx.deleteFrom('alert_mail').where('alert_id', '=', alertId).where('next_at', 'is not', null).execute()
  const sent = await trx
    .selectFrom('alert_mail')
    .select('id')
    .where('alert_id', '=', alertId)
    .limit(1)
    .executeTakeFirst()
  return sent !== undefined
}

export interface DueMail {
  id: number
  event: AlertEvent
  kind: AlertKind
  attempts: number
  give_up_at: number
}

/** People who get a mail now, and their addresses. Those who are no administrators any more get none. */
export const listDueRecipients = (db: Queryable, now: number): Promise<{ person_id: string; email: string }[]> =>
  db
    .selectFrom('alert_mail')
    .innerJoin('person', 'person.id', 'alert_mail.person_id')
    .select(['person_id', 'email'])
    .distinct()
    .where('next_at', '<=', now)
    .where('role', '=', 'admin')
    .where('is_active', '=', 1)
    .execute()

/** When mails left for the person since then, each once, the oldest first. */
export async function listSendTimes(db: Queryable, personId: string, since: number): Promise<number[]> {
  const rows = await db
    .selectFrom('alert_mail')
    .select('sent_at')
    .distinct()
    .where('person_id', '=', personId)
    .where('sent_at', '>', since)
    .orderBy('sent_at')
    .execute()
  return rows.flatMap((it) => it.sent_at ?? [])
}

/** Claims everything that is due for the person, until then: another process that claims at the same time gets nothing. */
export const claimDueMails = (db: Database, personId: string, { now, until }: { now: number; until: number }) =>
  db.transaction().execute(async (trx): Promise<DueMail[]> => {
    const due = await trx
      .selectFrom('alert_mail')
      .innerJoin('alert', 'alert.id', 'alert_mail.alert_id')
      .select(['alert_mail.id', 'event', 'kind', 'attempts', 'give_up_at'])
      .where('person_id', '=', personId)
      .where('next_at', '<=', now)
      .orderBy('alert_mail.id')
      .execute()
    await setNext(trx, due, until)
    return due
  })

const setNext = (db: Queryable, mails: readonly Pick<DueMail, 'id'>[], next_at: number) =>
  db.updateTable('alert_mail').set({ next_at }).where('id', 'in', idsOf(mails)).execute()

/** SQL has no empty list; no mail has the id -1. */
const idsOf = (mails: readonly Pick<DueMail, 'id'>[]): number[] => [-1, ...mails.map((it) => it.id)]

export async function markSent(db: Database, mails: readonly DueMail[], now: number): Promise<void> {
  await db.updateTable('alert_mail').set({ next_at: null, sent_at: now }).where('id', 'in', idsOf(mails)).execute()
}

export async function postponeMails(db: Database, mails: readonly DueMail[], nextAt: number): Promise<void> {
  await db
    .updateTable('alert_mail')
    .set((it) => ({ next_at: nextAt, attempts: it('attempts', '+', 1) }))
    .where('id', 'in', idsOf(mails))
    .execute()
}

/** The end of the day of a mail: it is not sent any more. */
export async function deleteLateMails(db: Database, now: number): Promise<void> {
  await db.deleteFrom('alert_mail').where('next_at', 'is not', null).where('give_up_at', '<=', now).execute()
}
