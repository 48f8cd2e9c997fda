// What a pair that is pulled does, what it waits for, and until when.
import { z } from 'zod'
import { dueOf, isRepeatedError } from '../ingestion/due.ts'
import type { Schedule } from '../store/pulling.ts'
import { isoOrNull } from './iso.ts'

const time = z.iso.datetime().nullable()

export const PullState = z
  .object({
    state: z
      .enum(['running', 'due', 'waiting', 'resting', 'pushed'])
      .describe('`resting`: nothing happens until somebody does something. `pushed`: nothing here pulls.'),
    reason: z.string(),
    until: time.describe('When the wait ends; null where it is known by no clock.'),
    next: z.enum(['index', 'prune', 'access']).nullable().describe('`access`: it asks who may read what.'),
    completeness: z
      .object({
        source_documents: z
          .int()
          .nullable()
          .describe('What the source had when it was counted, left out ones as well.'),
        counted_at: time,
        indexed_documents: z.int(),
      })
      .describe('What the source has, against what can be found.'),
  })
  .meta({ id: 'PullState' })

export function pullState(
  schedule: Schedule | undefined,
  pair: { indexed: number; source: string },
  now: number,
): z.infer<typeof PullState> {
  const completeness = {
    source_documents: schedule?.source_count ?? null,
    counted_at: isoOrNull(schedule?.counted_at ?? null),
    indexed_documents: pair.indexed,
  }
  if (schedule === undefined) {
    const reason = `Nothing here pulls from "${pair.source}": this pair takes the documents that are pushed to it.`
    return { state: 'pushed', reason, until: null, next: null, completeness }
  }
  const due = dueOf(schedule, now)
  const next = 'what' in due ? due.what : null
  return { state: due.state, reason: due.reason, until: isoOrNull(due.until), next, completeness }
}

/** What the wire tells of learning who may read what. */
export function accessFields(schedule: Schedule | undefined) {
  const started = schedule?.access_started ?? null
  const isRunning = schedule?.holder != null && started !== null && started >= (schedule.last_started ?? 0)
  const error = schedule?.access_error ?? null
  const closed = schedule?.access_closed === 1 ? ' Until it is learnt, the documents are open to nobody.' : ''
  const outcome = error === null ? 'success' : 'failed'
  return {
    last_full_permission_sync: isoOrNull(schedule?.access_synced ?? null),
    last_permission_sync_attempt_status: isRunning ? 'in_progress' : started === null ? null : outcome,
    permission_syncing: isRunning,
    last_permission_sync_attempt_finished: isoOrNull(isRunning ? null : started),
    last_permission_sync_attempt_error_message: error === null ? null : `${error}${closed}`,
  }
}

/** What the wire tells of attempts, of a pair that may have none. */
export const attemptFields = (schedule: Schedule | undefined, attempts: number) => ({
  in_repeated_error_state: schedule !== undefined && isRepeatedError(schedule),
  number_of_index_attempts: attempts,
  last_index_attempt_status: schedule?.open?.status ?? schedule?.last?.status ?? null,
  last_pruned: isoOrNull(schedule?.last_pruned ?? null),
  latest_checkpoint_description: schedule?.open?.checkpoint
    ? 'A run that breaks off goes on from its last checkpoint.'
    : null,
  supports_targeted_reindex: schedule !== undefined,
})
