// The state of a cc-pair that reads a source: what it is doing, or what it is waiting for and until when.
import { z } from 'zod'
import { isRepeatedError, nextRunOf } from '../../ingestion/pull/next-run.ts'
import type { PairSchedule } from '../../store/sources/schedules.ts'
import { isoOrNull } from '../wire/iso.ts'

const time = z.iso.datetime().nullable()

export const PullState = z
  .object({
    state: z
      .enum(['running', 'due', 'waiting', 'resting', 'pushed'])
      .describe(
        '`resting`: nothing happens without user action. `pushed`: documents are pushed; no connector reads the source.',
      ),
    reason: z.string(),
    until: time.describe('End of the wait; null if the time is unknown.'),
    next: z.enum(['index', 'prune', 'access']).nullable().describe('`access`: synchronize permissions.'),
    completeness: z
      .object({
        source_documents: z
          .int()
          .nullable()
          .describe('Documents in the source when it was last counted, skipped ones included.'),
        counted_at: time,
        indexed_documents: z.int(),
      })
      .describe('Documents in the source compared with searchable documents.'),
  })
  .meta({ id: 'PullState' })

export function pullState(
  schedule: PairSchedule | undefined,
  pair: { indexed: number; source: string },
  now: number,
): z.infer<typeof PullState> {
  const completeness = {
    source_documents: schedule?.source_count ?? null,
    counted_at: isoOrNull(schedule?.counted_at ?? null),
    indexed_documents: pair.indexed,
  }
  if (schedule === undefined) {
    const reason = `No connector reads "${pair.source}". Documents must be pushed to this pair.`
    return { state: 'pushed', reason, until: null, next: null, completeness }
  }
  const due = nextRunOf(schedule, now)
  const next = 'what' in due ? due.what : null
  return { state: due.state, reason: due.reason, until: isoOrNull(due.until), next, completeness }
}

/** Fields about the last permission sync. */
export function permissionSyncFields(schedule: PairSchedule | undefined) {
  const started = schedule?.access_started ?? null
  const isRunning = schedule?.holder != null && started !== null && started >= (schedule.last_started ?? 0)
  const error = schedule?.access_error ?? null
  const closed =
    schedule?.access_closed === 1 ? ' Nobody can read the documents until permissions are synchronized.' : ''
  const outcome = error === null ? 'success' : 'failed'
  return {
    last_full_permission_sync: isoOrNull(schedule?.access_synced ?? null),
    last_permission_sync_attempt_status: isRunning ? 'in_progress' : started === null ? null : outcome,
    permission_syncing: isRunning,
    last_permission_sync_attempt_finished: isoOrNull(isRunning ? null : started),
    last_permission_sync_attempt_error_message: error === null ? null : `${error}${closed}`,
  }
}

/** Fields about index attempts. Pushed pairs have none. */
export const indexAttemptFields = (schedule: PairSchedule | undefined, attempts: number) => ({
  in_repeated_error_state: schedule !== undefined && isRepeatedError(schedule),
  number_of_index_attempts: attempts,
  last_index_attempt_status: schedule?.open?.status ?? schedule?.last?.status ?? null,
  last_pruned: isoOrNull(schedule?.last_pruned ?? null),
  latest_checkpoint_description: schedule?.open?.checkpoint
    ? 'An interrupted run resumes from its last checkpoint.'
    : null,
  supports_targeted_reindex: schedule !== undefined,
})
