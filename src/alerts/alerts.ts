// Opens an alert when a condition begins, and closes it when the condition has ended. The record holds the open alerts, so
// that a restart reports nothing twice.
import { randomUUID } from 'node:crypto'
import type { AlertCondition, AlertKind } from '../domain/alerts/alert.ts'
import type { Logger } from '../domain/logger.ts'
import { createLoop, logErrors } from '../flow/background-loop.ts'
import type { Mail } from '../mail/mail.ts'
import {
  closeAlert,
  countClosings,
  endAlert,
  expireAlerts,
  listOpenAlerts,
  type OnAlertEvent,
  openAlert,
  type StoredAlert,
  updateAlert,
} from '../store/alerts/alerts.ts'
import type { Database } from '../store/database/database.ts'
import { createAlertMails } from './alert-mails.ts'
import { closingDelayMs, FLAP_WINDOW_MS } from './closing-delay.ts'
import type { ServiceProbes } from './conditions/service-conditions.ts'
import { createConditionReader } from './read-conditions.ts'
import { queueReports } from './report-event.ts'

export interface Alerts {
  /** Compares the conditions with the open alerts. Calls within a second share one comparison. */
  check(): Promise<void>
  /** Announces that conditions may have changed. */
  wake(): void
  /** Deletes alerts that ended long ago. */
  expire(): Promise<void>
  /** Runs until the signal. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface AlertsDeps {
  db: Database
  probes: ServiceProbes
  mail: Pick<Mail, 'isConfigured' | 'send'>
  /** Called when a webhook message was stored. */
  onWebhookEvent: () => void
  logger: Logger
  now: () => number
}

const POLL_MS = 10_000
/** The first models and connections need a moment. */
const START_AFTER_MS = 3_000
const PAUSE_AFTER_FAILURE_MS = 10_000
const SHARED_MS = 1_000
const KEPT_MS = 90 * 86_400_000

export function createAlerts(deps: AlertsDeps): Alerts {
  const { db, mail, onWebhookEvent, logger, now } = deps
  let hasNews = false
  const reader = createConditionReader(deps)
  const mails = createAlertMails(deps)
  const onEvent: OnAlertEvent = async (trx, event, alert) => {
    await queueReports(trx, { event, alert }, { withMail: mail.isConfigured, now: now() })
    logger.info({ kind: alert.kind, alert_id: alert.id, cc_pair_id: alert.cc_pair_id }, event.replace('.', ' '))
    hasNews = true
  }
  /** After the transactions, so that the senders find the messages. */
  const announce = () => {
    if (!hasNews) return
    hasNews = false
    onWebhookEvent()
    mails.wake()
  }
  const compare = createComparison({ db, seenBy: randomUUID(), now, onEvent })
  let current: Promise<void> = Promise.resolve()
  let nextAt = 0
  const check = (): Promise<void> => {
    if (now() < nextAt) return current
    nextAt = now() + SHARED_MS
    // One after the other: a later comparison knows more.
    current = current
      .catch(() => {})
      .then(async () => {
        const readAt = now()
        const open = await listOpenAlerts(db)
        await compare(open, await reader.read(new Set(open.map((it): AlertKind => it.kind))), readAt)
      })
      .finally(announce)
    return current
  }
  const loop = createLoop(
    async () => {
      await check()
      return POLL_MS
    },
    { startAfterMs: START_AFTER_MS, retryMs: PAUSE_AFTER_FAILURE_MS, onError: logErrors(logger, 'alert check failed') },
  )
  return {
    check,
    wake() {
      reader.invalidate()
      nextAt = 0
      loop.wake()
    },
    expire: () => expireAlerts(db, now() - KEPT_MS),
    async run(signal) {
      await Promise.all([loop.run(signal), mails.run(signal)])
    },
  }
}

interface ComparisonDeps {
  db: Database
  seenBy: string
  now: () => number
  onEvent: OnAlertEvent
}

/** A condition that only one process sees counts as present this long after that process has seen it. */
const LOCAL_MS = 60_000

function createComparison({ db, seenBy, now, onEvent }: ComparisonDeps) {
  const keyOf = ({ kind, object_id }: Pick<AlertCondition, 'kind' | 'object_id'>) => `${kind} ${object_id}`
  const finish = async (alert: StoredAlert, readAt: number): Promise<void> => {
    const isSeenElsewhere = alert.seen_by !== null && alert.seen_by !== seenBy && alert.seen_at > now() - LOCAL_MS
    if (isSeenElsewhere) return
    const closings = await countClosings(db, alert, now() - FLAP_WINDOW_MS)
    const ended = alert.ended_at ?? now()
    if (now() - ended >= closingDelayMs(closings)) await closeAlert(db, alert.id, { readAt, now: now() }, onEvent)
    else if (alert.ended_at === null) await endAlert(db, alert.id, now())
  }
  return async (open: readonly StoredAlert[], conditions: readonly AlertCondition[], readAt: number): Promise<void> => {
    const byKey = new Map(open.map((it) => [keyOf(it), it]))
    for (const condition of conditions) {
      const alert = byKey.get(keyOf(condition))
      byKey.delete(keyOf(condition))
      if (alert === undefined) await openAlert(db, condition, { seenBy, readAt, now: now() }, onEvent)
      else if (needsUpdate(alert, condition, { seenBy, now: now() }))
        await updateAlert(db, alert, condition, { seenBy, now: now() })
    }
    for (const alert of byKey.values()) await finish(alert, readAt)
  }
}

const REFRESH_MS = 20_000

/** An alert is written only if something changed: a condition can hold for weeks. */
function needsUpdate(
  alert: StoredAlert,
  it: AlertCondition,
  { seenBy, now }: { seenBy: string; now: number },
): boolean {
  if (alert.ended_at !== null || alert.cc_pair_id !== it.cc_pair_id || alert.name !== it.name) return true
  if (alert.reason !== it.reason || alert.count !== it.count || alert.due_at !== it.due_at) return true
  return it.isLocal && (alert.seen_by !== seenBy || alert.seen_at <= now - REFRESH_MS)
}
