// Queues the messages about the begin or the end of an alert, in the transaction that makes it.
import type { AlertEvent } from '../domain/alerts/alert.ts'
import { alertPage } from '../domain/alerts/alert-page.ts'
import { alertDelivery } from '../ingestion/webhooks/message.ts'
import { insertAlertMails, withdrawOpeningMails } from '../store/alerts/alert-mails.ts'
import type { StoredAlert } from '../store/alerts/alerts.ts'
import type { Queryable } from '../store/database/database.ts'
import { insertStateDeliveries } from '../store/webhooks/deliveries.ts'

/** A mail that could not be sent for so long is news no more. */
const MAIL_AGE_MS = 86_400_000

export async function queueReports(
  trx: Queryable,
  { event, alert }: { event: AlertEvent; alert: StoredAlert },
  { withMail, now }: { withMail: boolean; now: number },
): Promise<void> {
  await insertStateDeliveries(trx, { cc_pair_id: alert.cc_pair_id, event }, () =>
    alertDelivery(event, messageOf(alert), now),
  )
  // An alert that ended before its mail left is not mailed at all.
  const isNews = event === 'alert.opened' || (await withdrawOpeningMails(trx, alert.id))
  if (withMail && isNews)
    await insertAlertMails(trx, { alert_id: alert.id, event }, { now, giveUpAt: now + MAIL_AGE_MS })
}

const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())

const messageOf = (alert: StoredAlert) => ({
  id: alert.id,
  kind: alert.kind,
  object_id: alert.object_id,
  name: alert.name,
  cc_pair_id: alert.cc_pair_id,
  reason: alert.reason,
  count: alert.count,
  since: new Date(alert.since).toISOString(),
  due_at: iso(alert.due_at),
  ended_at: iso(alert.ended_at),
  page: alertPage(alert),
})
