// Runs one index attempt: accepts the documents of the connector in batches, each with its checkpoint.
import { setTimeout as delay } from 'node:timers/promises'
import { type ConnectorItem, type SourceDocument, SourceError } from '../../connectors/connector.ts'
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import { zip } from '../../domain/values/zip.ts'
import type { Database } from '../../store/database/database.ts'
import {
  type AcceptedDocument,
  acceptWithStatements,
  type NewDocument,
} from '../../store/documents/accept-documents.ts'
import { type AttemptEnding, finishAttempt } from '../../store/sources/finish-attempt.ts'
import {
  type AttemptCounters,
  beginAttempt,
  findSourceNote,
  listUnresolvedDocuments,
  type NewAttemptError,
  progressStatements,
  trimAttempts,
} from '../../store/sources/index-attempts.ts'
import {
  type PairLease,
  type PairSchedule,
  type StoredAttempt,
  updateUnderLease,
} from '../../store/sources/schedules.ts'
import { countSkippedDocuments, skipStatements, trimSkippedDocuments } from '../../store/sources/skipped-documents.ts'
import { insertRunDeliveries } from '../../store/webhooks/deliveries.ts'
import type { Indexer } from '../index/indexer.ts'
import { convertSourceDocument, sourceGroupPrefix } from '../source/document.ts'
import { createRunContext, type RunContextDeps } from '../source/run-context.ts'
import { runDelivery } from '../webhooks/message.ts'
import { runBackoffMs } from './next-run.ts'
import { createSkipList, type SkipList } from './skip-list.ts'

export interface ConnectorRunDeps extends RunContextDeps {
  indexer: Pick<Indexer, 'wake' | 'checkRoom'>
  /** Throws while documents must not be written. */
  checkDisk: () => void
  logger: Logger
  leaseMs: number
  /** Called when there may be events for webhooks. */
  onWebhookEvent: () => void
}

/** The grant of the scheduler to a run. */
export interface RunSlot {
  lease: PairLease
  /** Aborts to end the run, with the reason `CANCELED`, `SHUTDOWN` or `LEASE_LOST`. */
  signal: AbortSignal
  /** Whether other pairs have waited long enough for this slot. */
  shouldYield: () => boolean
}

export const CANCELED = new Error('run canceled')
export const SHUTDOWN = new Error('service shutting down')
export const LEASE_LOST = new Error('lease lost to another process')
/** Thrown at a checkpoint to free the slot for another pair. The attempt continues in its next slot. */
const YIELDED = new Error('slot yielded')

const MAX_BATCH = 50
const MAX_BATCH_CHARACTERS = 2_000_000
const NO_ROOM_PAUSE_MS = 1_000
const MAX_ATTEMPTS_KEPT = 200
const MAX_MESSAGE = 2_000

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
  const finish = (ending: AttemptEnding) => recordEnding(deps, slot, started, ending)
  try {
    const { totals, isCounted } = await loadDocuments(deps, slot, started)
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
      await releaseLease(db, slot.lease)
      return
    }
    const ending = reason === CANCELED ? CANCELED_ENDING : failureEnding(schedule, reason, now())
    await finish(ending)
    if (reason !== CANCELED) logger.warn({ ...logFields, reason: ending.error_msg }, 'index attempt failed')
  }
}

/** Also queues webhook events when the state of the pair changes. */
async function recordEnding(
  { db, now, onWebhookEvent }: ConnectorRunDeps,
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
    await insertRunDeliveries(trx, { cc_pair_id, event }, () =>
      runDelivery({ ...run, reason: ending.error_msg, retry_at }, time),
    )
  })
  onWebhookEvent()
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

