// Index attempts: how a run begins, how far it is, how it ended, and what it could not read.
import { createHash } from 'node:crypto'
import type { CompiledQuery, Selectable } from 'kysely'
import type { Database, Queries } from './database.ts'
import {
  findSchedule,
  heldStatement,
  insertAttempt,
  type Lease,
  type Schedule,
  type ScheduleChange,
  type StoredAttempt,
} from './pulling.ts'
import type { IndexAttemptErrorRow } from './pulling-tables.ts'

export type StoredAttemptError = Selectable<IndexAttemptErrorRow>

/** Statuses of a pair whose documents are pulled; also those where only a person's wish starts a run. */
const RUNNABLE = ['SCHEDULED', 'INITIAL_INDEXING', 'ACTIVE']

/** An attempt that broke off is continued where it was, unless it broke off too often: then it may be the place. */
const MAX_FAILURES_AT_ONE_PLACE = 5

/**
 * The attempt that the holder of the lease is to run: the one that waits or was left, or a new one. It goes on where the
 * last one broke off. Undefined where there is nothing to run any more.
 */
export const beginAttempt = (
  db: Database,
  lease: Lease,
  now: number,
): Promise<{ schedule: Schedule; attempt: StoredAttempt } | undefined> =>
  db.transaction().execute(async (trx) => {
    const schedule = await findSchedule(trx, lease.cc_pair_id)
    if (schedule?.fence !== lease.fence || !RUNNABLE.includes(schedule.status)) return undefined
    const waiting =
      schedule.open ??
      (await insertAttempt(trx, { cc_pair_id: lease.cc_pair_id, from_beginning: 0, targets: null }, now))
    const begun = waiting.time_started === null ? { ...beginning(schedule, waiting, now), time_started: now } : {}
    const attempt = await trx
      .updateTable('index_attempt')
      .set({ ...begun, status: 'in_progress', time_updated: now })
      .where('id', '=', waiting.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (schedule.status === 'SCHEDULED') {
      await trx.updateTable('cc_pair').set({ status: 'INITIAL_INDEXING' }).where('id', '=', lease.cc_pair_id).execute()
    }
    return { schedule, attempt }
  })

/** Where changes are told late, or by a clock that is wrong by minutes. */
const OVERLAP_MS = 300_000

function beginning(
  { last, failures, polled_until, indexing_start }: Schedule,
  { from_beginning, targets }: StoredAttempt,
  now: number,
): Pick<StoredAttempt, 'checkpoint' | 'poll_range_start' | 'poll_range_end' | 'from_beginning'> {
  const isBroken = last !== null && last.checkpoint !== null && failures < MAX_FAILURES_AT_ONE_PLACE
  if (isBroken && from_beginning === 0 && targets === null) {
    const { checkpoint, poll_range_start, poll_range_end } = last
    return { checkpoint, poll_range_start, poll_range_end, from_beginning: last.from_beginning }
  }
  const isWhole = from_beginning === 1 || polled_until === null
  return {
    checkpoint: null,
    poll_range_start: isWhole ? indexing_start : polled_until - OVERLAP_MS,
    poll_range_end: now,
    from_beginning: isWhole ? 1 : 0,
  }
}

export type Counters = Pick<StoredAttempt, 'new_docs' | 'total_docs' | 'skipped_docs' | 'error_count'>

export interface NewAttemptError {
  document_id: string | null
  document_link: string | null
  entity_id: string | null
  stage: string
  failure_message: string
}

/**
 * What is written in the transaction of a batch of documents. The first statement finds one row where the lease is held,
 * and the second one where the attempt still runs.
 */
export function progressStatements(
  db: Database,
  lease: Lease,
  attemptId: number,
  progress: {
    counters: Counters
    /** Undefined leaves it. */
    checkpoint: string | undefined
    errors: readonly NewAttemptError[]
    notes: readonly { key: string; value: string }[]
    resolved: readonly string[]
    schedule: ScheduleChange
  },
  now: number,
): CompiledQuery[] {
  const { counters, checkpoint, errors, notes, resolved } = progress
  const change = { ...counters, ...(checkpoint !== undefined && { checkpoint }), time_updated: now }
  const attempt = db
    .updateTable('index_attempt')
    .set(change)
    .where('id', '=', attemptId)
    .where('status', '=', 'in_progress')
    .where((it) => it.exists(held(db, lease).select('fence')))
    .returning('id')
  return [
    heldStatement(db, lease, progress.schedule),
    attempt.compile(),
    ...resolved.map((it) => resolution(db, lease, it).compile()),
    ...errors.flatMap((it) => [repetition(db, lease, it).compile(), failure(db, lease, attemptId, it).compile()]),
    ...notes.map((it) => note(db, lease, it).compile()),
  ]
}

/** One row for whoever holds the lease, none for who held it. */
const held = (db: Queries, { cc_pair_id, fence }: Lease) =>
  db.selectFrom('cc_pair_schedule').where('cc_pair_schedule.cc_pair_id', '=', cc_pair_id).where('fence', '=', fence)

const unresolved = (db: Queries, { cc_pair_id }: Lease) =>
  db.selectFrom('index_attempt_error').select('id').where('cc_pair_id', '=', cc_pair_id).where('is_resolved', '=', 0)

const ofDocument = (db: Queries, lease: Lease, id: string) =>
  unresolved(db, lease).where((it) => it.or([it('document_id', '=', id), it('document_link', '=', id)]))

/** Some sources name what failed by a key of theirs; its link is the id of the document all the same. */
const resolution = (db: Queries, lease: Lease, document_id: string) =>
  db
    .updateTable('index_attempt_error')
    .set({ is_resolved: 1 })
    .where('id', 'in', ofDocument(db, lease, document_id))
    .where((it) => it.exists(held(db, lease).select('fence')))

/** What fails at every run is listed once. */
const repetition = (db: Queries, lease: Lease, { document_id, failure_message }: NewAttemptError) => {
  const same =
    document_id === null
      ? unresolved(db, lease).where('document_id', 'is', null).where('failure_message', '=', failure_message)
      : unresolved(db, lease).where('document_id', '=', document_id)
  return db
    .deleteFrom('index_attempt_error')
    .where('id', 'in', same)
    .where((it) => it.exists(held(db, lease).select('fence')))
}

const failure = (db: Queries, lease: Lease, attemptId: number, it: NewAttemptError) =>
  db
    .insertInto('index_attempt_error')
    .columns([
      'cc_pair_id',
      'index_attempt_id',
      'document_id',
      'document_link',
      'entity_id',
      'stage',
      'failure_message',
      'is_resolved',
      'time_created',
    ])
    .expression(
      held(db, lease)
        .innerJoin('index_attempt', 'index_attempt.cc_pair_id', 'cc_pair_schedule.cc_pair_id')
        .where('index_attempt.id', '=', attemptId)
        .select((select) => [
          'index_attempt.cc_pair_id',
          'index_attempt.id',
          select.val(it.document_id).as('document_id'),
          select.val(it.document_link).as('document_link'),
          select.val(it.entity_id).as('entity_id'),
          select.val(it.stage).as('stage'),
          select.val(it.failure_message).as('failure_message'),
          select.lit(0).as('is_resolved'),
          'index_attempt.time_updated',
        ]),
    )

/** A key of any length, as one that fits every index. */
export const digestOf = (key: string): string => createHash('sha256').update(key).digest('base64url')

const note = (db: Queries, lease: Lease, { key, value }: { key: string; value: string }) =>
  db
    .insertInto('source_note')
    .columns(['cc_pair_id', 'key', 'value'])
    .expression(
      held(db, lease).select((select) => [
        'cc_pair_id',
        select.val(digestOf(key)).as('key'),
        select.val(value).as('value'),
      ]),
    )
    .onConflict((it) => it.columns(['cc_pair_id', 'key']).doUpdateSet({ value }))

/** The key is the id of a document: of one that is not there any more nothing is known. */
export async function findNote(db: Queries, cc_pair_id: number, key: string): Promise<string | null> {
  const row = await db
    .selectFrom('source_note')
    .select('value')
    .where('cc_pair_id', '=', cc_pair_id)
    .where('key', '=', digestOf(key))
    .where((it) =>
      it.exists(it.selectFrom('document').select('seq').where('id', '=', key).where('deleted_at', 'is', null)),
    )
    .executeTakeFirst()
  return row?.value ?? null
}

export interface Ending {
  status: 'success' | 'completed_with_errors' | 'failed' | 'canceled'
  error_msg: string | null
  trace: string | null
  /** Cleared where the run got to its end. */
  isComplete: boolean
  pairStatus: 'ACTIVE' | 'INVALID' | null
  schedule: ScheduleChange
}

/** The attempt has ended and the lease is free; nothing, if the lease was lost. */
export const finishAttempt = (
  db: Database,
  lease: Lease,
  attemptId: number,
  { status, error_msg, trace, isComplete, pairStatus, schedule }: Ending,
  now: number,
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
    await trx
      .updateTable('index_attempt')
      .set({ status, error_msg, trace, time_updated: now, time_finished: now, ...(isComplete && { checkpoint: null }) })
      .where('id', '=', attemptId)
      .where('time_finished', 'is', null)
      .execute()
    if (pairStatus === null) return
    await trx
      .updateTable('cc_pair')
      .set({ status: pairStatus })
      .where('id', '=', cc_pair_id)
      .where('status', 'in', RUNNABLE)
      .execute()
  })

