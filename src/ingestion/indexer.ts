// The follower: applies the changes of the record to the index, in their order, and says what came of each.
import type { Logger } from '../domain/logger.ts'
import { type Meter, silentMeter } from '../domain/meter.ts'
import type { IndexBatch, IndexDocument, SearchIndex } from '../search-index/search-index.ts'
import type { Database } from '../store/database.ts'
import { type Change, countBacklog, lastSequence, listChanges, listRetries } from '../store/documents.ts'
import { findUnmarked, type Mark, markDocuments, nextRetryAt } from '../store/receipts.ts'
import { openBacklog, QUEUE_LIMITS, type QueueLimits } from './backlog.ts'
import type { FreshDocument } from './fresh-chunks.ts'
import { indexDocumentOf } from './index-document.ts'
import { createWaiters } from './waiters.ts'

const MAX_BATCH = 200
const MAX_BATCH_BYTES = 8_000_000
const MAX_ATTEMPTS = 6
const FIRST_RETRY_MS = 1_000
const MAX_PAUSE_MS = 30_000

/** While the program ran, so it is none of the reasons for which an index begins anew by itself. */
const WENT_BACK = 'the record is older than the index; start this program again, and it makes its index anew'

export interface Progress {
  accepted_seq: number
  indexed_seq: number
  /** Changes that wait. An upper bound: a document that changed twice is indexed once. */
  pending: number
  /** Why the follower stands still, if it does. */
  waiting_for: string | null
}

export interface Indexer {
  /** Says that there is a change to apply, and how much content waits with it. */
  wake(seq: number, bytes?: number): void
  progress(): Progress
  /** Throws QUEUE_FULL when so much waits that more would only wait for ever. */
  checkRoom(): void
  /** Whether the change is being applied at this moment. */
  isIndexing(seq: number): boolean
  /** Resolves with true once every change up to `seq` has been applied, with false when the signal comes first. */
  waitUntil(seq: number, signal: AbortSignal): Promise<boolean>
  /** Runs the action between two batches, while none is applied. */
  inTurn(action: () => Promise<void>): Promise<void>
  /** Works until the signal. Never rejects for what a document or the index does. */
  run(signal: AbortSignal): Promise<void>
}

/** What the follower asks of an index. */
export type Followed = Pick<SearchIndex, 'apply' | 'stats'>

export interface IndexerNeeds {
  db: Database
  searchIndex: Followed
  logger: Logger
  meter?: Meter
  now: () => number
  failpoint: (name: string) => void
  /** Told how many changes were applied, and how far the index is now. */
  onAdvance?: (count: number, position: number) => Promise<void>
  /** An index that is being made beside this one: what is tried again must reach it too. */
  building?: () => Followed | null
  /** Throws when no document may be written at this moment. */
  checkDisk?: () => void
  /** Called when receipts have been written. */
  onMarked?: () => void
  /** Told of documents that the index has now and did not have in this version. */
  onIndexed?: (documents: readonly FreshDocument[]) => void
  limits?: QueueLimits
}

