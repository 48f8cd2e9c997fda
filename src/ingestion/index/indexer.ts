// The follower: applies the changes of the record to the index in order and records the outcome of each.
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import { type Meter, noopMeter } from '../../domain/meter.ts'
import { createLoop, exponentialBackoff } from '../../flow/background-loop.ts'
import { createMutex } from '../../flow/mutex.ts'
import type { IndexBatch, IndexDocument, SearchIndex } from '../../search-index/search-index.ts'
import type { Database } from '../../store/database/database.ts'
import {
  countIndexBacklog,
  type DocumentChange,
  lastChangeSeq,
  listChanges,
  listDueRetries,
} from '../../store/documents/documents.ts'
import {
  findChangeWithoutReceipt,
  type NewReceipt,
  nextRetryAt,
  writeReceipts,
} from '../../store/documents/receipts.ts'
import type { FreshDocument } from '../embed/fresh-queue.ts'
import { openBacklog, QUEUE_LIMITS, type QueueLimits } from './backlog.ts'
import { toIndexDocument } from './index-document.ts'
import { createPositionSignal } from './position-signal.ts'

const MAX_BATCH = 200
const MAX_BATCH_BYTES = 8_000_000
const MAX_ATTEMPTS = 6
const FIRST_RETRY_MS = 1_000
const MAX_PAUSE_MS = 30_000

/** The record was restored while the program ran. Only a restart detects that and rebuilds the index. */
const RECORD_WENT_BACK = 'the record is older than the index; restart the service to rebuild the index'

export interface IndexerProgress {
  accepted_seq: number
  indexed_seq: number
  /** Changes that wait. An upper bound, because a document that changed twice is indexed once. */
  pending: number
  /** Why the follower is stalled; null when it is not. */
  waiting_for: string | null
}

export interface Indexer {
  /** Announces a change and the size of its content. */
  wake(seq: number, bytes?: number): void
  progress(): IndexerProgress
  /** Throws QUEUE_FULL when too much waits already. */
  checkRoom(): void
  /** Whether the change is being applied. */
  isIndexing(seq: number): boolean
  /** Resolves with true once every change up to `seq` is applied, or with false if the signal fires first. */
  waitUntil(seq: number, signal: AbortSignal): Promise<boolean>
  /** Runs the action between two batches. */
  runExclusive(action: () => Promise<void>): Promise<void>
  /** Runs until the signal. Never rejects because of a document or the index. */
  run(signal: AbortSignal): Promise<void>
}

/** The part of an index that a follower needs. */
export type FollowedIndex = Pick<SearchIndex, 'apply' | 'stats'>

export interface IndexerDeps {
  db: Database
  searchIndex: FollowedIndex
  logger: Logger
  meter?: Meter
  now: () => number
  failpoint: (name: string) => void
  /** Called with the number of applied changes and the new position of the index. */
  onAdvance?: (count: number, position: number) => Promise<void>
  /** A second index that is being built. Retried documents must reach it too. */
  buildingIndex?: () => FollowedIndex | null
  /** Throws when no document may be written now. */
  checkDisk?: () => void
  /** Called after receipts were written. */
  onReceiptsWritten?: () => void
  /** Called with documents whose version is new to the index. */
  onIndexed?: (documents: readonly FreshDocument[]) => void
  limits?: QueueLimits
}

export async function createIndexer(deps: IndexerDeps): Promise<Indexer> {
  const { db, logger, now, onAdvance = async () => {} } = deps
  const runExclusive = createMutex()
  const positionSignal = createPositionSignal()
  let position = await findStartPosition(deps)
  let newest = await lastChangeSeq(db)
  let current: ReadonlySet<number> = new Set()
  let waitingFor: string | null = null
  const count = () => countIndexBacklog(db, position)
  const backlog = await openBacklog({ count, limits: deps.limits ?? QUEUE_LIMITS, now })

  const applyNextBatch = async (): Promise<boolean> => {
    const changes = await listChanges(db, position, MAX_BATCH, MAX_BATCH_BYTES)
    const retries = await listDueRetries(db, now(), MAX_BATCH)
    if (changes.length + retries.length === 0) return false
    current = new Set([...changes, ...retries].map((it) => it.seq))
    position = await applyWaiting(deps, { changes, retries }, position)
    backlog.remove(changes)
    await onAdvance(changes.length, position)
    current = new Set()
    waitingFor = null
    positionSignal.advanceTo(position)
    return true
  }
  const round = async () => {
    if (await runExclusive(applyNextBatch)) return 0
    const last = await lastChangeSeq(db)
    // `wake` may have announced a newer change during the read.
    newest = Math.max(newest, last)
    if (last < position) throw new Error(RECORD_WENT_BACK)
    if (last > position) position = await skipGap(db, position, last)
    await onAdvance(0, position)
    positionSignal.advanceTo(position)
    if (position >= newest) backlog.clear()
    return msUntilRetry(db, now())
  }
  const loop = createLoop(round, {
    retryMs: exponentialBackoff(FIRST_RETRY_MS, MAX_PAUSE_MS),
    onError(error, retryMs) {
      waitingFor = `the index does not accept documents: ${publicReason(error)}`
      logger.error({ err: error, retry_in_ms: retryMs }, 'indexing stalled')
      current = new Set()
    },
  })

  return {
    wake(seq, bytes) {
      if (bytes !== undefined) backlog.add(bytes)
      newest = Math.max(newest, seq)
      loop.wake()
    },
    progress: () => ({
      accepted_seq: newest,
      indexed_seq: position,
      pending: Math.max(0, newest - position),
      waiting_for: waitingFor,
    }),
    checkRoom() {
      deps.checkDisk?.()
      backlog.checkRoom()
    },
    runExclusive,
    isIndexing: (seq) => current.has(seq),
    waitUntil: (seq, signal) => (position >= seq ? Promise.resolve(true) : positionSignal.waitFor(seq, signal)),
    run: loop.run,
  }
}