/** What waits or runs ends as canceled. Answers how many there were. */
export async function cancelAttempts(trx: Queries, cc_pair_id: number, now: number): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('index_attempt')
    .set({ status: 'canceled', time_updated: now, time_finished: now })
    .where('cc_pair_id', '=', cc_pair_id)
    .where('time_finished', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/**
 * A run at once, of each pair that is pulled and has none waiting or running. Answers how many there are now. An INVALID
 * one is tried again.
 */
export const triggerAttempts = (
  db: Database,
  pairs: readonly number[],
  { fromBeginning, targets }: { fromBeginning: boolean; targets: readonly string[] | null },
  now: number,
): Promise<StoredAttempt[]> =>
  db.transaction().execute(async (trx) => {
    const attempts: StoredAttempt[] = []
    for (const { cc_pair_id, open, status } of await listScheduledIn(trx, pairs)) {
      if (open !== null) continue
      const attempt = {
        cc_pair_id,
        from_beginning: fromBeginning ? (1 as const) : (0 as const),
        targets: targets === null ? null : JSON.stringify(targets),
      }
      attempts.push(await insertAttempt(trx, attempt, now))
      const wish = { not_before: null, ...(fromBeginning && { failures: 0 }) }
      await trx.updateTable('cc_pair_schedule').set(wish).where('cc_pair_id', '=', cc_pair_id).execute()
      if (status === 'INVALID')
        await trx.updateTable('cc_pair').set({ status: 'ACTIVE' }).where('id', '=', cc_pair_id).execute()
    }
    return attempts
  })

/**
 * The pairs of a connector that was changed, or of a credential, begin anew: what was read by the former one says nothing
 * of what there is to read now. One that was INVALID is tried again.
 */
export const restartPairs = (
  db: Database,
  which: { connector_id: number } | { credential_id: number },
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const [column, id] =
      'connector_id' in which
        ? (['connector_id', which.connector_id] as const)
        : (['credential_id', which.credential_id] as const)
    const pairs = (await trx.selectFrom('cc_pair').select('id').where(column, '=', id).execute()).map((it) => it.id)
    for (const schedule of await listScheduledIn(trx, pairs)) {
      const { cc_pair_id, open, status } = schedule
      if (status === 'INVALID')
        await trx.updateTable('cc_pair').set({ status: 'ACTIVE' }).where('id', '=', cc_pair_id).execute()
      const anew = { failures: 0, not_before: null, ...(column === 'connector_id' && { polled_until: null }) }
      await trx.updateTable('cc_pair_schedule').set(anew).where('cc_pair_id', '=', cc_pair_id).execute()
      await trx.updateTable('index_attempt').set({ checkpoint: null }).where('cc_pair_id', '=', cc_pair_id).execute()
      if (column === 'connector_id') await cancelAttempts(trx, cc_pair_id, now)
      if (column === 'connector_id' || open === null)
        await insertAttempt(trx, { cc_pair_id, from_beginning: 0, targets: null }, now)
    }
  })