export async function createIndexer(needs: IndexerNeeds): Promise<Indexer> {
  const {
    db,
    searchIndex,
    logger,
    now,
    onAdvance = async () => {},
    building = () => null,
    checkDisk = () => {},
  } = needs
  const inTurn = turns()
  const waiters = createWaiters()
  const { position: reached } = await searchIndex.stats()
  // A crash may come when the index has the last batch and its receipts are not written yet.
  const unmarked = await findUnmarked(db, reached, MAX_BATCH)
  let position = unmarked === null ? reached : unmarked - 1
  let newest = await lastSequence(db)
  let current: ReadonlySet<number> = new Set()
  let waitingFor: string | null = null
  const count = () => countBacklog(db, position)
  const backlog = await openBacklog({ count, limits: needs.limits ?? QUEUE_LIMITS, now })

  const step = async (): Promise<boolean> => {
    const changes = await listChanges(db, position, MAX_BATCH, MAX_BATCH_BYTES)
    const retries = await listRetries(db, now(), MAX_BATCH)
    const batch = [...changes, ...retries]
    if (batch.length === 0) return false
    current = new Set(batch.map((it) => it.seq))
    const target = changes.at(-1)?.seq ?? position
    if (changes.length > 0) await apply(needs, changes, target)
    if (retries.length > 0) await apply({ ...needs, searchIndex: both(searchIndex, building()) }, retries, target)
    position = target
    backlog.shrank(changes)
    await onAdvance(changes.length, position)
    current = new Set()
    waitingFor = null
    waiters.reached(position)
    return true
  }

  return {
    wake(seq, bytes) {
      if (bytes !== undefined) backlog.grew(bytes)
      newest = Math.max(newest, seq)
      waiters.wake()
    },
    progress: () => ({
      accepted_seq: newest,
      indexed_seq: position,
      pending: Math.max(0, newest - position),
      waiting_for: waitingFor,
    }),
    checkRoom() {
      checkDisk()
      backlog.check()
    },
    inTurn,
    isIndexing: (seq) => current.has(seq),
    waitUntil: (seq, signal) => (position >= seq ? Promise.resolve(true) : waiters.waitFor(seq, signal)),
    async run(signal) {
      let pauseMs = FIRST_RETRY_MS
      while (!signal.aborted) {
        try {
          const didWork = await inTurn(step)
          pauseMs = FIRST_RETRY_MS
          if (didWork) continue
          const last = await lastSequence(db)
          // While that was read, `wake` may have told of a newer one.
          newest = Math.max(newest, last)
          if (last < position) throw new Error(WENT_BACK)
          if (last > position) position = await skipGap(db, position, last)
          await onAdvance(0, position)
          waiters.reached(position)
          if (position >= newest) backlog.emptied()
          await waiters.sleep(await untilRetry(db, now()), signal)
        } catch (error) {
          waitingFor = `the index does not take documents: ${error instanceof Error ? error.message : String(error)}`
          logger.error({ err: error, retry_in_ms: pauseMs }, 'indexing stands still')
          current = new Set()
          await waiters.sleep(pauseMs, signal)
          pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
        }
      }
    },
  }
}

/** One after the other, in the order of the calls. */
export function turns(): <T>(action: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (action) => {
    const turn = last.then(action)
    last = turn.catch(() => {})
    return turn
  }
}

/** Refuses what one of the two refuses. */
function both(searchIndex: Followed, building: Followed | null): Followed {
  if (building === null) return searchIndex
  const apply = async (batch: IndexBatch) => {
    const { position } = await building.stats()
    await building.apply({ ...batch, position })
    await searchIndex.apply(batch)
  }
  return { apply, stats: () => searchIndex.stats() }
}

/** Numbers that no document holds any more (a newer version took a later one) are done by definition. */
async function skipGap(db: Database, position: number, newest: number): Promise<number> {
  const [next] = await listChanges(db, position, 1, 0)
  return next === undefined ? newest : position
}

async function untilRetry(db: Database, now: number): Promise<number> {
  const retryAt = await nextRetryAt(db)
  return retryAt === null ? MAX_PAUSE_MS : Math.min(Math.max(retryAt - now, 1), MAX_PAUSE_MS)
}

/** What came of one change. */
export interface Outcome {
  change: Change
  mark: Mark
}

export interface Ready {
  change: Change
  document: IndexDocument | null
}