/** After a crash the index may have the last batch while its receipts are still missing. */
async function findStartPosition({ db, searchIndex }: IndexerDeps): Promise<number> {
  const { position } = await searchIndex.stats()
  const unmarked = await findChangeWithoutReceipt(db, position, MAX_BATCH)
  return unmarked === null ? position : unmarked - 1
}

/** Applies new changes and retries of earlier ones. Returns the position of the index after them. */
async function applyWaiting(
  deps: IndexerDeps,
  { changes, retries }: { changes: readonly DocumentChange[]; retries: readonly DocumentChange[] },
  position: number,
): Promise<number> {
  const target = changes.at(-1)?.seq ?? position
  if (changes.length > 0) await applyBatch(deps, changes, target)
  if (retries.length > 0) {
    const searchIndex = applyToBoth(deps.searchIndex, deps.buildingIndex?.() ?? null)
    await applyBatch({ ...deps, searchIndex }, retries, target)
  }
  return target
}

/** Visible to every user, so file names are removed. */
const publicReason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/'[^']*'/g, (it) =>
    /[/\\]/.test(it) ? 'a file' : it,
  )

/** Applies to both indexes and fails if either fails. */
function applyToBoth(searchIndex: FollowedIndex, building: FollowedIndex | null): FollowedIndex {
  if (building === null) return searchIndex
  const apply = async (batch: IndexBatch) => {
    const { position } = await building.stats()
    await building.apply({ ...batch, position })
    await searchIndex.apply(batch)
  }
  return { apply, stats: () => searchIndex.stats() }
}

/** Sequence numbers that no document holds any longer count as done: a newer version has a later number. */
async function skipGap(db: Database, position: number, newest: number): Promise<number> {
  const [next] = await listChanges(db, position, 1, 0)
  return next === undefined ? newest : position
}

async function msUntilRetry(db: Database, now: number): Promise<number> {
  const retryAt = await nextRetryAt(db)
  return retryAt === null ? MAX_PAUSE_MS : Math.min(Math.max(retryAt - now, 1), MAX_PAUSE_MS)
}

/** The outcome of one change. */
export interface ChangeOutcome {
  change: DocumentChange
  mark: NewReceipt
}

export interface PreparedChange {
  change: DocumentChange
  document: IndexDocument | null
}

/** Applies the batch at once. If that fails, applies documents one by one, so that a bad document fails alone. */
async function applyBatch(deps: IndexerDeps, batch: readonly DocumentChange[], position: number): Promise<void> {
  const { db, searchIndex, now, failpoint, onReceiptsWritten, onIndexed } = deps
  const started = performance.now()
  const { prepared, outcomes } = prepareChanges(batch, now())
  failpoint('chunked')
  try {
    await searchIndex.apply(toIndexBatch(prepared, position))
    outcomes.push(...prepared.map((it) => successOutcome(it, now())))
  } catch (error) {
    if (isTransient(error)) throw error
    outcomes.push(...(await applyOneByOne(deps, prepared)))
    // If the index rejects even an empty batch, no document is to blame and none is marked.
    await searchIndex.apply({ upserts: [], deletes: [], position })
  }
  failpoint('indexed-not-marked')
  const newOutcomes = outcomes.filter(isNew)
  if (newOutcomes.length > 0) {
    await writeReceipts(
      db,
      newOutcomes.map((it) => it.mark),
    )
    onReceiptsWritten?.()
  }
  failpoint('marked')
  onIndexed?.(freshDocuments(prepared, newOutcomes))
  reportOutcomes(deps, outcomes, (performance.now() - started) / 1_000)
}

