// Runs one index attempt: accepts the documents of the connector in batches, each with its checkpoint.
import { SourceError } from '../../connectors/connector.ts'
import { AppError } from '../../domain/errors.ts'
import type { Database } from '../../store/database/database.ts'
import { type AttemptEnding, finishAttempt } from '../../store/sources/finish-attempt.ts'
import {
  type AttemptCounters,
  beginAttempt,
  findSourceNote,
  listUnresolvedDocuments,
  trimAttempts,
} from '../../store/sources/index-attempts.ts'
import { findLastLine, insertLogLines, trimLogs } from '../../store/sources/runs/attempt-log.ts'
import { type PairLease, type PairSchedule, updateUnderLease } from '../../store/sources/schedules.ts'
import { countSkippedDocuments, trimSkippedDocuments } from '../../store/sources/skipped-documents.ts'
import { insertStateDeliveries } from '../../store/webhooks/deliveries.ts'
import { createRunContext } from '../source/run-context.ts'
import { runDelivery } from '../webhooks/message.ts'
import { openAttemptBatch, type StartedAttempt } from './attempt-batch.ts'
import { type AttemptLog, createAttemptLog, LOG_LINES_KEPT, LOGS_KEPT } from './attempt-log.ts'
import { nameDocuments } from './name-documents.ts'
import { runBackoffMs } from './next-run.ts'
import { CANCELED, type ConnectorRunDeps, LEASE_LOST, MAX_MESSAGE, type RunSlot, SHUTDOWN } from './run-slot.ts'
import { createSkipList } from './skip-list.ts'

/** Thrown at a checkpoint to free the slot for another pair. The attempt continues in its next slot. */
const YIELDED = new Error('slot yielded')

const MAX_ATTEMPTS_KEPT = 200

/** Resolves when the run has ended, with or without success. Rejects only if the record cannot be written. */
export async function runAttempt(deps: ConnectorRunDeps, slot: RunSlot): Promise<void> {
  const { db, logger, now } = deps
  const started = await beginAttempt(db, slot.lease, now())
  if (started === undefined) {
    await releaseLease(db, slot.lease)
    return
  }
  const { schedule, attempt } = started
  const logFields = { cc_pair_id: schedule.cc_pair_id, index_attempt_id: attempt.id }
  const log = createAttemptLog({ now, lastLine: await findLastLine(db, schedule.cc_pair_id, attempt.id) })
  log.add('info', beginningText(started))
  const writeLog = () => insertLogLines(db, slot.lease, attempt.id, { lines: log.take(), kept: LOG_LINES_KEPT })
  const finish = async (ending: AttemptEnding) => {
    await writeLog()
    await trimLogs(db, schedule.cc_pair_id, LOGS_KEPT)
    await recordEnding(deps, slot, started, ending)
  }
  try {
    const { totals, isCounted } = await loadDocuments(deps, slot, started, log)
    log.add('info', totalsText(totals))
    await finish(
      successEnding(started, totals, { now: now(), isCounted, access_freq: accessSyncFrequency(deps, schedule) }),
    )
    await trimAttempts(db, schedule.cc_pair_id, MAX_ATTEMPTS_KEPT)
    if (attempt.from_beginning === 1 && attempt.targets === null)
      await trimSkippedDocuments(db, schedule.cc_pair_id, attempt.poll_range_end ?? 0)
    logger.info({ ...logFields, ...totals }, 'index attempt finished')
  } catch (error) {
    const reason = slot.signal.aborted ? slot.signal.reason : error
    if (reason === LEASE_LOST) return
    if (reason === SHUTDOWN || reason === YIELDED) {
      log.add(
        'info',
        reason === YIELDED ? 'The run waits, because other connectors need its place.' : 'The service stops.',
      )
      await writeLog()
      await releaseLease(db, slot.lease)
      return
    }
    const ending = reason === CANCELED ? CANCELED_ENDING : failureEnding(schedule, reason, now())
    if (ending.error_msg === null) log.add('info', 'The run was canceled.')
    else log.add('error', `The run failed: ${ending.error_msg}`)
    await finish(ending)
    if (reason !== CANCELED) logger.warn({ ...logFields, reason: ending.error_msg }, 'index attempt failed')
  }
}

