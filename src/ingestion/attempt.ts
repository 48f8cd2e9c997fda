// Runs one index attempt: what the connector yields is accepted like any document, in batches with their checkpoint.
import { setTimeout as delay } from 'node:timers/promises'
import { type Item, type SourceDocument, SourceError } from '../connectors/connector.ts'
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import type { Database } from '../store/database.ts'
import { type Acceptance, acceptTogether, type NewDocument } from '../store/documents.ts'
import {
  beginAttempt,
  type Counters,
  type Ending,
  findNote,
  finishAttempt,
  listUnresolved,
  type NewAttemptError,
  progressStatements,
  trimAttempts,
} from '../store/index-attempts.ts'
import { type Lease, type Schedule, type StoredAttempt, updateHeld } from '../store/pulling.ts'
import { backoffMs } from './due.ts'
import type { Indexer } from './indexer.ts'
import { openRunPull, type RunPullNeeds } from './run-pull.ts'
import { contentOfSource, groupPrefixOf } from './source-document.ts'

export interface RunNeeds extends RunPullNeeds {
  indexer: Pick<Indexer, 'wake' | 'checkRoom'>
  /** Throws while no document may be written. */
  checkDisk: () => void
  logger: Logger
  leaseMs: number
}

/** What a run asks of the one who started it. */
export interface Turn {
  lease: Lease
  /** Aborts when the run is to end: its reason is `CANCELED`, `SHUTDOWN` or `LEASE_LOST`. */
  signal: AbortSignal
  /** Whether others have waited long enough for this place. */
  isOver: () => boolean
}

export const CANCELED = new Error('the run was canceled')
export const SHUTDOWN = new Error('the service ends')
export const LEASE_LOST = new Error('another process runs this pair')
/** Thrown at a checkpoint so that another pair has its turn; the attempt waits for its next one. */
const TURN_OVER = new Error('others wait')

const MAX_BATCH = 50
const MAX_BATCH_CHARACTERS = 2_000_000
const FULL_PAUSE_MS = 1_000
const KEPT_ATTEMPTS = 200
const MAX_MESSAGE = 2_000

/** Answers when the run has ended, however it did; rejects only where the record cannot be written. */
export async function runAttempt(needs: RunNeeds, turn: Turn): Promise<void> {
  const { db, logger, now } = needs
  const begun = await beginAttempt(db, turn.lease, now())
  if (begun === undefined) {
    await release(db, turn.lease)
    return
  }
  const { schedule, attempt } = begun
  const facts = { cc_pair_id: schedule.cc_pair_id, index_attempt_id: attempt.id }
  try {
    const { totals, isCounted } = await loadAll(needs, turn, begun)
    await finishAttempt(
      db,
      turn.lease,
      attempt.id,
      successOf(begun, totals, { now: now(), isCounted, access_freq: accessFreqOf(needs, schedule) }),
      now(),
    )
    await trimAttempts(db, schedule.cc_pair_id, KEPT_ATTEMPTS)
    logger.info({ ...facts, ...totals }, 'index attempt ended')
  } catch (error) {
    const reason = turn.signal.aborted ? turn.signal.reason : error
    if (reason === LEASE_LOST) return
    if (reason === SHUTDOWN || reason === TURN_OVER) {
      await release(db, turn.lease)
      return
    }
    const ending = reason === CANCELED ? canceled : failureOf(schedule, reason, now())
    await finishAttempt(db, turn.lease, attempt.id, ending, now())
    if (reason !== CANCELED) logger.warn({ ...facts, reason: ending.error_msg }, 'index attempt failed')
  }
}

/** The attempt stays as it is: whoever has the lease next goes on with it. */
const release = (db: Database, lease: Lease) => updateHeld(db, lease, { holder: null, lease_until: null })

const canceled: Ending = {
  status: 'canceled',
  error_msg: null,
  trace: null,
  isComplete: false,
  pairStatus: null,
  schedule: {},
}

interface Begun {
  schedule: Schedule
  attempt: StoredAttempt
}

/** In seconds: how often a source is asked who may read what. */
const ACCESS_FREQ = 1_800

