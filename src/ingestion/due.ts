// When a pair runs next, or why it does not: pure, so that what is shown is what is done.
import type { Schedule } from '../store/pulling.ts'

export type Work = 'index' | 'prune' | 'access'

export type Due =
  | { state: 'running'; reason: string; until: number | null }
  /** It runs as soon as there is a place. */
  | { state: 'due'; what: Work; since: number; reason: string; until: number | null }
  | { state: 'waiting'; what: Work; until: number; reason: string }
  /** Nothing happens until somebody does something. */
  | { state: 'resting'; reason: string; until: null }

/** Failures in a row after which a person should look. */
export const REPEATED = 5
const FIRST_RETRY_MS = 60_000
const MAX_RETRY_MS = 3_600_000
const SECOND_MS = 1_000

/** How long to wait after so many failures in a row: each time twice as long. */
export const backoffMs = (failures: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** Math.max(failures - 1, 0), MAX_RETRY_MS)

export const isRepeatedError = ({ failures, refresh_freq }: Pick<Schedule, 'failures' | 'refresh_freq'>): boolean =>
  failures >= (refresh_freq === null ? 1 : REPEATED)

export function dueOf(schedule: Schedule, now: number): Due {
  const { status, lease_until, wait_reason, wait_until } = schedule
  if (status === 'DELETING') return { state: 'resting', reason: 'It is being deleted.', until: null }
  if (lease_until !== null && lease_until > now) {
    return { state: 'running', reason: wait_reason ?? 'It runs.', until: wait_until }
  }
  if (status === 'PAUSED') return resting('It is paused. Set its status to ACTIVE to go on.')
  // Who may read what is asked even so, until that is refused too, and closes.
  const isInvalid = status === 'INVALID'
  if (isInvalid && (schedule.access_closed === 1 || accessing(schedule) === null)) {
    return resting(`${lastError(schedule)} Mend it, and start a run.${closedReason(schedule)}`)
  }
  const wanted = isInvalid ? [accessing(schedule)] : [indexing(schedule), pruning(schedule), accessing(schedule)]
  const runs = wanted.filter((it) => it !== null)
  const [next] = runs.sort((a, b) => a.at - b.at)
  if (next === undefined) return resting(restingReason(schedule))
  const { what, at, reason } = next
  if (at > now) return { state: 'waiting', what, until: at, reason }
  return { state: 'due', what, since: at, reason: 'It waits for a place: others run.', until: null }
}

const resting = (reason: string): Due => ({ state: 'resting', reason, until: null })

const lastError = ({ last }: Schedule) => last?.error_msg ?? 'The source does not accept it.'

interface Run {
  what: Work
  at: number
  reason: string
}

function indexing(schedule: Schedule): Run | null {
  const { open, last, failures, not_before, refresh_freq, time_created } = schedule
  const at = not_before ?? 0
  if (open !== null) return { what: 'index', at: Math.max(at, open.time_created), reason: retryReason(schedule) }
  if (failures > 0) {
    const isGivenUp = refresh_freq === null && failures >= REPEATED
    return isGivenUp ? null : { what: 'index', at, reason: retryReason(schedule) }
  }
  if (last === null) return { what: 'index', at: time_created, reason: 'It has not run yet.' }
  if (refresh_freq === null || refresh_freq === 0) return null
  const next = (last.time_finished ?? last.time_updated) + refresh_freq * SECOND_MS
  return { what: 'index', at: Math.max(next, at), reason: 'It waits for its next refresh.' }
}

const retryReason = (schedule: Schedule) =>
  schedule.failures === 0
    ? 'It waits for its run.'
    : `The last run failed, and it tries again: ${schedule.last?.error_msg ?? 'no reason was given'}`

/** Only what has been read to its end once is pruned. */
function pruning(schedule: Schedule): Run | null {
  const { prune_wanted, prune_state, prune_freq, last_pruned, prune_started, polled_until, open, time_created } =
    schedule
  if (prune_wanted === 1) return { what: 'prune', at: 0, reason: 'It waits to be pruned.' }
  if (prune_freq === null || prune_freq === 0 || prune_state === 'held') return null
  if (polled_until === null || open !== null) return null
  const from = Math.max(last_pruned ?? 0, prune_started ?? 0, time_created)
  return { what: 'prune', at: from + prune_freq * SECOND_MS, reason: 'It waits for its next pruning.' }
}

/** Also only what has been read once. */
function accessing(schedule: Schedule): Run | null {
  const { access_freq, access_type, polled_until, access_synced, access_not_before } = schedule
  if (access_freq === null || access_type !== 'sync' || polled_until === null) return null
  const next = access_synced === null ? 0 : access_synced + access_freq * SECOND_MS
  const reason = `It waits to ask who may read what.${closedReason(schedule)}`
  return { what: 'access', at: access_not_before ?? next, reason }
}

const closedReason = ({ access_closed, access_error }: Schedule): string =>
  access_closed === 1 ? ` Its documents are open to nobody: who may read them could not be learnt. ${access_error}` : ''

function restingReason(schedule: Schedule): string {
  if (schedule.failures > 0)
    return `It failed ${schedule.failures} times: ${lastError(schedule)} Start a run to try again.`
  return 'It has been read once, and has no `refresh_freq`: start a run to read it again.'
}
