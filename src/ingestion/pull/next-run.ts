// Decides when a pair runs next, or why it does not. Pure, so that the API shows exactly what the scheduler does.
import type { PairSchedule } from '../../store/sources/schedules.ts'

export type RunKind = 'index' | 'prune' | 'access'

export type NextRun =
  | { state: 'running'; reason: string; until: number | null }
  /** It runs as soon as a slot is free. */
  | { state: 'due'; what: RunKind; since: number; reason: string; until: number | null }
  | { state: 'waiting'; what: RunKind; until: number; reason: string }
  /** Nothing happens until a user acts. */
  | { state: 'resting'; reason: string; until: null }

/** Consecutive failures after which a user should investigate. */
export const REPEATED_FAILURES = 5
const FIRST_RETRY_MS = 60_000
const MAX_RETRY_MS = 3_600_000
const SECOND_MS = 1_000

/** The delay after consecutive failures; it doubles each time. */
export const runBackoffMs = (failures: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** Math.max(failures - 1, 0), MAX_RETRY_MS)

export const isRepeatedError = ({ failures, refresh_freq }: Pick<PairSchedule, 'failures' | 'refresh_freq'>): boolean =>
  failures >= (refresh_freq === null ? 1 : REPEATED_FAILURES)

export function nextRunOf(schedule: PairSchedule, now: number): NextRun {
  const { status, lease_until } = schedule
  if (status === 'DELETING') return { state: 'resting', reason: 'This connector is being deleted.', until: null }
  if (lease_until !== null && lease_until > now) {
    const wait = sourceWaitOf(schedule, now)
    return { state: 'running', reason: wait?.reason ?? 'Syncing now.', until: wait?.until ?? null }
  }
  if (status === 'PAUSED') return restingUntilAction('Paused. Resume the connector to continue.')
  // Permissions are still synced for an invalid pair, until that fails too and hides its documents.
  const isInvalid = status === 'INVALID'
  if (isInvalid && (schedule.access_closed === 1 || planAccessSync(schedule) === null)) {
    return restingUntilAction(
      `${lastError(schedule)} Fix the configuration, then start a run.${closedReason(schedule)}`,
    )
  }
  const candidates = isInvalid
    ? [planAccessSync(schedule)]
    : [planIndexing(schedule), planPruning(schedule), planAccessSync(schedule)]
  const runs = candidates.filter((it) => it !== null)
  const [next] = runs.sort((a, b) => a.at - b.at)
  if (next === undefined) return restingUntilAction(restingReason(schedule))
  const { what, at, reason } = next
  if (at > now) return { state: 'waiting', what, until: at, reason }
  return { state: 'due', what, since: at, reason: 'Queued: all run slots are busy.', until: null }
}

/** The wait of a run for its source; null while it reads. */
export function sourceWaitOf(
  { lease_until, wait_reason, wait_until }: PairSchedule,
  now: number,
): { reason: string; until: number } | null {
  const isRunning = lease_until !== null && lease_until > now
  if (!isRunning || wait_reason === null || wait_until === null || wait_until <= now) return null
  return { reason: wait_reason, until: wait_until }
}

const restingUntilAction = (reason: string): NextRun => ({ state: 'resting', reason, until: null })

const lastError = ({ last }: PairSchedule) => last?.error_msg ?? 'The source refused the connector.'

interface PlannedRun {
  what: RunKind
  at: number
  reason: string
}

function planIndexing(schedule: PairSchedule): PlannedRun | null {
  const { open, last, failures, not_before, refresh_freq, time_created } = schedule
  const at = not_before ?? 0
  if (open !== null) return { what: 'index', at: Math.max(at, open.time_created), reason: retryReason(schedule) }
  if (failures > 0) {
    const isGivenUp = refresh_freq === null && failures >= REPEATED_FAILURES
    return isGivenUp ? null : { what: 'index', at, reason: retryReason(schedule) }
  }
  if (last === null) return { what: 'index', at: time_created, reason: 'The first sync has not started yet.' }
  if (refresh_freq === null || refresh_freq === 0) return null
  const next = (last.time_finished ?? last.time_updated) + refresh_freq * SECOND_MS
  return { what: 'index', at: Math.max(next, at), reason: 'Waiting for the next sync.' }
}

const retryReason = (schedule: PairSchedule) =>
  schedule.failures === 0
    ? 'A sync is about to start.'
    : `The last sync failed and will be retried: ${schedule.last?.error_msg ?? 'no reason was given'}`

/** Pruning starts only after one complete sync. */
function planPruning(schedule: PairSchedule): PlannedRun | null {
  const { prune_wanted, prune_state, prune_freq, last_pruned, prune_started, polled_until, open, time_created } =
    schedule
  if (prune_wanted === 1) return { what: 'prune', at: 0, reason: 'Deleted documents are about to be removed.' }
  if (prune_freq === null || prune_freq === 0 || prune_state === 'held') return null
  if (polled_until === null || open !== null) return null
  const from = Math.max(last_pruned ?? 0, prune_started ?? 0, time_created)
  return {
    what: 'prune',
    at: from + prune_freq * SECOND_MS,
    reason: 'Waiting for the next check for deleted documents.',
  }
}

/** Permission syncs, too, start only after one complete sync. */
function planAccessSync(schedule: PairSchedule): PlannedRun | null {
  const { access_freq, access_type, polled_until, access_synced, access_not_before } = schedule
  if (access_freq === null || access_type !== 'sync' || polled_until === null) return null
  const next = access_synced === null ? 0 : access_synced + access_freq * SECOND_MS
  const reason = `Waiting for the next sync of permissions.${closedReason(schedule)}`
  return { what: 'access', at: access_not_before ?? next, reason }
}

const closedReason = ({ access_closed, access_error }: PairSchedule): string =>
  access_closed === 1
    ? ` Its documents are hidden from all users because their permissions could not be read. ${access_error}`
    : ''

function restingReason(schedule: PairSchedule): string {
  if (schedule.failures > 0)
    return `The last ${schedule.failures} syncs failed: ${lastError(schedule)} Start a run to try again.`
  return 'Synced once. There is no `refresh_freq`, so start a run to sync again.'
}
