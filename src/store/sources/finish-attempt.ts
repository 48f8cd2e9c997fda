// Finishes an index attempt and detects whether the pair starts to fail or recovers.
import type { Database, Queryable } from '../database/database.ts'
import { RUNNABLE_STATUSES } from './index-attempts.ts'
import type { PairLease, ScheduleChange } from './schedules.ts'

export interface AttemptEnding {
  status: 'success' | 'completed_with_errors' | 'failed' | 'canceled'
  error_msg: string | null
  trace: string | null
  /** True clears the checkpoint: the run reached its end. */
  isComplete: boolean
  pairStatus: 'ACTIVE' | 'INVALID' | null
  schedule: ScheduleChange
}

/** The change of the pair's health: a working or new pair fails, or a failed pair works again. */
export type RunHealthChange = 'failed' | 'recovered'

/**
 * Ends the attempt and frees the lease; does nothing when the lease was lost. `onHealthChange` writes in the same
 * transaction.
 */
export const finishAttempt = (
  db: Database,
  lease: PairLease,
  attemptId: number,
  { status, error_msg, trace, isComplete, pairStatus, schedule }: AttemptEnding,
  now: number,
  onHealthChange: (trx: Queryable, change: RunHealthChange) => Promise<void>,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { cc_pair_id, fence } = lease
    const { numUpdatedRows } = await trx
      .updateTable('cc_pair_schedule')
      .set({ ...schedule, holder: null, lease_until: null, wait_reason: null, wait_until: null })
      .where('cc_pair_id', '=', cc_pair_id)
      .where('fence', '=', fence)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return
    const ended = await trx
      .updateTable('index_attempt')
      .set({ status, error_msg, trace, time_updated: now, time_finished: now, ...(isComplete && { checkpoint: null }) })
      .where('id', '=', attemptId)
      .where('time_finished', 'is', null)
      .executeTakeFirstOrThrow()
    const change =
      ended.numUpdatedRows === 0n ? null : healthChange(await findPreviousStatus(trx, cc_pair_id, attemptId), status)
    if (change !== null) await onHealthChange(trx, change)
    if (pairStatus === null) return
    await trx
      .updateTable('cc_pair')
      .set({ status: pairStatus })
      .where('id', '=', cc_pair_id)
      .where('status', 'in', RUNNABLE_STATUSES)
      .execute()
  })

function healthChange(before: string | undefined, after: AttemptEnding['status']): RunHealthChange | null {
  if (after === 'canceled') return null
  if (after === 'failed') return before === 'failed' ? null : 'failed'
  return before === 'failed' ? 'recovered' : null
}

/** Returns how the previous run ended. Canceled runs are skipped, because they say nothing about the source. */
async function findPreviousStatus(trx: Queryable, cc_pair_id: number, attemptId: number): Promise<string | undefined> {
  const row = await trx
    .selectFrom('index_attempt')
    .select('status')
    .where('cc_pair_id', '=', cc_pair_id)
    .where('id', '<>', attemptId)
    .where('status', 'in', ['success', 'completed_with_errors', 'failed'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.status
}
