// Makes a second index from the record beside the one that serves, and lets it take over when it has caught up.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import type { Building, Generations } from '../search-index/generations.ts'
import type { Database } from '../store/database.ts'
import { type Change, countChanges, lastSequence, listChanges } from '../store/documents.ts'
import { markDocuments } from '../store/receipts.ts'
import {
  applyAlone,
  createIndexer,
  type Followed,
  type Indexer,
  indexBatch,
  type Outcome,
  prepare,
  turns,
} from './indexer.ts'
import { createWaiters } from './waiters.ts'

/** Smaller than the follower's: what comes in goes first. */
const MAX_BATCH = 50
const MAX_BATCH_BYTES = 1_000_000
const IDLE_MS = 1 << 30
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000

export interface ReindexProgress {
  status: 'idle' | 'building'
  /** The one that serves. */
  generation: number
  building: {
    generation: number
    since: number
    done: number
    total: number
    /** Why it stands still, if it does. */
    waiting_for: string | null
  } | null
  /** How the last one of this process ended. */
  last: { status: 'success' | 'canceled'; generation: number; ended_at: number; took_ms: number } | null
}

export interface Reindex {
  /** Rejects with REINDEX_UNDERWAY when there is one, and with INDEX_FILLING while the one that serves is not whole. */
  start(): Promise<ReindexProgress>
  /** Rejects with REINDEX_NOT_FOUND when there is none, also when it has just taken over. */
  cancel(): Promise<ReindexProgress>
  progress(): ReindexProgress
  /** Works until the signal, and goes on with what an earlier process began. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

interface Needs {
  db: Database
  generations: Generations
  indexer: Pick<Indexer, 'progress' | 'inTurn'>
  logger: Logger
  now: () => number
  failpoint: (name: string) => void
  /** What is known of the one that serves while it is not whole. */
  filling: () => { done: number | null; total: number | null }
}

interface Work extends Omit<Building, 'index'> {
  searchIndex: Followed
  position: number
  done: number
  total: number
}

export function createReindex(needs: Needs): Reindex {
  const { db, generations, indexer, logger, now, failpoint, filling } = needs
  const inTurn = turns()
  const waiters = createWaiters()
  let work: Work | null = null
  let waitingFor: string | null = null
  let last: ReindexProgress['last'] = null

  const begin = async ({ generation, since, index }: Building) => {
    const { position } = await index.stats()
    work = { generation, since, searchIndex: index, position, ...(await countChanges(db, position)) }
    const { done, total } = work
    logger.info({ generation, done, total }, 'a new index is being made beside the one that serves')
    return work
  }
  const end = (status: 'success' | 'canceled', { generation, since, done }: Work) => {
    const took_ms = now() - since
    last = { status, generation, ended_at: now(), took_ms }
    work = null
    waitingFor = null
    logger.info({ generation, documents: done, took_ms }, REINDEX_ENDS[status])
  }
  /** Answers whether the work has everything that the index that serves has. */
  const step = async (it: Work): Promise<boolean> => {
    const limit = indexer.progress().indexed_seq
    const listed = await listChanges(db, it.position, MAX_BATCH, MAX_BATCH_BYTES)
    // What the other one does not have yet, it must take first: only it writes receipts of what it took.
    const changes = listed.filter(({ seq }) => seq <= limit)
    const target = changes.at(-1)?.seq ?? Math.max(limit, it.position)
    await applyChanges({ ...needs, searchIndex: it.searchIndex }, changes, target)
    failpoint('reindex-step')
    it.position = target
    it.done += changes.length
    it.total = Math.max(it.total, it.done)
    return changes.length === 0
  }
  const takeOver = (it: Work) =>
    indexer.inTurn(async () => {
      while (!(await step(it)));
      await generations.promote()
    })
  const advance = async (): Promise<void> => {
    const building = generations.building()
    if (building === null) return
    const current = work?.generation === building.generation ? work : await begin(building)
    if (!(await step(current))) return
    await generations.settle()
    await takeOver(current)
    end('success', current)
  }
  const progress = (): ReindexProgress => {
    const building = generations.building()
    const { done, total } = work ?? { done: 0, total: 0 }
    return {
      status: building === null ? 'idle' : 'building',
      generation: generations.current(),
      building:
        building === null
          ? null
          : { generation: building.generation, since: building.since, done, total, waiting_for: waitingFor },
      last,
    }
  }
  return {
    progress,
    start: () =>
      inTurn(async () => {
        if (generations.building() !== null) throw new AppError('REINDEX_UNDERWAY')
        const { done, total } = filling()
        if (generations.refill() !== null) throw new AppError('INDEX_FILLING', { done: done ?? 0, total: total ?? 0 })
        await begin(await generations.build(now()))
        waiters.wake()
        return progress()
      }),
    cancel: () =>
      inTurn(async () => {
        const building = generations.building()
        if (building === null) throw new AppError('REINDEX_NOT_FOUND')
        const current = work ?? (await begin(building))
        await generations.drop()
        end('canceled', current)
        return progress()
      }),
    async run(signal) {
      let pauseMs = FIRST_PAUSE_MS
      while (!signal.aborted) {
        try {
          await inTurn(advance)
          pauseMs = FIRST_PAUSE_MS
          waitingFor = null
          if (generations.building() === null) await waiters.sleep(IDLE_MS, signal)
          else await nextTurn()
        } catch (error) {
          waitingFor = error instanceof Error ? error.message : String(error)
          logger.error({ err: error, retry_in_ms: pauseMs }, 'the new index stands still')
          await waiters.sleep(pauseMs, signal)
          pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
        }
      }
    },
  }
}