/** Not caused by the documents: they wait until files can be opened again. */
const isTransient = (error: unknown) => error instanceof AppError && error.code === 'OUT_OF_FILES'

function freshDocuments(ready: readonly PreparedChange[], news: readonly ChangeOutcome[]): FreshDocument[] {
  const indexed = new Set(news.filter((it) => it.mark.error === null).map((it) => it.change))
  return ready.flatMap(({ change, document }) =>
    document === null || !indexed.has(change) ? [] : [{ seq: change.seq, document }],
  )
}

/** Logs one line for each failed document and one for all others, with the ids of their requests. */
function reportOutcomes(
  { logger, meter = noopMeter }: IndexerDeps,
  outcomes: readonly ChangeOutcome[],
  seconds: number,
): void {
  const [failed, done] = [
    outcomes.filter((it) => it.mark.error !== null),
    outcomes.filter((it) => it.mark.error === null),
  ]
  const deleted = done.filter((it) => it.change.isDeleted).length
  meter.countIndexed({ indexed: done.length - deleted, deleted, failed: failed.length, seconds })
  for (const { change, mark } of failed) {
    const { attempts, retry_at, error: reason } = mark
    const logFields = { request_id: change.request_id, seq: change.seq, attempts, retry_at, reason }
    logger.warn(logFields, 'document not indexed')
  }
  // A rebuild reports no documents that were indexed before.
  const newOutcomes = done.filter(isNew)
  if (newOutcomes.length === 0) return
  const seqs = newOutcomes.map((it) => it.change.seq)
  const request_ids = [...new Set(newOutcomes.flatMap((it) => it.change.request_id ?? []))]
  const logFields = { documents: newOutcomes.length, deleted, ms: Math.round(seconds * 1_000), request_ids }
  logger.info({ ...logFields, from_seq: Math.min(...seqs), to_seq: Math.max(...seqs) }, 'indexed')
}

/** Converts changes for the index, and returns failures for those that cannot be converted. */
export function prepareChanges(
  batch: readonly DocumentChange[],
  now: number,
): { prepared: PreparedChange[]; outcomes: ChangeOutcome[] } {
  const outcomes: ChangeOutcome[] = []
  const prepared: PreparedChange[] = []
  for (const change of batch) {
    try {
      prepared.push({ change, document: change.isDeleted ? null : toIndexDocument(change) })
    } catch (error) {
      outcomes.push(failureOutcome(change, error, now))
    }
  }
  return { prepared, outcomes }
}

export const toIndexBatch = (ready: readonly PreparedChange[], position: number): IndexBatch => ({
  upserts: ready.flatMap((it) => it.document ?? []),
  deletes: ready.filter((it) => it.document === null).map((it) => it.change.id),
  position,
})

/** During a rebuild, documents that already have a receipt are not marked again. */
const isNew = ({ change, mark }: ChangeOutcome) =>
  mark.error !== null || change.receipt_seq !== change.seq || change.attempts > 0

/** Applies documents one by one without advancing the position of the index. */
export async function applyOneByOne(
  { searchIndex, now }: Pick<IndexerDeps, 'searchIndex' | 'now'>,
  ready: readonly PreparedChange[],
): Promise<ChangeOutcome[]> {
  const { position: before } = await searchIndex.stats()
  const outcomes: ChangeOutcome[] = []
  for (const it of ready) {
    try {
      await searchIndex.apply(toIndexBatch([it], before))
      outcomes.push(successOutcome(it, now()))
    } catch (error) {
      if (isTransient(error)) throw error
      outcomes.push(failureOutcome(it.change, error, now()))
    }
  }
  return outcomes
}

const successOutcome = ({ change, document }: PreparedChange, now: number): ChangeOutcome => ({
  change,
  mark: {
    document_id: change.id,
    seq: change.seq,
    indexed_at: now,
    chunk_count: document?.chunks.length ?? 0,
    attempts: 0,
    error: null,
    retry_at: null,
  },
})

function failureOutcome(change: DocumentChange, error: unknown, now: number): ChangeOutcome {
  const attempts = change.attempts + 1
  const mark: NewReceipt = {
    document_id: change.id,
    seq: change.seq,
    indexed_at: null,
    chunk_count: null,
    attempts,
    error: error instanceof Error ? error.message : String(error),
    retry_at: attempts >= MAX_ATTEMPTS ? null : now + FIRST_RETRY_MS * 4 ** (attempts - 1),
  }
  return { change, mark }
}