interface StartedAttempt {
  schedule: PairSchedule
  attempt: StoredAttempt
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
    schedule: { failures, not_before: isFinal ? null : now + runBackoffMs(failures) },
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
): Promise<{ totals: AttemptCounters; isCounted: boolean }> {
  const { db, now } = deps
  const unresolved = new Set(await listUnresolvedDocuments(db, schedule.cc_pair_id))
  const range = attemptRange(deps, { schedule, attempt }, unresolved)
  const { connector, context, withIdleTimeout } = await createRunContext(deps, slot, schedule, range)
  // A run from the beginning records all skipped documents again.
  const since = attempt.from_beginning === 1 ? (attempt.poll_range_end ?? 0) : 0
  const skips = createSkipList(await countSkippedDocuments(db, schedule.cc_pair_id, since))
  const batch = openAttemptBatch(deps, slot, { schedule, attempt }, { unresolved, skips })
  for await (const item of withIdleTimeout(connector.load(context))) {
    slot.signal.throwIfAborted()
    await batch.add(item)
    if (item.type === 'checkpoint' && slot.shouldYield()) throw YIELDED
  }
  await batch.flush()
  const count = attempt.targets === null ? await connector.count?.(context) : undefined
  const isCounted = count !== undefined && count !== null
  if (isCounted) await updateUnderLease(db, slot.lease, { source_count: count, counted_at: now() })
  return { totals: batch.counters, isCounted }
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

interface AttemptBatch {
  counters: AttemptCounters
  add(item: ConnectorItem): Promise<void>
  flush(checkpoint?: string): Promise<void>
}

/** `unresolved`: ids of documents that failed in earlier attempts. */
function openAttemptBatch(
  deps: ConnectorRunDeps,
  slot: RunSlot,
  { schedule, attempt }: StartedAttempt,
  { unresolved, skips }: { unresolved: Set<string>; skips: SkipList },
): AttemptBatch {
  const { db, indexer, now } = deps
  const { new_docs, total_docs, skipped_docs, docs_without_text, error_count } = attempt
  const counters = { new_docs, total_docs, skipped_docs, docs_without_text, error_count }
  const requestId = `index-attempt-${attempt.id}`
  const target = {
    source: schedule.source,
    accessType: schedule.access_type,
    groupPrefix: sourceGroupPrefix(schedule),
  }
  let documents: NewDocument[] = []
  let errors: NewAttemptError[] = []
  let notes: { key: string; value: string }[] = []
  let resolved: string[] = []
  let readIds: string[] = []
  let characters = 0

  const recordError = (error: NewAttemptError) => {
    counters.error_count += 1
    errors.push({ ...error, failure_message: error.failure_message.slice(0, MAX_MESSAGE) })
  }
  /** Returns whether the document is valid. */
  const addDocument = (document: SourceDocument): boolean => {
    counters.total_docs += 1
    const link = document.sections.find((it) => it.link)?.link ?? null
    try {
      const content = convertSourceDocument(document, target)
      documents.push({ content, ccPairId: schedule.cc_pair_id, requestId, pulled: slot.lease })
      characters += content.sections.reduce((sum, it) => sum + it.text.length, 0)
      return true
    } catch (error) {
      recordError({
        ...EMPTY_ERROR,
        document_id: document.id,
        document_link: link,
        stage: 'accept',
        failure_message: (error as Error).message,
      })
      return false
    }
  }
  const flush = async (checkpoint?: string): Promise<void> => {
    await waitForCapacity(deps, slot)
    const scheduleChange = { lease_until: now() + deps.leaseMs, wait_reason: null, wait_until: null }
    const progress = { counters, checkpoint, errors, notes, resolved, schedule: scheduleChange }
    const extraStatements = [
      ...progressStatements(db, slot.lease, attempt.id, progress, now()),
      ...skipStatements(db, slot.lease, attempt.id, { skipped: skips.take(), read: readIds }, now()),
    ]
    const batchDocuments = documents
    ;[documents, errors, notes, resolved, readIds, characters] = [[], [], [], [], [], 0]
    const { accepted, rows } = await acceptWithStatements(db, batchDocuments, {
      now: now(),
      also: extraStatements,
    })
    if (rows[0]?.length === 0) throw LEASE_LOST
    if (rows[1]?.length === 0) throw CANCELED
    for (const [document, result] of zip(batchDocuments, accepted)) {
      if (result instanceof Error) recordError(acceptError(document, result))
      else {
        counters.new_docs += wakeAndCountNew(result, indexer)
        if (result.warnings.includes('no_text')) counters.docs_without_text += 1
      }
    }
  }
  return {
    counters,
    flush: async (checkpoint) => {
      await flush(checkpoint)
      // The outcome of the last batch is written too.
      if (checkpoint === undefined) await flush()
    },
    async add(received) {
      const item = received.type === 'warning' ? toSkipped(received) : received
      if (item.type === 'checkpoint') return flush(JSON.stringify(item.checkpoint))
      if (item.type === 'failure') {
        const { document_id, link: document_link, entity_id = null, stage, message: failure_message } = item
        return recordError({ document_id, document_link, entity_id, stage, failure_message })
      }
      if (item.type === 'skipped') {
        counters.skipped_docs += 1
        skips.add(item)
      } else readIds.push(item.type === 'document' ? item.document.id : item.id)
      if (item.type === 'unchanged') counters.total_docs += 1
      if (item.type === 'document' && !addDocument(item.document)) return
      const id = item.type === 'document' ? item.document.id : item.id
      if (unresolved.delete(id)) resolved.push(id)
      if (item.type !== 'skipped' && item.note !== undefined) notes.push(item.note)
      if (documents.length + skips.length >= MAX_BATCH || characters >= MAX_BATCH_CHARACTERS) await flush()
    },
  }
}

/** A run reports warnings of the connector as skipped documents. */
const toSkipped = ({ link, message }: Extract<ConnectorItem, { type: 'warning' }>) =>
  ({ type: 'skipped', id: link, link, reason: message }) as const

const EMPTY_ERROR = { document_id: null, document_link: null, entity_id: null }

const acceptError = ({ content }: NewDocument, error: Error): NewAttemptError => ({
  ...EMPTY_ERROR,
  document_id: content.id,
  document_link: content.link,
  stage: 'accept',
  failure_message: error instanceof AppError ? error.message : 'The document could not be written.',
})

function wakeAndCountNew(result: AcceptedDocument, indexer: ConnectorRunDeps['indexer']): 0 | 1 {
  if (result.addedBytes !== undefined) indexer.wake(result.seq, result.addedBytes)
  return result.already_existed ? 0 : 1
}

/** Connectors wait when the queue or the disk is full; pushed documents have priority. */
async function waitForCapacity(
  { db, indexer, checkDisk, now, leaseMs }: ConnectorRunDeps,
  { lease, signal }: RunSlot,
): Promise<void> {
  for (;;) {
    try {
      checkDisk()
      indexer.checkRoom()
      return
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const lease_until = now() + leaseMs
      await updateUnderLease(db, lease, {
        lease_until,
        wait_reason: error.message,
        wait_until: now() + NO_ROOM_PAUSE_MS,
      })
      await delay(NO_ROOM_PAUSE_MS, undefined, { signal })
    }
  }
}
