// Runs that a subject starts and cancels, of the cc-pairs that it manages.
import type { Subject } from '../../domain/subject.ts'
import type { Database, Queryable } from '../database/database.ts'
import { cancelAttempts, insertRuns, type RunRequest, type StoredAttemptError } from './index-attempts.ts'
import { filterManagedPairs, getManagedPair, idsOfManaged, listManagedPairs } from './managed-pairs.ts'
import type { StoredAttempt } from './schedules.ts'

/** Starts a run of those of the pairs that the subject manages, as `triggerAttempts` does. */
export const requestRuns = (
  db: Database,
  subject: Subject,
  pairs: readonly number[],
  run: RunRequest,
  now: number,
): Promise<StoredAttempt[]> =>
  db.transaction().execute(async (trx) => insertRuns(trx, await filterManagedPairs(trx, subject, pairs), run, now))

/** Cancels the waiting or running attempts of a pair that the subject manages. CC_PAIR_NOT_FOUND: it manages no such pair. */
export const cancelRun = (db: Database, subject: Subject, cc_pair_id: number, now: number): Promise<number> =>
  db.transaction().execute(async (trx) => {
    await getManagedPair(trx, subject, cc_pair_id)
    return cancelAttempts(trx, cc_pair_id, now)
  })

/** Errors of pairs that the subject does not manage are left out. */
export async function findAttemptErrors(
  db: Queryable,
  subject: Subject,
  ids: readonly number[],
): Promise<StoredAttemptError[]> {
  const managed = await listManagedPairs(db, subject)
  return db
    .selectFrom('index_attempt_error')
    .selectAll()
    .where('id', 'in', [-1, ...ids])
    .$if(managed !== 'all', (it) => it.where('cc_pair_id', 'in', idsOfManaged(managed)))
    .execute()
}
