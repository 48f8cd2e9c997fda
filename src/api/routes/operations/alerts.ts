import { z } from 'zod'
import { ALERT_KINDS } from '../../../domain/alerts/alert.ts'
import { alertPage } from '../../../domain/alerts/alert-page.ts'
import { AppError } from '../../../domain/errors.ts'
import type { Subject } from '../../../domain/subject.ts'
import { type AlertScope, getAlert, listAlerts, type StoredAlert } from '../../../store/alerts/alerts.ts'
import {
  type AlertDismissal,
  deleteDismissal,
  EVERYBODY,
  listDismissals,
  upsertDismissal,
} from '../../../store/alerts/dismissals.ts'
import { listManagedPairs } from '../../../store/sources/managed-pairs.ts'
import { nullish, wireDateTime, wireEnum, wirePathInteger } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'

const DISMISSED_FOR = ['me', 'everybody'] as const

const Alert = z
  .object({
    id: z.int(),
    kind: z.enum(ALERT_KINDS),
    object_id: z
      .string()
      .describe(
        'The id of what the alert is about: a pair, a key, a webhook, a provider. Empty for the whole service.',
      ),
    cc_pair_id: z.int().nullable(),
    name: z.string().nullable().describe('The name of what the alert is about.'),
    reason: z.string().nullable().describe('Why, in a sentence of the part that failed.'),
    count: z.int().nullable().describe('The number of documents, people or removals; of a disk, the free megabytes.'),
    since: z.iso.datetime(),
    due_at: z.iso
      .datetime()
      .nullable()
      .describe('The next attempt of a connector, or the end of a key or a certificate.'),
    ended_at: z.iso.datetime().nullable().describe('Null while the condition holds.'),
    page: z.string().describe('The path of the page where a person can act.'),
    dismissed: z
      .object({ for: z.enum(DISMISSED_FOR), until: z.iso.datetime().nullable().describe('Null: until it ends.') })
      .nullable(),
  })
  .meta({ id: 'Alert' })

const AlertList = z
  .object({
    open: z.array(Alert).describe('At most 200, the one that was opened last first. Dismissed alerts are among them.'),
    ended: z.array(Alert).describe('Alerts that ended within the last seven days, the last one first.'),
  })
  .meta({ id: 'AlertList' })

const ENDED_SHOWN_MS = 7 * 86_400_000

/** People who manage pairs see the alerts about them; only administrators see the rest. */
const scopeOf = async ({ db }: RouteServices<'db'>, subject: Subject): Promise<AlertScope> => ({
  isAdmin: subject.rights.has('admin'),
  pairs: await listManagedPairs(db, subject),
})

function alertView(alert: StoredAlert, dismissals: readonly AlertDismissal[], subject: Subject): z.infer<typeof Alert> {
  const own = dismissals.filter((it) => it.alert_id === alert.id)
  const dismissal = own.find((it) => it.user_id === EVERYBODY) ?? own.find((it) => it.user_id === subject.user_id)
  return {
    ...{ id: alert.id, kind: alert.kind, object_id: alert.object_id, cc_pair_id: alert.cc_pair_id },
    ...{ name: alert.name, reason: alert.reason, count: alert.count, since: iso(alert.since) },
    ...{ due_at: isoOrNull(alert.due_at), ended_at: isoOrNull(alert.ended_at), page: alertPage(alert) },
    dismissed: dismissal
      ? { for: dismissal.user_id === EVERYBODY ? 'everybody' : 'me', until: isoOrNull(dismissal.until) }
      : null,
  }
}

async function getView({ db, now }: RouteServices<'db' | 'now'>, subject: Subject, alert: StoredAlert) {
  return alertView(alert, await listDismissals(db, subject.user_id, now()), subject)
}

const AlertPath = z.object({ alert_id: wirePathInteger() })
const DismissalTarget = nullish(wireEnum(DISMISSED_FOR)).describe('Default: me.')

/** Only an administrator decides for everybody. */
function dismissalOwner(subject: Subject, target: (typeof DISMISSED_FOR)[number] | null): string {
  if (target !== 'everybody') return subject.user_id
  if (!subject.rights.has('admin')) throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'admin' })
  return EVERYBODY
}

const alertDefaults = { access: ['connectors', 'curate'], tag: 'Alerts' } as const

export const alertRoutes = [
  route({
    ...alertDefaults,
    name: 'listAlerts',
    method: 'GET',
    path: '/admin/alerts',
    summary: 'List alerts',
    description:
      'Conditions that need an administrator now, with the page where a person can act. Each alert is also sent once to the webhooks that subscribe to `alert.opened`, and by mail to administrators if `SMTP_URL` is set; its end is sent likewise. Administrators see all alerts, others those of the pairs that they manage.',
    reply: AlertList,
    services: ['db', 'alerts', 'logger', 'now'],
    handle: async ({ subject, services }) => {
      const { db, alerts, logger, now } = services
      // The alerts that are known are better than an error: the disk may be full.
      await alerts.check().catch((err: unknown) => logger.error({ err }, 'alert check failed'))
      const found = await listAlerts(db, await scopeOf(services, subject), now() - ENDED_SHOWN_MS)
      const dismissals = await listDismissals(db, subject.user_id, now())
      const view = (it: StoredAlert) => alertView(it, dismissals, subject)
      return { open: found.open.map(view), ended: found.ended.map(view) }
    },
  }),
  route({
    ...alertDefaults,
    name: 'dismissAlert',
    method: 'PUT',
    path: '/admin/alerts/{alert_id}/dismissal',
    summary: 'Dismiss or snooze alert',
    description:
      'The alert is still listed, with `dismissed`, and its end is still reported. With `until`, it comes back then. Only an administrator can dismiss it for everybody.',
    audit: { action: 'alert.dismiss', object: 'alert_id' },
    params: AlertPath,
    body: z
      .object({
        for: DismissalTarget,
        until: nullish(wireDateTime()).describe('Default: until the alert ends.'),
      })
      .meta({ id: 'AlertDismissalRequest' }),
    reply: Alert,
    errors: ['ALERT_NOT_FOUND'],
    services: ['db', 'now'],
    handle: async ({ params, body, subject, services }) => {
      const alert = await getAlert(services.db, await scopeOf(services, subject), params.alert_id)
      const dismissal = { alert_id: alert.id, user_id: dismissalOwner(subject, body.for), until: body.until }
      await upsertDismissal(services.db, dismissal, services.now())
      return getView(services, subject, alert)
    },
  }),
  route({
    ...alertDefaults,
    name: 'restoreAlert',
    method: 'DELETE',
    path: '/admin/alerts/{alert_id}/dismissal',
    summary: 'Show dismissed alert again',
    audit: { action: 'alert.restore', object: 'alert_id' },
    params: AlertPath,
    query: z.object({ for: DismissalTarget }),
    reply: Alert,
    errors: ['ALERT_NOT_FOUND'],
    services: ['db', 'now'],
    handle: async ({ params, query, subject, services }) => {
      const alert = await getAlert(services.db, await scopeOf(services, subject), params.alert_id)
      await deleteDismissal(services.db, alert.id, dismissalOwner(subject, query.for))
      return getView(services, subject, alert)
    },
  }),
]