function beginningText({ attempt: { targets, checkpoint, from_beginning, poll_range_start } }: StartedAttempt): string {
  const named: unknown[] | null = targets === null ? null : JSON.parse(targets)
  if (named !== null) return `The run reads ${named.length} named documents.`
  if (checkpoint !== null) return 'The run continues at its last checkpoint.'
  if (from_beginning === 1 || poll_range_start === null) return 'The run reads everything.'
  return `The run reads changes since ${new Date(poll_range_start).toISOString()}.`
}

const totalsText = (it: AttemptCounters): string =>
  `The run ended. Documents seen: ${it.total_docs}; new: ${it.new_docs}; changed: ${it.changed_docs}; unchanged: ${it.unchanged_docs}; skipped: ${it.skipped_docs}; failed: ${it.error_count}.`

/** Also queues webhook events when the state of the pair changes. */
async function recordEnding(
  { db, now, onRunEnded }: ConnectorRunDeps,
  { lease }: RunSlot,
  { schedule, attempt }: StartedAttempt,
  ending: AttemptEnding,
): Promise<void> {
  const time = now()
  const { cc_pair_id, name, source } = schedule
  await finishAttempt(db, lease, attempt.id, ending, time, async (trx, change) => {
    const event = change === 'failed' ? 'run.failed' : 'run.recovered'
    const run = { event, cc_pair: { id: cc_pair_id, name }, source, index_attempt_id: attempt.id } as const
    const retry_at = change === 'failed' ? (ending.schedule.not_before ?? null) : null
    await insertStateDeliveries(trx, { cc_pair_id, event }, () =>
      runDelivery({ ...run, reason: ending.error_msg, retry_at }, time),
    )
  })
  onRunEnded()
}

/** The attempt stays open; the next holder of the lease continues it. */
const releaseLease = (db: Database, lease: PairLease) =>
  updateUnderLease(db, lease, { holder: null, lease_until: null })

const CANCELED_ENDING: AttemptEnding = {
  status: 'canceled',
  error_msg: null,
  trace: null,
  isComplete: false,
  pairStatus: null,
  schedule: {},
}

/** How often permissions are synced. */
const ACCESS_SYNC_SECONDS = 1_800

function accessSyncFrequency({ connectorOf }: ConnectorRunDeps, { source, access_type }: PairSchedule): number | null {
  const connector = connectorOf(source)
  const syncsAccess = access_type === 'sync' && (connector?.groups !== undefined || connector?.access !== undefined)
  return syncsAccess ? ACCESS_SYNC_SECONDS : null
}

function successEnding(
  { schedule, attempt }: StartedAttempt,
  totals: AttemptCounters,
  { now, isCounted, access_freq }: { now: number; isCounted: boolean; access_freq: number | null },
): AttemptEnding {
  const isPartial = attempt.targets !== null
  /** Counts from a listing or from the source itself take precedence over the count of this run. */
  const isFirstCount = attempt.from_beginning === 1 && !isPartial && !isCounted && schedule.counted_at === null
  const sourceCount = totals.total_docs + totals.skipped_docs + totals.error_count
  return {
    status: totals.error_count > 0 ? 'completed_with_errors' : 'success',
    error_msg: null,
    trace: null,
    isComplete: true,
    pairStatus: 'ACTIVE',
    schedule: {
      failures: 0,
      failure_kind: null,
      not_before: null,
      access_freq,
      ...(!isPartial && { polled_until: attempt.poll_range_end }),
      ...(isFirstCount && { source_count: sourceCount, counted_at: now }),
    },
  }
}

