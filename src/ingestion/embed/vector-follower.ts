// Embeds the chunks of one index with one model, in small batches and with lower priority than indexing.
import type { Logger } from '../../domain/logger.ts'
import { type Meter, noopMeter } from '../../domain/meter.ts'
import { createLoop } from '../../flow/background-loop.ts'
import { type Embedder, EmbeddingError } from '../../inference/embedder.ts'
import type { SearchIndex, UnembeddedChunk } from '../../search-index/search-index.ts'
import type { Database } from '../../store/database/database.ts'
import { getLastMark, markAllEmbedded, markEmbedded } from '../../store/documents/receipts.ts'
import type { Indexer } from '../index/indexer.ts'
import { embedGroups } from './embed-groups.ts'
import { createEmbeddingRate, type EmbeddingRate } from './embedding-rate.ts'
import { type EmbeddingWork, openEmbeddingWork } from './embedding-work.ts'
import type { FreshDocument } from './fresh-queue.ts'
import { groupByText } from './text-groups.ts'
import { findKnownVectors, storeVectors } from './vector-cache.ts'
import { createVectorSweep } from './vector-sweep.ts'

/** Chunks for each model call: about a second of the local model. After it, new documents come first again. */
const BATCH = 32
/** How long a batch waits for the indexer. A longer wait would starve embedding while the index is busy. */
const INDEXER_WAIT_MS = 2_000
const IDLE_MS = 30_000
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 300_000
/** Receipts are updated in steps, so that no single write blocks others for long. */
const MARK_BATCH = 5_000
/** The number of documents that a statement can exclude. */
const MAX_UNFINISHED = 1_000

/**
 * The role of the index. The serving index updates receipts. While an index for another model is built, the serving index
 * embeds only new documents, and the other one embeds all.
 */
export type IndexRole = 'serves' | 'serves for now' | 'is being made' | 'is gone'

export interface VectorFollower {
  /** Embeds newly indexed documents before older ones. */
  onIndexed(documents: readonly FreshDocument[]): void
  wake(): void
  /** Estimated from the recent rate; null before the first response of the model. */
  secondsFor(chunks: number): number | null
  /** Why embedding is stalled; null when it is not. */
  reason(): string | null
  /** How many attempts have failed since the last one that succeeded. */
  failures(): number
  /** Whether every chunk has a vector, except for those that the model rejects. */
  isComplete(): Promise<boolean>
  /** Runs until the signal or until the index is gone. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface VectorFollowerDeps {
  db: Database
  searchIndex: Pick<SearchIndex, 'chunksWithoutVector' | 'setVectors' | 'stats'>
  embedder: Embedder
  indexer: Pick<Indexer, 'progress' | 'waitUntil'>
  role: () => IndexRole
  /** Whether cached vectors of other models may be deleted when there are too many. */
  maySweep: () => boolean
  /** Called when nothing is left to do. */
  onIdle?: () => void
  logger: Logger
  meter?: Meter
  now: () => number
  random: () => number
}

export function createVectorFollower(deps: VectorFollowerDeps): VectorFollower {
  const { searchIndex, logger, indexer, now, role, onIdle = () => {} } = deps
  const rate = createEmbeddingRate()
  const work = openEmbeddingWork({
    searchIndex,
    indexedSeq: () => indexer.progress().indexed_seq,
    includesOlder: () => role() !== 'serves for now',
  })
  let reason: string | null = null
  let failures = 0
  const step = createStep({ ...deps, rate }, work)
  const round = async (signal: AbortSignal) => {
    try {
      const didWork = await step(signal)
      reason = null
      failures = 0
      if (didWork) return 0
      onIdle()
      return IDLE_MS
    } catch (error) {
      if (role() === 'is gone') return 'end'
      throw error
    }
  }
  const loop = createLoop(round, {
    retryMs: (failures, error) => retryPauseMs(error, failures, deps.random),
    // A model that asks for time gets it, however many documents arrive.
    isRetryWakeable: false,
    onError(error, retryMs) {
      const why = error instanceof Error ? error.message : String(error)
      failures++
      reason = `${why}; will be tried again at ${new Date(now() + retryMs).toISOString()}`
      logger.warn({ reason: why, model: deps.embedder.model, retry_in_ms: retryMs }, 'embedding stalled')
    },
  })
  return {
    onIndexed(documents) {
      work.add(documents)
      loop.wake()
    },
    wake: loop.wake,
    secondsFor: rate.secondsFor,
    reason: () => reason,
    failures: () => failures,
    isComplete: work.isComplete,
    run: loop.run,
  }
}

