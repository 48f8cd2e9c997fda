// Gives one index the vectors of one model, in small portions and after everything else.
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../domain/logger.ts'
import { type Meter, silentMeter } from '../domain/meter.ts'
import { type Embedder, EmbeddingError } from '../inference/embedder.ts'
import type { SearchIndex, UnembeddedChunk } from '../search-index/search-index.ts'
import type { Database } from '../store/database.ts'
import { lastMark, markAllEmbedded, markEmbedded } from '../store/receipts.ts'
import { type EmbeddingWork, openEmbeddingWork } from './embedding-work.ts'
import { createFreshLane, type FreshDocument } from './fresh-chunks.ts'
import type { Indexer } from './indexer.ts'
import { createPace, type Pace } from './pace.ts'
import { keep, recall } from './vector-cache.ts'
import { sweepVectors } from './vector-sweep.ts'
import { createWaiters } from './waiters.ts'

/** So many chunks a call of the model: about a second of the local one, after which what is fresh comes first again. */
const BATCH = 32
/** How long a batch waits for the text that is being indexed: with more, a busy index would never have vectors. */
const YIELD_MS = 2_000
const IDLE_MS = 30_000
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 300_000
/** Receipts are told in steps, so that no write holds up others. */
const MARKS = 5_000
/** Documents that a statement can leave out. */
const MAX_UNFINISHED = 1_000

/**
 * What the index is to those who search. The one that serves tells receipts of its vectors. While another one is made
 * for another model, the one that serves has only what comes in, and the other one has all.
 */
export type Part = 'serves' | 'serves for now' | 'is being made' | 'is gone'

export interface VectorFollower {
  /** These were indexed just now, so they are embedded before others. */
  indexed(documents: readonly FreshDocument[]): void
  wake(): void
  /** At the rate of late; null until the first answer of the model. */
  secondsFor(chunks: number): number | null
  /** Why the model stands still; null when all is well. */
  reason(): string | null
  /** Whether no chunk lacks its vector, but for those that the model does not take. */
  isComplete(): Promise<boolean>
  /** Works until the signal, or until the index is gone. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface FollowerNeeds {
  db: Database
  searchIndex: Pick<SearchIndex, 'chunksWithoutVector' | 'setVectors' | 'stats'>
  embedder: Embedder
  indexer: Pick<Indexer, 'progress' | 'waitUntil'>
  part: () => Part
  /** Whether vectors of other models may be taken away when there are too many. */
  maySweep: () => boolean
  /** Called when nothing is left to do. */
  onIdle?: () => void
  logger: Logger
  meter?: Meter
  now: () => number
  random: () => number
}

export function createVectorFollower(needs: FollowerNeeds): VectorFollower {
  const { searchIndex, logger, indexer, now, part, onIdle = () => {} } = needs
  const lane = createFreshLane()
  const waiters = createWaiters()
  const pace = createPace()
  const work = openEmbeddingWork({
    searchIndex,
    lane,
    indexedSeq: () => indexer.progress().indexed_seq,
    isForAll: () => part() !== 'serves for now',
  })
  let reason: string | null = null
  return {
    indexed(documents) {
      lane.add(documents)
      waiters.wake()
    },
    wake: waiters.wake,
    secondsFor: pace.secondsFor,
    reason: () => reason,
    isComplete: work.isComplete,
    async run(signal) {
      const step = steps({ ...needs, pace }, work)
      for (let failures = 0; !signal.aborted; ) {
        try {
          const didWork = await step(signal)
          failures = 0
          reason = null
          if (didWork) continue
          onIdle()
          await waiters.sleep(IDLE_MS, signal)
        } catch (error) {
          if (signal.aborted || part() === 'is gone') return
          const pauseMs = pauseAfter(error, failures++, needs.random)
          const why = error instanceof Error ? error.message : String(error)
          reason = `${why}; will be tried again at ${new Date(now() + pauseMs).toISOString()}`
          logger.warn({ reason: why, model: needs.embedder.model, retry_in_ms: pauseMs }, 'embedding stands still')
          await delay(pauseMs, undefined, { signal }).catch(() => {})
        }
      }
    },
  }
}