async function listScheduledIn(trx: Queries, pairs: readonly number[]): Promise<Schedule[]> {
  const schedules = await Promise.all(pairs.map((it) => findSchedule(trx, it)))
  return schedules.filter((it) => it !== undefined).filter((it) => [...RUNNABLE, 'INVALID'].includes(it.status))
}

export interface Paging {
  limit: number
  offset: number
}

/** Newest first. */
export async function listAttempts(
  db: Queries,
  cc_pair_id: number,
  { limit, offset }: Paging,
): Promise<{ attempts: StoredAttempt[]; total: number }> {
  const own = db.selectFrom('index_attempt').where('cc_pair_id', '=', cc_pair_id)
  const attempts = await own.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute()
  const { total } = await own.select((it) => it.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { attempts, total }
}

/** Newest first. */
export async function listAttemptErrors(
  db: Queries,
  cc_pair_id: number,
  { limit, offset, withResolved }: Paging & { withResolved: boolean },
): Promise<{ errors: StoredAttemptError[]; total: number }> {
  const own = db
    .selectFrom('index_attempt_error')
    .where('cc_pair_id', '=', cc_pair_id)
    .$if(!withResolved, (it) => it.where('is_resolved', '=', 0))
  const errors = await own.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute()
  const { total } = await own.select((it) => it.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { errors, total }
}

/** The documents of unresolved errors; those of all, if no ids are named. */
export async function listUnresolved(db: Queries, cc_pair_id: number): Promise<string[]> {
  const rows = await db
    .selectFrom('index_attempt_error')
    .select(['document_id', 'document_link'])
    .distinct()
    .where('cc_pair_id', '=', cc_pair_id)
    .where('is_resolved', '=', 0)
    .where('document_id', 'is not', null)
    .execute()
  return rows.flatMap((it) => [it.document_id, it.document_link].filter((name) => name !== null))
}

export const findAttemptErrors = (db: Queries, ids: readonly number[]): Promise<StoredAttemptError[]> =>
  db
    .selectFrom('index_attempt_error')
    .selectAll()
    .where('id', 'in', [-1, ...ids])
    .execute()

/** The old ones of a pair go; what they could not read stays listed until it is read. */
export async function trimAttempts(db: Database, cc_pair_id: number, kept: number): Promise<void> {
  const oldest = await db
    .selectFrom('index_attempt')
    .select('id')
    .where('cc_pair_id', '=', cc_pair_id)
    .orderBy('id', 'desc')
    .offset(kept)
    .limit(1)
    .executeTakeFirst()
  if (oldest === undefined) return
  await db.deleteFrom('index_attempt').where('cc_pair_id', '=', cc_pair_id).where('id', '<=', oldest.id).execute()
  await db
    .deleteFrom('index_attempt_error')
    .where('cc_pair_id', '=', cc_pair_id)
    .where('is_resolved', '=', 1)
    .where('index_attempt_id', '<=', oldest.id)
    .execute()
}