/** Each call processes one batch and returns whether there was work. */
function createStep(
  deps: VectorFollowerDeps & { rate: EmbeddingRate },
  work: EmbeddingWork,
): (signal: AbortSignal) => Promise<boolean> {
  const { db, searchIndex, embedder, indexer, now, rate, role, meter = noopMeter } = deps
  const sweep = createVectorSweep({ ...deps, model: embedder.model })
  let fresh: UnembeddedChunk[] = []
  let others: UnembeddedChunk[] = []
  let markedUntil = 0

  const finish = async (chunks: readonly { document_id: string }[]) => {
    const finished = work.markDone(chunks)
    if (role().startsWith('serves')) await markEmbedded(db, finished, now())
  }
  /** Cached vectors are set at once. */
  const loadPortion = async (): Promise<boolean> => {
    const portion = await work.next()
    if (portion === undefined) return false
    const { known, unknown } = await findKnownVectors(db, embedder.model, portion.chunks)
    await searchIndex.setVectors(known)
    meter.countEmbedded({ made: 0, kept: known.length, seconds: 0 })
    await finish(known)
    if (portion.isFresh) fresh = unknown
    else others = unknown
    return true
  }
  const embed = async (chunks: readonly UnembeddedChunk[], signal: AbortSignal): Promise<void> => {
    const { found, made, seconds } = await embedGroups(deps, groupByText(chunks), { skip: work.skip, signal })
    rate.record(made, seconds)
    const stored = await storeVectors(db, embedder.model, found)
    await searchIndex.setVectors(stored)
    meter.countEmbedded({ made, kept: stored.length - made, seconds })
    await finish(stored)
  }
  /** Once no vector is missing, every document indexed before is marked, including those with reused vectors. */
  const markAllIfComplete = async (signal: AbortSignal): Promise<void> => {
    if (role() !== 'serves') return
    const until = await getLastMark(db)
    if (!(await work.isComplete())) return
    const without = work.documentsWithSkippedChunks()
    if (without.length > MAX_UNFINISHED) return
    for (; markedUntil < until && !signal.aborted; markedUntil = Math.min(markedUntil + MARK_BATCH, until)) {
      await markAllEmbedded(
        db,
        { after: markedUntil, until: Math.min(markedUntil + MARK_BATCH, until), without },
        now(),
      )
    }
    if (deps.maySweep()) await sweep(signal)
  }
  return async (signal) => {
    await waitForIndexer(indexer, signal)
    if (fresh.length === 0 && (others.length === 0 || work.hasFresh())) {
      if (!(await loadPortion())) {
        await markAllIfComplete(signal)
        return false
      }
    }
    // Chunks are removed only after success, so that failed ones are retried.
    const batch = fresh.length > 0 ? fresh : others
    if (batch.length === 0) return true
    await embed(batch.slice(0, BATCH), signal)
    if (batch === fresh) fresh = fresh.slice(BATCH)
    else others = others.slice(BATCH)
    return true
  }
}

async function waitForIndexer(
  { progress, waitUntil }: VectorFollowerDeps['indexer'],
  signal: AbortSignal,
): Promise<void> {
  const { pending, accepted_seq } = progress()
  if (pending === 0) return
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), INDEXER_WAIT_MS)
  await waitUntil(accepted_seq, AbortSignal.any([signal, timeout.signal]))
  clearTimeout(timer)
}

/** Honours the model's `Retry-After`, otherwise backs off exponentially, with jitter. */
function retryPauseMs(error: unknown, failures: number, random: () => number): number {
  const wanted = error instanceof EmbeddingError ? error.retryAfterMs : null
  const pauseMs = wanted ?? FIRST_PAUSE_MS * 2 ** Math.min(failures, 20)
  return Math.round(Math.min(pauseMs, MAX_PAUSE_MS) * (1 + random() / 2))
}
