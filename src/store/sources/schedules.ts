// Schedules and leases of pairs: which pair runs next, and who runs it.
import { type CompiledQuery, type Selectable, sql } from 'kysely'
import type { Subject } from '../../domain/subject.ts'
import type { CcPairScheduleRow, IndexAttemptRow } from '../database/connector-run-tables.ts'
import type { Database, Queryable } from '../database/database.ts'
import { getManagedPair } from './managed-pairs.ts'

export type StoredAttempt = Selectable<IndexAttemptRow>

/** A pair with a connector, and everything that decides when it runs. */
export interface PairSchedule extends Selectable<CcPairScheduleRow> {
  name: string
  connector_id: number
  credential_id: number
  source: string
  access_type: string
  /** Since when the pair is paused. */
  paused_at: number | null
  connector_specific_config: string
  status: string
  refresh_freq: number | null
  prune_freq: number | null
  indexing_start: number | null
  time_created: number
  /** The waiting or running attempt. */
  open: StoredAttempt | null
  /** The newest finished attempt. */
  last: StoredAttempt | null
  /** End of the newest attempt that read the source completely. */
  last_success: number | null
}

/** `ids` limits the result to these pairs. */
export async function listSchedules(db: Queryable, ids: readonly number[] | null = null): Promise<PairSchedule[]> {
  const rows = await db
    .selectFrom('cc_pair_schedule')
    .innerJoin('cc_pair', 'cc_pair.id', 'cc_pair_schedule.cc_pair_id')
    .innerJoin('connector', 'connector.id', 'cc_pair.connector_id')
    .selectAll('cc_pair_schedule')
    .select(['cc_pair.name', 'connector_id', 'credential_id', 'source', 'cc_pair.access_type', 'status'])
    .select([
      'connector_specific_config',
      'refresh_freq',
      'prune_freq',
      'indexing_start',
      'cc_pair.time_created',
      'paused_at',
    ])
    .$if(ids !== null, (it) => it.where('cc_pair.id', 'in', [-1, ...(ids ?? [])]))
    .orderBy('cc_pair.id')
    .execute()
  const newest = (isOpen: boolean) =>
    db
      .selectFrom('index_attempt')
      .select((it) => it.fn.max('id').as('id'))
      .where('time_finished', isOpen ? 'is' : 'is not', null)
      .groupBy('cc_pair_id')
  const attempts = await db
    .selectFrom('index_attempt')
    .selectAll()
    .where((it) => it.or([it('id', 'in', newest(true)), it('id', 'in', newest(false))]))
    .$if(ids !== null, (it) => it.where('cc_pair_id', 'in', [-1, ...(ids ?? [])]))
    .execute()
  const successes = await db
    .selectFrom('index_attempt')
    .select((it) => ['cc_pair_id', it.fn.max('time_finished').as('at')])
    .where('status', 'in', ['success', 'completed_with_errors'])
    .$if(ids !== null, (it) => it.where('cc_pair_id', 'in', [-1, ...(ids ?? [])]))
    .groupBy('cc_pair_id')
    .execute()
  const successOf = new Map(successes.map((it) => [it.cc_pair_id, it.at]))
  const ofPair = Map.groupBy(attempts, (it) => it.cc_pair_id)
  return rows.map((row) => {
    const own = ofPair.get(row.cc_pair_id) ?? []
    return {
      ...row,
      open: own.find((it) => it.time_finished === null) ?? null,
      last: own.find((it) => it.time_finished !== null) ?? null,
      last_success: successOf.get(row.cc_pair_id) ?? null,
    }
  })
}

export const findSchedule = async (db: Queryable, id: number): Promise<PairSchedule | undefined> =>
  (await listSchedules(db, [id]))[0]

/** Frees all leases. Use it only when no other process can be running. */
export async function releaseAllLeases(db: Database): Promise<void> {
  await db.updateTable('cc_pair_schedule').set({ holder: null, lease_until: null }).execute()
}

export interface PairLease {
  cc_pair_id: number
  fence: number
}