function accessFreqOf({ connectorOf }: RunNeeds, { source, access_type }: Schedule): number | null {
  const connector = connectorOf(source)
  const isAsked = access_type === 'sync' && (connector?.groups !== undefined || connector?.access !== undefined)
  return isAsked ? ACCESS_FREQ : null
}

function successOf(
  { schedule, attempt }: Begun,
  totals: Counters,
  { now, isCounted, access_freq }: { now: number; isCounted: boolean; access_freq: number | null },
): Ending {
  const isPartial = attempt.targets !== null
  /** What a listing or the source itself counted says more than what came of the run. */
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

function failureOf(schedule: Schedule, error: unknown, now: number): Ending {
  const failures = schedule.failures + 1
  const isFinal = error instanceof SourceError && (error.fault === 'credential' || error.fault === 'config')
  return {
    status: 'failed',
    error_msg: messageOf(error),
    trace: error instanceof SourceError || error instanceof AppError ? null : String((error as Error).stack ?? error),
    isComplete: false,
    pairStatus: isFinal ? 'INVALID' : null,
    schedule: { failures, not_before: isFinal ? null : now + backoffMs(failures) },
  }
}

/** The field first: whoever reads it looks for what to change. */
export function messageOf(error: unknown): string {
  if (error instanceof SourceError) {
    return `${error.field === null ? '' : `${error.field}: `}${error.message}`.slice(0, MAX_MESSAGE)
  }
  if (error instanceof AppError) return error.message
  return `The connector failed: ${error instanceof Error ? error.message : String(error)}`.slice(0, MAX_MESSAGE)
}

/** `isCounted`: the source said how many documents it has. */
async function loadAll(
  needs: RunNeeds,
  turn: Turn,
  { schedule, attempt }: Begun,
): Promise<{ totals: Counters; isCounted: boolean }> {
  const { db, now } = needs
  const unresolved = new Set(await listUnresolved(db, schedule.cc_pair_id))
  const range = rangeOf(needs, { schedule, attempt }, unresolved)
  const { connector, pull, patiently } = await openRunPull(needs, turn, schedule, range)
  const batch = openBatch(needs, turn, { schedule, attempt }, unresolved)
  for await (const item of patiently(connector.load(pull))) {
    turn.signal.throwIfAborted()
    await batch.add(item)
    if (item.type === 'checkpoint' && turn.isOver()) throw TURN_OVER
  }
  await batch.flush()
  const count = attempt.targets === null ? await connector.count?.(pull) : undefined
  const isCounted = count !== undefined && count !== null
  if (isCounted) await updateHeld(db, turn.lease, { source_count: count, counted_at: now() })
  return { totals: batch.counters, isCounted }
}

const rangeOf = ({ db, now }: RunNeeds, { schedule, attempt }: Begun, unresolved: ReadonlySet<string>) => ({
  since: attempt.poll_range_start,
  until: attempt.poll_range_end ?? now(),
  checkpoint: attempt.checkpoint === null ? null : JSON.parse(attempt.checkpoint),
  only: attempt.targets === null ? null : (JSON.parse(attempt.targets) as string[]),
  // A run from the beginning reads everything anew, and any run what could not be read before.
  recall: async (key: string) =>
    attempt.from_beginning === 1 || unresolved.has(key) ? null : findNote(db, schedule.cc_pair_id, key),
})

interface Batch {
  counters: Counters
  add(item: Item): Promise<void>
  flush(checkpoint?: string): Promise<void>
}

/** `unresolved`: documents that could not be read before. */
function openBatch(needs: RunNeeds, turn: Turn, { schedule, attempt }: Begun, unresolved: Set<string>): Batch {
  const { db, indexer, now } = needs
  const { new_docs, total_docs, skipped_docs, error_count } = attempt
  const counters = { new_docs, total_docs, skipped_docs, error_count }
  const requestId = `index-attempt-${attempt.id}`
  const target = {
    source: schedule.source,
    accessType: schedule.access_type,
    groupPrefix: groupPrefixOf(schedule),
  }
  let documents: NewDocument[] = []
  let errors: NewAttemptError[] = []
  let notes: { key: string; value: string }[] = []
  let resolved: string[] = []
  let characters = 0

  const fail = (error: NewAttemptError) => {
    counters.error_count += 1
    errors.push({ ...error, failure_message: error.failure_message.slice(0, MAX_MESSAGE) })
  }
  /** Answers whether it is one. */
  const take = (document: SourceDocument): boolean => {
    counters.total_docs += 1
    const link = document.sections.find((it) => it.link)?.link ?? null
    try {
      const content = contentOfSource(document, target)
      documents.push({ content, ccPairId: schedule.cc_pair_id, requestId, pulled: turn.lease })
      characters += content.sections.reduce((sum, it) => sum + it.text.length, 0)
      return true
    } catch (error) {
      fail({
        ...NO_ERROR,
        document_id: document.id,
        document_link: link,
        stage: 'accept',
        failure_message: (error as Error).message,
      })
      return false
    }
  }
  const flush = async (checkpoint?: string): Promise<void> => {
    await waitForRoom(needs, turn)
    const schedule_ = { lease_until: now() + needs.leaseMs, wait_reason: null, wait_until: null }
    const progress = { counters, checkpoint, errors, notes, resolved, schedule: schedule_ }
    const also = progressStatements(db, turn.lease, attempt.id, progress, now())
    const sent = documents
    ;[documents, errors, notes, resolved, characters] = [[], [], [], [], 0]
    const { accepted, also: outcome } = await acceptTogether(db, 'all', sent, { now: now(), also })
    if (!outcome.ok) throw outcome.error
    if (outcome.rows[0]?.length === 0) throw LEASE_LOST
    if (outcome.rows[1]?.length === 0) throw CANCELED
    for (const [at, result] of accepted.entries()) {
      if (result instanceof Error) fail(refusalOf(sent[at]!, result))
      else counters.new_docs += newOf(result, indexer)
    }
  }
  return {
    counters,
    flush: async (checkpoint) => {
      await flush(checkpoint)
      // What the last batch came to is written too.
      if (checkpoint === undefined) await flush()
    },
    async add(item) {
      if (item.type === 'checkpoint') return flush(JSON.stringify(item.checkpoint))
      if (item.type === 'failure') {
        const { document_id, link: document_link, entity_id = null, stage, message: failure_message } = item
        return fail({ document_id, document_link, entity_id, stage, failure_message })
      }
      if (item.type === 'skipped') counters.skipped_docs += 1
      if (item.type === 'unchanged') counters.total_docs += 1
      if (item.type === 'document' && !take(item.document)) return
      const id = item.type === 'document' ? item.document.id : item.id
      if (unresolved.delete(id)) resolved.push(id)
      if (item.type !== 'skipped' && item.note !== undefined) notes.push(item.note)
      if (documents.length >= MAX_BATCH || characters >= MAX_BATCH_CHARACTERS) await flush()
    },
  }
}

const NO_ERROR = { document_id: null, document_link: null, entity_id: null }

const refusalOf = ({ content }: NewDocument, error: Error): NewAttemptError => ({
  ...NO_ERROR,
  document_id: content.id,
  document_link: content.link,
  stage: 'accept',
  failure_message: error instanceof AppError ? error.message : 'It could not be written.',
})

function newOf(result: Acceptance, indexer: RunNeeds['indexer']): 0 | 1 {
  if (result.addedBytes !== undefined) indexer.wake(result.seq, result.addedBytes)
  return result.already_existed ? 0 : 1
}

/** A source can wait: what clients push has the room that is left. */
async function waitForRoom({ db, indexer, checkDisk, now, leaseMs }: RunNeeds, { lease, signal }: Turn): Promise<void> {
  for (;;) {
    try {
      checkDisk()
      indexer.checkRoom()
      return
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const lease_until = now() + leaseMs
      await updateHeld(db, lease, { lease_until, wait_reason: error.message, wait_until: now() + FULL_PAUSE_MS })
      await delay(FULL_PAUSE_MS, undefined, { signal })
    }
  }
}
