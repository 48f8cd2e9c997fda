// Sends the mails about alerts to administrators. Everything that is due for a person leaves in one mail.
import { ALERT_KINDS, type AlertEvent } from '../domain/alerts/alert.ts'
import type { Logger } from '../domain/logger.ts'
import { createLoop, logErrors } from '../flow/background-loop.ts'
import { rejectOnAbort } from '../flow/reject-on-abort.ts'
import type { Mail } from '../mail/mail.ts'
import {
  claimDueMails,
  type DueMail,
  deleteLateMails,
  listDueRecipients,
  listSendTimes,
  markSent,
  postponeMails,
} from '../store/alerts/alert-mails.ts'
import type { Database } from '../store/database/database.ts'

export interface AlertMails {
  wake(): void
  /** Runs until the signal. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

interface AlertMailsDeps {
  db: Database
  mail: Pick<Mail, 'isConfigured' | 'send'>
  logger: Logger
  now: () => number
}

const POLL_MS = 10_000
/** More than the attempts of one mail take. */
const LEASE_MS = 300_000
const FIRST_RETRY_MS = 60_000
const MAX_RETRY_MS = 3_600_000
const HOUR_MS = 3_600_000
/** A person gets at most this many mails in an hour; what happens then leaves together in the next one. */
const MAX_PER_HOUR = 6

const OVERVIEW = '/admin/overview'

export function createAlertMails(deps: AlertMailsDeps): AlertMails {
  const { db, mail, logger, now } = deps
  const loop = createLoop(
    async (signal) => {
      await deleteLateMails(db, now())
      const people = await listDueRecipients(db, now())
      await Promise.all(people.map((it) => mailPerson(deps, it, signal)))
      return POLL_MS
    },
    { retryMs: POLL_MS, onError: logErrors(logger, 'alert mails failed') },
  )
  return {
    wake: loop.wake,
    run: async (signal) => (mail.isConfigured ? loop.run(signal) : undefined),
  }
}

async function mailPerson(
  { db, mail, now }: AlertMailsDeps,
  { person_id, email }: { person_id: string; email: string },
  signal: AbortSignal,
): Promise<void> {
  if ((await listSendTimes(db, person_id, now() - HOUR_MS)).length >= MAX_PER_HOUR) return
  const due = await claimDueMails(db, person_id, { now: now(), until: now() + LEASE_MS })
  if (due.length === 0) return
  const kinds = { opened: countKinds(due, 'alert.opened'), closed: countKinds(due, 'alert.closed') }
  try {
    const isSent = await rejectOnAbort(signal, mail.send({ kind: 'alerts', to: email, path: OVERVIEW, ...kinds }))
    if (isSent) await markSent(db, due, now())
    else await postponeMails(db, due, now() + retryMs(due))
  } catch (error) {
    // At shutdown the next process need not wait for the claim to end.
    await postponeMails(db, due, now())
    throw error
  }
}

const countKinds = (due: readonly DueMail[], event: AlertEvent) =>
  ALERT_KINDS.flatMap((kind) => {
    const count = due.filter((it) => it.event === event && it.kind === kind).length
    return count === 0 ? [] : [{ kind, count }]
  })

const retryMs = (due: readonly DueMail[]): number =>
  Math.min(FIRST_RETRY_MS * 2 ** Math.min(...due.map((it) => it.attempts)), MAX_RETRY_MS)
