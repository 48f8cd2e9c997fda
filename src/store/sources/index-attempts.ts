// Index attempts: how a run begins, progresses and ends, and which documents it could not read.
import { createHash } from 'node:crypto'
import type { CompiledQuery, Selectable } from 'kysely'
import type { IndexAttemptErrorRow } from '../database/connector-run-tables.ts'
import type { Database, Queryable } from '../database/database.ts'
import {
  findSchedule,
  insertAttempt,
  leaseStatement,
  type PairLease,
  type PairSchedule,
  type ScheduleChange,
  type StoredAttempt,
} from './schedules.ts'

export type StoredAttemptError = Selectable<IndexAttemptErrorRow>

/** Statuses of pairs that run on schedule. */
export const RUNNABLE_STATUSES = ['SCHEDULED', 'INITIAL_INDEXING', 'ACTIVE']

/**
 * An interrupted attempt resumes at its checkpoint, unless that failed too often: then the checkpoint may be the cause.
 */
const MAX_RESUMES_AT_CHECKPOINT = 5

/**
 * Returns the attempt that the holder of the lease must run: the waiting or abandoned one, or a new one. It resumes
 * where the last one was interrupted. Returns undefined when there is nothing left to run.
 */
export const beginAttempt = (
  db: Database,
  lease: PairLease,
  now: number,
): Promise<{ schedule: PairSchedule; attempt: StoredAttempt } | undefined> =>
  db.transaction().execute(async (trx) => {
    const schedule = await findSchedule(trx, lease.cc_pair_id)
    if (schedule?.fence !== lease.fence || !RUNNABLE_STATUSES.includes(schedule.status)) return undefined
    const waiting =
      schedule.open ??
      (await insertAttempt(trx, { cc_pair_id: lease.cc_pair_id, from_beginning: 0, targets: null }, now))
    const begun = waiting.time_started === null ? { ...startOfAttempt(schedule, waiting, now), time_started: now } : {}
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

/** For sources that report changes late or whose clock is wrong by minutes. */
const POLL_OVERLAP_MS = 300_000

function startOfAttempt(
  { last, failures, polled_until, indexing_start }: PairSchedule,
  { from_beginning, targets }: StoredAttempt,
  now: number,
): Pick<StoredAttempt, 'checkpoint' | 'poll_range_start' | 'poll_range_end' | 'from_beginning'> {
  const canResume = last !== null && last.checkpoint !== null && failures < MAX_RESUMES_AT_CHECKPOINT
  if (canResume && from_beginning === 0 && targets === null) {
    const { checkpoint, poll_range_start, poll_range_end } = last
    return { checkpoint, poll_range_start, poll_range_end, from_beginning: last.from_beginning }
  }
  const readsEverything = from_beginning === 1 || polled_until === null
  return {
    checkpoint: null,
    poll_range_start: readsEverything ? indexing_start : polled_until - POLL_OVERLAP_MS,
    poll_range_end: now,
    from_beginning: readsEverything ? 1 : 0,
  }
}

export type AttemptCounters = Pick<
  StoredAttempt,
  'new_docs' | 'changed_docs' | 'unchanged_docs' | 'total_docs' | 'skipped_docs' | 'docs_without_text' | 'error_count'
>

export interface NewAttemptError {
  document_id: string | null
  document_link: string | null
  entity_id: string | null
  stage: string
  failure_message: string
}

/**
 * Statements for the transaction of a batch of documents. The first returns a row if the lease is held, the second if
 * the attempt still runs.
 */
export function progressStatements(
  db: Database,
  lease: PairLease,
  attemptId: number,
  progress: {
    counters: AttemptCounters
    /** Undefined leaves it unchanged. */
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
    .where((it) => it.exists(selectHeldLease(db, lease).select('fence')))
    .returning('id')
  return [
    leaseStatement(db, lease, progress.schedule),
    attempt.compile(),
    ...resolved.map((it) => resolveErrors(db, lease, it).compile()),
    ...errors.flatMap((it) => [
      deleteRepeatedErrors(db, lease, it).compile(),
      insertAttemptError(db, lease, attemptId, it).compile(),
    ]),
    ...notes.map((it) => upsertSourceNote(db, lease, it).compile()),
  ]
}

/** Selects one row if the lease is held, otherwise none. */
const selectHeldLease = (db: Queryable, { cc_pair_id, fence }: PairLease) =>
  db.selectFrom('cc_pair_schedule').where('cc_pair_schedule.cc_pair_id', '=', cc_pair_id).where('fence', '=', fence)

const selectUnresolvedErrors = (db: Queryable, { cc_pair_id }: PairLease) =>
  db.selectFrom('index_attempt_error').select('id').where('cc_pair_id', '=', cc_pair_id).where('is_resolved', '=', 0)

const selectErrorsOfDocument = (db: Queryable, lease: PairLease, id: string) =>
  selectUnresolvedErrors(db, lease).where((it) => it.or([it('document_id', '=', id), it('document_link', '=', id)]))

/** Some sources name a failed document by their own key; the link is then the document id. */
const resolveErrors = (db: Queryable, lease: PairLease, document_id: string) =>
  db
    .updateTable('index_attempt_error')
    .set({ is_resolved: 1 })
    .where('id', 'in', selectErrorsOfDocument(db, lease, document_id))
    .where((it) => it.exists(selectHeldLease(db, lease).select('fence')))

/** Keeps one entry for an error that repeats in every run. */
const deleteRepeatedErrors = (db: Queryable, lease: PairLease, { document_id, failure_message }: NewAttemptError) => {
  const same =
    document_id === null
      ? selectUnresolvedErrors(db, lease)
          .where('document_id', 'is', null)
          .where('failure_message', '=', failure_message)
      : selectUnresolvedErrors(db, lease).where('document_id', '=', document_id)
  return db
    .deleteFrom('index_attempt_error')
    .where('id', 'in', same)
    .where((it) => it.exists(selectHeldLease(db, lease).select('fence')))
}

const insertAttemptError = (db: Queryable, lease: PairLease, attemptId: number, it: NewAttemptError) =>
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
      selectHeldLease(db, lease)
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

/** Shortens a key of any length to fit every index. */
export const digestOfKey = (key: string): string => createHash('sha256').update(key).digest('base64url')

const upsertSourceNote = (db: Queryable, lease: PairLease, { key, value }: { key: string; value: string }) =>
  db
    .insertInto('source_note')
    .columns(['cc_pair_id', 'key', 'value'])
    .expression(
      selectHeldLease(db, lease).select((select) => [
        'cc_pair_id',
        select.val(digestOfKey(key)).as('key'),
        select.val(value).as('value'),
      ]),
    )
    .onConflict((it) => it.columns(['cc_pair_id', 'key']).doUpdateSet({ value }))

/** The key is the id of a document, or empty for the connector's own note. Notes of deleted documents are ignored. */
export async function findSourceNote(db: Queryable, cc_pair_id: number, key: string): Promise<string | null> {
  const row = await db
    .selectFrom('source_note')
    .select('value')
    .where('cc_pair_id', '=', cc_pair_id)
    .where('key', '=', digestOfKey(key))
    .$if(key !== '', (query) =>
      query.where((it) =>
        it.exists(it.selectFrom('document').select('seq').where('id', '=', key).where('deleted_at', 'is', null)),
      ),
    )
    .executeTakeFirst()
  return row?.value ?? null
}

/** Cancels the waiting or running attempts and returns how many there were. */
export async function cancelAttempts(trx: Queryable, cc_pair_id: number, now: number): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('index_attempt')
    .set({ status: 'canceled', time_updated: now, time_finished: now })
    .where('cc_pair_id', '=', cc_pair_id)
    .where('time_finished', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

export interface RunRequest {
  fromBeginning: boolean
  targets: readonly string[] | null
}

/**
 * Starts a run of each schedulable pair without a waiting or running attempt, INVALID pairs included. Returns the new
 * attempts.
 */
export const triggerAttempts = (
  db: Database,
  pairs: readonly number[],
  run: RunRequest,
  now: number,
): Promise<StoredAttempt[]> => db.transaction().execute((trx) => insertRuns(trx, pairs, run, now))

/** `triggerAttempts` in a transaction of the caller. */
export async function insertRuns(
  trx: Queryable,
  pairs: readonly number[],
  { fromBeginning, targets }: RunRequest,
  now: number,
): Promise<StoredAttempt[]> {
  const attempts: StoredAttempt[] = []
  for (const { cc_pair_id, open, status } of await listRunnableSchedules(trx, pairs)) {
    if (open !== null) continue
    const attempt = {
      cc_pair_id,
      from_beginning: fromBeginning ? (1 as const) : (0 as const),
      targets: targets === null ? null : JSON.stringify(targets),
    }
    attempts.push(await insertAttempt(trx, attempt, now))
    const scheduleChange = { not_before: null, ...(fromBeginning && { failures: 0 }) }
    await trx.updateTable('cc_pair_schedule').set(scheduleChange).where('cc_pair_id', '=', cc_pair_id).execute()
    if (status === 'INVALID')
      await trx.updateTable('cc_pair').set({ status: 'ACTIVE' }).where('id', '=', cc_pair_id).execute()
  }
  return attempts
}

/**
 * Restarts the pairs of a changed connector or credential, because former results no longer apply. INVALID pairs are
 * tried again.
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
    for (const schedule of await listRunnableSchedules(trx, pairs)) {
      const { cc_pair_id, open, status } = schedule
      if (status === 'INVALID')
        await trx.updateTable('cc_pair').set({ status: 'ACTIVE' }).where('id', '=', cc_pair_id).execute()
      const resetColumns = { failures: 0, not_before: null, ...(column === 'connector_id' && { polled_until: null }) }
      await trx.updateTable('cc_pair_schedule').set(resetColumns).where('cc_pair_id', '=', cc_pair_id).execute()
      await trx.updateTable('index_attempt').set({ checkpoint: null }).where('cc_pair_id', '=', cc_pair_id).execute()
      if (column === 'connector_id') await cancelAttempts(trx, cc_pair_id, now)
      if (column === 'connector_id' || open === null)
        await insertAttempt(trx, { cc_pair_id, from_beginning: 0, targets: null }, now)
    }
  })

async function listRunnableSchedules(trx: Queryable, pairs: readonly number[]): Promise<PairSchedule[]> {
  const schedules = await Promise.all(pairs.map((it) => findSchedule(trx, it)))
  return schedules
    .filter((it) => it !== undefined)
    .filter((it) => [...RUNNABLE_STATUSES, 'INVALID'].includes(it.status))
}

export interface OffsetPage {
  limit: number
  offset: number
}

export const findAttempt = (db: Queryable, cc_pair_id: number, id: number): Promise<StoredAttempt | undefined> =>
  db
    .selectFrom('index_attempt')
    .selectAll()
    .where('id', '=', id)
    .where('cc_pair_id', '=', cc_pair_id)
    .executeTakeFirst()

/** Returns the newest first. */
export async function listAttempts(
  db: Queryable,
  cc_pair_id: number,
  { limit, offset }: OffsetPage,
): Promise<{ attempts: StoredAttempt[]; total: number }> {
  const own = db.selectFrom('index_attempt').where('cc_pair_id', '=', cc_pair_id)
  const attempts = await own.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute()
  const { total } = await own.select((it) => it.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { attempts, total }
}

/** Returns the newest first. */
export async function listAttemptErrors(
  db: Queryable,
  cc_pair_id: number,
  { limit, offset, withResolved }: OffsetPage & { withResolved: boolean },
): Promise<{ errors: StoredAttemptError[]; total: number }> {
  const own = db
    .selectFrom('index_attempt_error')
    .where('cc_pair_id', '=', cc_pair_id)
    .$if(!withResolved, (it) => it.where('is_resolved', '=', 0))
  const errors = await own.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute()
  const { total } = await own.select((it) => it.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { errors, total }
}

/** Lists the documents of all unresolved errors of the pair. */
export async function listUnresolvedDocuments(db: Queryable, cc_pair_id: number): Promise<string[]> {
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

/** Counts documents that a pruning removed with the newest attempt, whose documents it was about. */
export async function addRemovedDocuments(db: Queryable, cc_pair_id: number, removed: number): Promise<void> {
  const newest = db
    .selectFrom('index_attempt')
    .select((it) => it.fn.max('id').as('id'))
    .where('cc_pair_id', '=', cc_pair_id)
  await db
    .updateTable('index_attempt')
    .set((it) => ({ removed_docs: it('removed_docs', '+', removed) }))
    .where('id', '=', newest)
    .execute()
}

/** Deletes old attempts of a pair. Unresolved errors stay listed until the documents are read. */
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