const REINDEX_ENDS = {
  success: 'the new index serves',
  canceled: 'the new index was given up',
}

/**
 * Marks only what fails, and before the index is past it: the other index has told of the rest, and a document that
 * this one alone refuses is tried again on both.
 */
async function applyChanges(
  needs: Pick<Needs, 'db' | 'logger' | 'now'> & { searchIndex: Followed },
  changes: readonly Change[],
  position: number,
): Promise<void> {
  const { db, searchIndex, now } = needs
  const { ready, outcomes } = prepare(changes, now())
  await markFailures(db, outcomes)
  try {
    await searchIndex.apply(indexBatch(ready, position))
  } catch {
    const alone = await applyAlone(needs, ready)
    // An index that refuses even this is ill itself: then no document is to blame, and none is marked.
    const { position: before } = await searchIndex.stats()
    await searchIndex.apply({ upserts: [], deletes: [], position: before })
    await markFailures(db, alone)
    await searchIndex.apply({ upserts: [], deletes: [], position })
  }
}

/** One that failed before waits for its next try already, or was given up. */
async function markFailures(db: Database, outcomes: readonly Outcome[]): Promise<void> {
  const news = outcomes.filter(({ change, mark }) => mark.error !== null && change.attempts === 0)
  if (news.length > 0)
    await markDocuments(
      db,
      news.map((it) => it.mark),
    )
}

/**
 * The same while the service does not run: makes an index, or goes on with one, and lets it take over. Rejects when the
 * signal comes first; what is done by then is kept, and the service or the next call goes on with it.
 */
export async function reindexOffline(
  { db, generations, logger, now }: Pick<Needs, 'db' | 'generations' | 'logger' | 'now'>,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: { done: number; total: number }) => void },
): Promise<void> {
  const { index: searchIndex } = generations.building() ?? (await generations.build(now()))
  const counts = await countChanges(db, (await searchIndex.stats()).position)
  const onAdvance = async (count: number) => {
    counts.done += count
    counts.total = Math.max(counts.total, counts.done)
    onProgress({ ...counts })
  }
  onProgress({ ...counts })
  const indexer = await createIndexer({ db, searchIndex, logger, now, failpoint() {}, onAdvance })
  const ended = new AbortController()
  const running = indexer.run(AbortSignal.any([signal, ended.signal]))
  const isWhole = await indexer.waitUntil(await lastSequence(db), signal)
  ended.abort()
  await running
  if (!isWhole) throw signal.reason
  await generations.promote()
}