/** Each call does one portion, and answers whether there was anything to do. */
function steps(needs: FollowerNeeds & { pace: Pace }, work: EmbeddingWork): (signal: AbortSignal) => Promise<boolean> {
  const { db, searchIndex, embedder, indexer, now, pace, part, meter = silentMeter } = needs
  const sweep = sweepVectors({ ...needs, model: embedder.model })
  let fresh: UnembeddedChunk[] = []
  let others: UnembeddedChunk[] = []
  let markedUntil = 0

  const finish = async (chunks: readonly { document_id: string }[]) => {
    const finished = work.done(chunks)
    if (part().startsWith('serves')) await markEmbedded(db, finished, now())
  }
  /** Those that the model has seen before have their vectors at once. */
  const fetch = async (): Promise<boolean> => {
    const portion = await work.next()
    if (portion === undefined) return false
    const { known, unknown } = await recall(db, embedder.model, portion.chunks)
    await searchIndex.setVectors(known)
    meter.embedded({ made: 0, kept: known.length, seconds: 0 })
    await finish(known)
    if (portion.isFresh) fresh = unknown
    else others = unknown
    return true
  }
  const embed = async (chunks: readonly UnembeddedChunk[], signal: AbortSignal): Promise<void> => {
    const started = performance.now()
    const { taken, vectors } = await vectorsOf(needs, work, chunks, signal)
    const seconds = (performance.now() - started) / 1_000
    meter.embedded({ made: taken.length, kept: 0, seconds })
    pace.took(taken.length, seconds)
    await searchIndex.setVectors(await keep(db, embedder.model, taken, vectors))
    await finish(taken)
  }
  /** When nothing is missing, everything that was indexed before has its vectors: also what kept those it had. */
  const settle = async (signal: AbortSignal): Promise<void> => {
    if (part() !== 'serves') return
    const until = await lastMark(db)
    if (!(await work.isComplete())) return
    const without = work.unfinished()
    if (without.length > MAX_UNFINISHED) return
    for (; markedUntil < until && !signal.aborted; markedUntil = Math.min(markedUntil + MARKS, until)) {
      await markAllEmbedded(db, { after: markedUntil, until: Math.min(markedUntil + MARKS, until), without }, now())
    }
    if (needs.maySweep()) await sweep(signal)
  }
  return async (signal) => {
    await giveWay(indexer, signal)
    if (fresh.length === 0 && (others.length === 0 || work.hasFresh())) {
      if (!(await fetch())) {
        await settle(signal)
        return false
      }
    }
    // Taken away only once they are done: what fails is tried again.
    const batch = fresh.length > 0 ? fresh : others
    if (batch.length === 0) return true
    await embed(batch.slice(0, BATCH), signal)
    if (batch === fresh) fresh = fresh.slice(BATCH)
    else others = others.slice(BATCH)
    return true
  }
}

async function giveWay({ progress, waitUntil }: FollowerNeeds['indexer'], signal: AbortSignal): Promise<void> {
  const { pending, accepted_seq } = progress()
  if (pending === 0) return
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), YIELD_MS)
  await waitUntil(accepted_seq, AbortSignal.any([signal, patience.signal]))
  clearTimeout(timer)
}

/** What the model is asked. */
export const textOf = ({ title, content }: UnembeddedChunk): string => (content === '' ? title : `${title}\n${content}`)

interface Embedded {
  taken: readonly UnembeddedChunk[]
  vectors: readonly Float32Array[]
}

/** Where the model refuses texts, each is asked for alone, and what it does not take is left without a vector. */
async function vectorsOf(
  { embedder, logger }: { embedder: Embedder; logger: Logger },
  work: EmbeddingWork,
  chunks: readonly UnembeddedChunk[],
  signal: AbortSignal,
): Promise<Embedded> {
  try {
    return { taken: chunks, vectors: await embedder.embedTexts(chunks.map(textOf), signal) }
  } catch (error) {
    if (!(error instanceof EmbeddingError) || !error.isAboutTexts) throw error
    const [only, ...more] = chunks
    if (more.length === 0) {
      // A model that refuses everything is not set up well: that is no fault of the text.
      await embedder.embedTexts(['text'], signal)
      work.skip(only!)
      logger.warn({ reason: error.message, hash: only!.hash }, 'the model does not take a chunk: it has no vector')
      return { taken: [], vectors: [] }
    }
  }
  const taken: UnembeddedChunk[] = []
  const vectors: Float32Array[] = []
  for (const it of chunks) {
    const alone = await vectorsOf({ embedder, logger }, work, [it], signal)
    taken.push(...alone.taken)
    vectors.push(...alone.vectors)
  }
  return { taken, vectors }
}

/** What the model asks for, or longer from time to time; never all programs at the same moment. */
function pauseAfter(error: unknown, failures: number, random: () => number): number {
  const wanted = error instanceof EmbeddingError ? error.retryAfterMs : null
  const pauseMs = wanted ?? FIRST_PAUSE_MS * 2 ** Math.min(failures, 20)
  return Math.round(Math.min(pauseMs, MAX_PAUSE_MS) * (1 + random() / 2))
}