/** Returns the lease, or undefined when another process was faster. */
export async function claimPair(
  db: Database,
  { cc_pair_id, fence }: PairLease,
  { holder, now, until }: { holder: string; now: number; until: number },
): Promise<PairLease | undefined> {
  const { numUpdatedRows } = await db
    .updateTable('cc_pair_schedule')
    .set({ holder, lease_until: until, fence: fence + 1, last_started: now, wait_reason: null, wait_until: null })
    .where('cc_pair_id', '=', cc_pair_id)
    .where('fence', '=', fence)
    .where((it) => it.or([it('lease_until', 'is', null), it('lease_until', '<=', now)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n ? { cc_pair_id, fence: fence + 1 } : undefined
}

export type ScheduleChange = Partial<Omit<Selectable<CcPairScheduleRow>, 'cc_pair_id' | 'fence'>>

/** Returns whether the lease is still held. */
export async function updateUnderLease(db: Database, lease: PairLease, change: ScheduleChange): Promise<boolean> {
  const { numUpdatedRows } = await updateHeldSchedule(db, lease, change).executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Frees the lease and stores the change; does nothing when the lease was lost. */
export const releaseLease = (db: Database, lease: PairLease, change: ScheduleChange = {}): Promise<boolean> =>
  updateUnderLease(db, lease, { ...change, holder: null, lease_until: null, wait_reason: null, wait_until: null })

/** The statement of `updateUnderLease` for a transaction of documents; it returns one row if the lease is held. */
export const leaseStatement = (db: Database, lease: PairLease, change: ScheduleChange): CompiledQuery =>
  updateHeldSchedule(db, lease, change).returning('fence').compile()

const updateHeldSchedule = (db: Queryable, { cc_pair_id, fence }: PairLease, change: ScheduleChange) =>
  db
    .updateTable('cc_pair_schedule')
    .set({ ...change, fence: sql.ref('fence') })
    .where('cc_pair_id', '=', cc_pair_id)
    .where('fence', '=', fence)
    .where('holder', 'is not', null)

/** Works with or without a lease. */
export async function updateSchedule(db: Queryable, id: number, change: ScheduleChange): Promise<void> {
  await db.updateTable('cc_pair_schedule').set(change).where('cc_pair_id', '=', id).execute()
}

/** Adds a schedule to a pair and requests its first run. */
export async function insertSchedule(trx: Queryable, cc_pair_id: number, now: number): Promise<void> {
  const nothing = { holder: null, lease_until: null, fence: 0, last_started: null, failures: 0, not_before: null }
  const unpruned = { prune_wanted: 0, prune_state: null, prune_started: null, prune_error: null } as const
  await trx
    .insertInto('cc_pair_schedule')
    .values({
      ...nothing,
      ...unpruned,
      cc_pair_id,
      wait_reason: null,
      wait_until: null,
      polled_until: null,
      prune_removed: null,
      last_pruned: null,
      source_count: null,
      counted_at: null,
      access_freq: null,
      access_synced: null,
      access_started: null,
      access_not_before: null,
      access_error: null,
    })
    .execute()
  await insertAttempt(trx, { cc_pair_id, from_beginning: 1, targets: null }, now)
}

/** Inserts an attempt that waits to run. */
export async function insertAttempt(
  trx: Queryable,
  attempt: Pick<StoredAttempt, 'cc_pair_id' | 'from_beginning' | 'targets'>,
  now: number,
): Promise<StoredAttempt> {
  return trx
    .insertInto('index_attempt')
    .values({
      ...attempt,
      status: 'not_started',
      new_docs: 0,
      total_docs: 0,
      removed_docs: 0,
      skipped_docs: 0,
      error_count: 0,
      time_created: now,
      time_updated: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Requests a permission sync at once. The pair must take its access from the source. CC_PAIR_NOT_FOUND: the subject
 * manages no such pair.
 */
export const requestAccessSync = (db: Database, subject: Subject, cc_pair_id: number, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getManagedPair(trx, subject, cc_pair_id)
    await trx
      .updateTable('cc_pair_schedule')
      .set({ access_not_before: now })
      .where('cc_pair_id', '=', cc_pair_id)
      .execute()
  })
