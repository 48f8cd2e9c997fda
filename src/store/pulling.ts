// Which pair pulls next, and who does it: schedules and leases.
import { type CompiledQuery, type Selectable, sql } from 'kysely'
import type { Database, Queries } from './database.ts'
import type { CcPairScheduleRow, IndexAttemptRow } from './pulling-tables.ts'

export type StoredAttempt = Selectable<IndexAttemptRow>

/** A pair that has a connector, with all that decides when it runs. */
export interface Schedule extends Selectable<CcPairScheduleRow> {
  name: string
  connector_id: number
  credential_id: number
  source: string
  access_type: string
  connector_specific_config: string
  status: string
  refresh_freq: number | null
  prune_freq: number | null
  indexing_start: number | null
  time_created: number
  /** The attempt that waits or runs. */
  open: StoredAttempt | null
  /** The newest one that has ended. */
  last: StoredAttempt | null
}

/** `ids`: only these pairs. */
export async function listSchedules(db: Queries, ids: readonly number[] | null = null): Promise<Schedule[]> {
  const rows = await db
    .selectFrom('cc_pair_schedule')
    .innerJoin('cc_pair', 'cc_pair.id', 'cc_pair_schedule.cc_pair_id')
    .innerJoin('connector', 'connector.id', 'cc_pair.connector_id')
    .selectAll('cc_pair_schedule')
    .select(['cc_pair.name', 'connector_id', 'credential_id', 'source', 'cc_pair.access_type', 'status'])
    .select(['connector_specific_config', 'refresh_freq', 'prune_freq', 'indexing_start', 'cc_pair.time_created'])
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
  const ofPair = Map.groupBy(attempts, (it) => it.cc_pair_id)
  return rows.map((row) => {
    const own = ofPair.get(row.cc_pair_id) ?? []
    return {
      ...row,
      open: own.find((it) => it.time_finished === null) ?? null,
      last: own.find((it) => it.time_finished !== null) ?? null,
    }
  })
}

export const findSchedule = async (db: Queries, id: number): Promise<Schedule | undefined> =>
  (await listSchedules(db, [id]))[0]

/** Whoever ran them is gone: only where no other process can be at work. */
export async function releaseAll(db: Database): Promise<void> {
  await db.updateTable('cc_pair_schedule').set({ holder: null, lease_until: null }).execute()
}

export interface Lease {
  cc_pair_id: number
  fence: number
}

/** Answers the lease, or undefined when somebody else was faster. */
export async function claim(
  db: Database,
  { cc_pair_id, fence }: Lease,
  { holder, now, until }: { holder: string; now: number; until: number },
): Promise<Lease | undefined> {
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

/** Answers whether the lease is still held. */
export async function updateHeld(db: Database, lease: Lease, change: ScheduleChange): Promise<boolean> {
  const { numUpdatedRows } = await heldRow(db, lease, change).executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** The lease is free, and what is said of its run is written; nothing, if it was lost. */
export const releaseHeld = (db: Database, lease: Lease, change: ScheduleChange = {}): Promise<boolean> =>
  updateHeld(db, lease, { ...change, holder: null, lease_until: null, wait_reason: null, wait_until: null })

/** The statement of `updateHeld`, for a transaction of documents; its one row says that the lease is held. */
export const heldStatement = (db: Database, lease: Lease, change: ScheduleChange): CompiledQuery =>
  heldRow(db, lease, change).returning('fence').compile()

const heldRow = (db: Queries, { cc_pair_id, fence }: Lease, change: ScheduleChange) =>
  db
    .updateTable('cc_pair_schedule')
    .set({ ...change, fence: sql.ref('fence') })
    .where('cc_pair_id', '=', cc_pair_id)
    .where('fence', '=', fence)
    .where('holder', 'is not', null)

/** Whoever holds the lease or not. */
export async function updateSchedule(db: Queries, id: number, change: ScheduleChange): Promise<void> {
  await db.updateTable('cc_pair_schedule').set(change).where('cc_pair_id', '=', id).execute()
}

/** A pair that begins to pull: its first run is wanted. */
export async function insertSchedule(trx: Queries, cc_pair_id: number, now: number): Promise<void> {
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

/** One that waits to be run. */
export async function insertAttempt(
  trx: Queries,
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
