// Makes a second index from the record beside the one that serves, and lets it take over when it has caught up.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import type { Building, Generations } from '../search-index/generations.ts'
import type { Database } from '../store/database.ts'
import { type Indexer, turns } from './indexer.ts'
import type { IndexState } from './refill.ts'
import { followBeside, type SecondFollower } from './second-follower.ts'
import { recallPages } from './vector-cache.ts'
import { createWaiters, type Waiters } from './waiters.ts'

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
  /** Whether the one that serves is whole. */
  filling: () => IndexState
  /** The model whose vectors the new one is given before it takes over; null where there is none. */
  model: string | null
}

export function createReindex(needs: Needs): Reindex {
  const { generations, indexer, now, filling } = needs
  const inTurn = turns()
  const waiters = createWaiters()
  let follower: SecondFollower | null = null
  let recall = async () => true
  let waitingFor: string | null = null
  let last: ReindexProgress['last'] = null

  const begin = async (building: Building) => {
    follower = await followBeside(needs, building)
    recall = needs.model === null ? async () => true : recallPages({ db: needs.db, model: needs.model }, building.index)
    const { generation } = follower
    needs.logger.info({ generation, ...follower.progress() }, 'a new index is being made beside the one that serves')
    return follower
  }
  const current = (building: Building) => (follower?.generation === building.generation ? follower : begin(building))
  const end = (status: keyof typeof ENDS, it: SecondFollower) => {
    const { generation, since } = it
    last = { status, generation, ended_at: now(), took_ms: now() - since }
    follower = null
    waitingFor = null
    needs.logger.info({ generation, documents: it.progress().done, took_ms: last.took_ms }, ENDS[status])
  }
  const advance = async (): Promise<void> => {
    const building = generations.building()
    if (building === null) return
    const it = await current(building)
    if (!(await it.step(indexer.progress().indexed_seq))) return
    if (!(await recall())) return
    await generations.settle()
    await indexer.inTurn(async () => {
      while (!(await it.step(indexer.progress().indexed_seq)));
      await generations.promote()
    })
    end('success', it)
  }
  const progress = (): ReindexProgress => {
    const building = generations.building()
    const generation = generations.current()
    if (building === null) return { status: 'idle', generation, building, last }
    const counts = follower?.progress() ?? { done: 0, total: 0 }
    const { since } = building
    const work = { generation: building.generation, since, ...counts, waiting_for: waitingFor }
    return { status: 'building', generation, building: work, last }
  }
  return {
    progress,
    start: () =>
      inTurn(async () => {
        if (generations.building() !== null) throw new AppError('REINDEX_UNDERWAY')
        const state = filling()
        if (state.state === 'rebuilding') throw new AppError('INDEX_FILLING', { done: state.done, total: state.total })
        await begin(await generations.build(now()))
        waiters.wake()
        return progress()
      }),
    cancel: () =>
      inTurn(async () => {
        const building = generations.building()
        if (building === null) throw new AppError('REINDEX_NOT_FOUND')
        const it = await current(building)
        await generations.drop()
        end('canceled', it)
        return progress()
      }),
    run: (signal) => {
      const again = async () => {
        await inTurn(advance)
        waitingFor = null
        return generations.building() !== null
      }
      const tell = (reason: string) => {
        waitingFor = reason
      }
      return repeat(again, { waiters, signal, logger: needs.logger, tell })
    },
  }
}

const ENDS = {
  success: 'the new index serves',
  canceled: 'the new index was given up',
}

/** As long as there is something to do; then until somebody wakes it. */
async function repeat(
  action: () => Promise<boolean>,
  needs: { waiters: Waiters; signal: AbortSignal; logger: Logger; tell: (reason: string) => void },
): Promise<void> {
  const { waiters, signal, logger, tell } = needs
  let pauseMs = FIRST_PAUSE_MS
  while (!signal.aborted) {
    try {
      const hasMore = await action()
      pauseMs = FIRST_PAUSE_MS
      if (hasMore) await nextTurn()
      else await waiters.sleep(IDLE_MS, signal)
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error))
      logger.error({ err: error, retry_in_ms: pauseMs }, 'the new index stands still')
      await waiters.sleep(pauseMs, signal)
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
    }
  }
}