/** Applies the batch together; if that fails, one by one, so that a bad document fails alone. */
async function apply(needs: IndexerNeeds, batch: readonly Change[], position: number): Promise<void> {
  const { db, searchIndex, now, failpoint, onMarked, onIndexed } = needs
  const started = performance.now()
  const { ready, outcomes } = prepare(batch, now())
  failpoint('chunked')
  try {
    await searchIndex.apply(indexBatch(ready, position))
    outcomes.push(...ready.map((it) => success(it, now())))
  } catch {
    outcomes.push(...(await applyAlone(needs, ready)))
    // An index that refuses even this is ill itself: then no document is to blame, and none is marked.
    await searchIndex.apply({ upserts: [], deletes: [], position })
  }
  failpoint('indexed-not-marked')
  const news = outcomes.filter(isNews)
  if (news.length > 0) {
    await markDocuments(
      db,
      news.map((it) => it.mark),
    )
    onMarked?.()
  }
  failpoint('marked')
  onIndexed?.(freshOf(ready, news))
  report(needs, outcomes, (performance.now() - started) / 1_000)
}

function freshOf(ready: readonly Ready[], news: readonly Outcome[]): FreshDocument[] {
  const indexed = new Set(news.filter((it) => it.mark.error === null).map((it) => it.change))
  return ready.flatMap(({ change, document }) =>
    document === null || !indexed.has(change) ? [] : [{ seq: change.seq, document }],
  )
}

/** A line for each document that failed, and one for the others together: it names the requests that brought them. */
function report({ logger, meter = silentMeter }: IndexerNeeds, outcomes: readonly Outcome[], seconds: number): void {
  const [failed, done] = [
    outcomes.filter((it) => it.mark.error !== null),
    outcomes.filter((it) => it.mark.error === null),
  ]
  const deleted = done.filter((it) => it.change.isDeleted).length
  meter.applied({ indexed: done.length - deleted, deleted, failed: failed.length, seconds })
  for (const { change, mark } of failed) {
    const { attempts, retry_at, error: reason } = mark
    const facts = { request_id: change.request_id, seq: change.seq, attempts, retry_at, reason }
    logger.warn(facts, 'document could not be indexed')
  }
  // An index that is filled again has no news of them.
  const news = done.filter(isNews)
  if (news.length === 0) return
  const seqs = news.map((it) => it.change.seq)
  const request_ids = [...new Set(news.flatMap((it) => it.change.request_id ?? []))]
  const facts = { documents: news.length, deleted, ms: Math.round(seconds * 1_000), request_ids }
  logger.info({ ...facts, from_seq: Math.min(...seqs), to_seq: Math.max(...seqs) }, 'indexed')
}

/** Documents as the index takes them, and what came of those that cannot be made into such. */
export function prepare(batch: readonly Change[], now: number): { ready: Ready[]; outcomes: Outcome[] } {
  const outcomes: Outcome[] = []
  const ready: Ready[] = []
  for (const change of batch) {
    try {
      ready.push({ change, document: change.isDeleted ? null : indexDocumentOf(change) })
    } catch (error) {
      outcomes.push(failure(change, error, now))
    }
  }
  return { ready, outcomes }
}

export const indexBatch = (ready: readonly Ready[], position: number): IndexBatch => ({
  upserts: ready.flatMap((it) => it.document ?? []),
  deletes: ready.filter((it) => it.document === null).map((it) => it.change.id),
  position,
})

/** An index that is filled again from the start marks nothing that was marked before. */
const isNews = ({ change, mark }: Outcome) =>
  mark.error !== null || change.receipt_seq !== change.seq || change.attempts > 0

/** The index stays at its position. */
export async function applyAlone(
  { searchIndex, now }: Pick<IndexerNeeds, 'searchIndex' | 'now'>,
  ready: readonly Ready[],
): Promise<Outcome[]> {
  const { position: before } = await searchIndex.stats()
  const outcomes: Outcome[] = []
  for (const it of ready) {
    try {
      await searchIndex.apply(indexBatch([it], before))
      outcomes.push(success(it, now()))
    } catch (error) {
      outcomes.push(failure(it.change, error, now()))
    }
  }
  return outcomes
}

const success = ({ change, document }: Ready, now: number): Outcome => ({
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

function failure(change: Change, error: unknown, now: number): Outcome {
  const attempts = change.attempts + 1
  const mark: Mark = {
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
