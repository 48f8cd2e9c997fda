// Vectors follow the text: whatever is indexed is embedded afterwards, in small portions and after everything else.
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

export interface EmbeddingState {
  /** Null where the texts are found by their words only. */
  model: string | null
  /** Chunks that wait for their vector. */
  pending: number
  /** Chunks that take one. */
  total: number
  /** At the rate of late; null while nothing waits, and until the first answer of the model. */
  remaining_s: number | null
  /** Why there is no model, or why it stands still; null when all is well. */
  reason: string | null
}

export interface Embedding {
  /** These were indexed just now, so they are embedded before others. */
  indexed(documents: readonly FreshDocument[]): void
  state(): Promise<EmbeddingState>
  /** Works until the signal, and goes on with what an earlier process left. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

interface Needs {
  db: Database
  searchIndex: Pick<SearchIndex, 'chunksWithoutVector' | 'setVectors' | 'stats'>
  embedder: Embedder | null
  /** Why there is no embedder. */
  reason: string | null
  indexer: Pick<Indexer, 'progress' | 'waitUntil'>
  logger: Logger
  meter?: Meter
  now: () => number
  random: () => number
}

export function createEmbedding(needs: Needs): Embedding {
  const { searchIndex, embedder, logger, indexer, now } = needs
  const lane = createFreshLane()
  const waiters = createWaiters()
  const pace = createPace()
  let reason = needs.reason

  const follow = async (model: Embedder, signal: AbortSignal) => {
    const work = openEmbeddingWork({ searchIndex, lane, indexedSeq: () => indexer.progress().indexed_seq })
    const step = steps({ ...needs, embedder: model, pace }, work)
    for (let failures = 0; !signal.aborted; ) {
      try {
        const didWork = await step(signal)
        failures = 0
        reason = null
        if (!didWork) await waiters.sleep(IDLE_MS, signal)
      } catch (error) {
        if (signal.aborted) return
        const pauseMs = pauseAfter(error, failures++, needs.random)
        const why = error instanceof Error ? error.message : String(error)
        reason = `${why}; will be tried again at ${new Date(now() + pauseMs).toISOString()}`
        logger.warn({ reason: why, retry_in_ms: pauseMs }, 'embedding stands still')
        await delay(pauseMs, undefined, { signal }).catch(() => {})
      }
    }
  }
  return {
    indexed(documents) {
      if (embedder === null) return
      lane.add(documents)
      waiters.wake()
    },
    async state() {
      const { vectors, vectors_missing: pending } = await searchIndex.stats()
      const remaining_s = pace.secondsFor(pending)
      return { model: embedder?.model ?? null, pending, total: vectors + pending, remaining_s, reason }
    },
    run: async (signal) => {
      if (embedder !== null) await follow(embedder, signal)
    },
  }
}

/** Each call does one portion, and answers whether there was anything to do. */
function steps(
  needs: Needs & { embedder: Embedder; pace: Pace },
  work: EmbeddingWork,
): (signal: AbortSignal) => Promise<boolean> {
  const { db, searchIndex, embedder, indexer, now, pace, meter = silentMeter } = needs
  const sweep = sweepVectors({ ...needs, model: embedder.model })
  let fresh: UnembeddedChunk[] = []
  let others: UnembeddedChunk[] = []
  let markedUntil = 0

  /** Those that the model has seen before have their vectors at once. */
  const fetch = async (): Promise<boolean> => {
    const portion = await work.next()
    if (portion === undefined) return false
    const { known, unknown } = await recall(db, embedder.model, portion.chunks)
    await searchIndex.setVectors(known)
    meter.embedded({ made: 0, kept: known.length, seconds: 0 })
    await markEmbedded(db, work.done(known), now())
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
    await markEmbedded(db, work.done(taken), now())
  }
  /** When nothing is missing, everything that was indexed before has its vectors: also what kept those it had. */
  const settle = async (signal: AbortSignal): Promise<void> => {
    const until = await lastMark(db)
    if ((await searchIndex.stats()).vectors_missing > 0) return
    for (; markedUntil < until && !signal.aborted; markedUntil = Math.min(markedUntil + MARKS, until)) {
      await markAllEmbedded(db, { after: markedUntil, until: Math.min(markedUntil + MARKS, until) }, now())
    }
    await sweep(signal)
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

interface Pace {
  took(chunks: number, seconds: number): void
  secondsFor(chunks: number): number | null
}

/** How much a new batch counts beside all before it. */
const NEWS = 0.1

function createPace(): Pace {
  let secondsPerChunk: number | null = null
  return {
    took(chunks, seconds) {
      if (chunks === 0) return
      const latest = seconds / chunks
      secondsPerChunk = secondsPerChunk === null ? latest : secondsPerChunk * (1 - NEWS) + latest * NEWS
    },
    secondsFor: (chunks) => (chunks === 0 || secondsPerChunk === null ? null : Math.ceil(chunks * secondsPerChunk)),
  }
}

async function giveWay({ progress, waitUntil }: Needs['indexer'], signal: AbortSignal): Promise<void> {
  const { pending, accepted_seq } = progress()
  if (pending === 0) return
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), YIELD_MS)
  await waitUntil(accepted_seq, AbortSignal.any([signal, patience.signal]))
  clearTimeout(timer)
}

/** What the model is asked. */
const textOf = ({ title, content }: UnembeddedChunk): string => (content === '' ? title : `${title}\n${content}`)

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