function failureEnding(schedule: PairSchedule, error: unknown, now: number): AttemptEnding {
  const failures = schedule.failures + 1
  const isFinal = error instanceof SourceError && (error.kind === 'credential' || error.kind === 'config')
  return {
    status: 'failed',
    error_msg: runErrorMessage(error),
    trace: error instanceof SourceError || error instanceof AppError ? null : String((error as Error).stack ?? error),
    isComplete: false,
    pairStatus: isFinal ? 'INVALID' : null,
    schedule: {
      failures,
      failure_kind: error instanceof SourceError ? error.kind : null,
      not_before: isFinal ? null : now + runBackoffMs(failures),
    },
  }
}

/** Starts with the field, because the reader wants to know what to change. */
export function runErrorMessage(error: unknown): string {
  if (error instanceof SourceError) {
    return `${error.field === null ? '' : `${error.field}: `}${error.message}`.slice(0, MAX_MESSAGE)
  }
  if (error instanceof AppError) return error.message
  return `The connector failed: ${error instanceof Error ? error.message : String(error)}`.slice(0, MAX_MESSAGE)
}

/** `isCounted`: the source reported its number of documents. */
async function loadDocuments(
  deps: ConnectorRunDeps,
  slot: RunSlot,
  { schedule, attempt }: StartedAttempt,
  log: AttemptLog,
): Promise<{ totals: AttemptCounters; isCounted: boolean }> {
  const { db, now } = deps
  const unresolved = new Set(await listUnresolvedDocuments(db, schedule.cc_pair_id))
  const range = { ...attemptRange(deps, { schedule, attempt }, unresolved), onWait: logNewWaits(log) }
  const { connector, context, hide, withIdleTimeout } = await createRunContext(deps, slot, schedule, range)
  log.hideSecrets(hide)
  // A run from the beginning records all skipped documents again.
  const since = attempt.from_beginning === 1 ? (attempt.poll_range_end ?? 0) : 0
  const skips = createSkipList(await countSkippedDocuments(db, schedule.cc_pair_id, since))
  const batch = openAttemptBatch(deps, slot, { schedule, attempt }, { unresolved, skips, log })
  // An earlier slot of the attempt may have read changes.
  let isChanged = attempt.checkpoint !== null
  for await (const item of withIdleTimeout(connector.load(context))) {
    isChanged ||= item.type === 'document'
    slot.signal.throwIfAborted()
    await batch.add(item)
    if (item.type === 'checkpoint' && slot.shouldYield()) throw YIELDED
  }
  await batch.flush()
  if (isChanged && attempt.targets === null && connector.names !== undefined) {
    const collect = connector.names.bind(connector, context)
    await nameDocuments(db, schedule.cc_pair_id, collect)
  }
  const count = attempt.targets === null ? await connector.count?.(context) : undefined
  const isCounted = count !== undefined && count !== null
  if (isCounted) await updateUnderLease(db, slot.lease, { source_count: count, counted_at: now() })
  return { totals: batch.counters, isCounted }
}

/** A wait that repeats is one line. */
function logNewWaits(log: AttemptLog): (reason: string) => void {
  let last = ''
  return (reason) => {
    if (reason !== last) log.add('info', reason)
    last = reason
  }
}

const attemptRange = (
  { db, now }: ConnectorRunDeps,
  { schedule, attempt }: StartedAttempt,
  unresolved: ReadonlySet<string>,
) => ({
  since: attempt.poll_range_start,
  until: attempt.poll_range_end ?? now(),
  checkpoint: attempt.checkpoint === null ? null : JSON.parse(attempt.checkpoint),
  only: attempt.targets === null ? null : (JSON.parse(attempt.targets) as string[]),
  // A run from the beginning reads everything again. Every run reads again what failed before.
  recall: async (key: string) =>
    attempt.from_beginning === 1 || unresolved.has(key) ? null : findSourceNote(db, schedule.cc_pair_id, key),
})
