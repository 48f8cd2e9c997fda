// Makes a second index from the record beside the one that serves, and lets it take over when it has caught up.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import type { Embedders } from '../inference/embedders.ts'
import type { Building, Generations } from '../search-index/generations.ts'
import type { Database } from '../store/database.ts'
import { type Indexer, turns } from './indexer.ts'
import { isSwitch, modelToBegin, nextModel } from './next-model.ts'
import type { IndexState } from './refill.ts'
import { followBeside, type SecondFollower } from './second-follower.ts'
import { recallPages } from './vector-cache.ts'
import { createWaiters, type Waiters } from './waiters.ts'

const IDLE_MS = 1 << 30
/** While vectors are made, what comes in is taken so often; the last vector wakes it. */
const VECTORS_MS = 1_000
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000

export interface ReindexProgress {
  status: 'idle' | 'building'
  /** The one that serves. */
  generation: number
  /** Whose vectors it holds. */
  model: string | null
  building: {
    generation: number
    model: string | null
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
  /** The last vector was made, a model can be asked now, or the index that serves is whole. */
  wake(): void
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
  embedders: Pick<Embedders, 'configured'>
  /** Whether the new one has all the vectors that it can have. */
  isEmbedded: (building: Building) => Promise<boolean>
  /** Called when one was begun, has more text, has taken over or was given up. */
  onChange: () => void
  /** Told of a model for which one is begun by itself, before it is. */
  onNewModel?: (signal: AbortSignal) => Promise<void>
}

export function createReindex(needs: Needs): Reindex {
  const { db, generations, indexer, now, filling, embedders, onChange } = needs
  const inTurn = turns()
  const waiters = createWaiters()
  let follower: SecondFollower | null = null
  let lacks: 'text' | 'vectors' | 'the last' = 'text'
  let isGiven = async () => true
  let waitingFor: string | null = null
  let last: ReindexProgress['last'] = null

  const begin = async (building: Building) => {
    follower = await followBeside(needs, building)
    lacks = 'text'
    const { generation } = follower
    isGiven = vectorsOf(building)
    const model = building.vectors?.model ?? null
    needs.logger.info(
      { generation, model, ...follower.progress() },
      'a new index is being made beside the one that serves',
    )
    onChange()
    return follower
  }
  /** Another model has to make its vectors first; those of the same one are kept, and the rest follows as it would here. */
  const vectorsOf = (building: Building) => {
    if (isSwitch(building.vectors, generations.vectors())) return () => needs.isEmbedded(building)
    return building.vectors === null
      ? async () => true
      : recallPages({ db, model: building.vectors.model }, building.index)
  }
  const current = (building: Building) => (follower?.generation === building.generation ? follower : begin(building))
  const end = (status: keyof typeof ENDS, it: SecondFollower) => {
    const { generation, since } = it
    last = { status, generation, ended_at: now(), took_ms: now() - since }
    follower = null
    waitingFor = null
    needs.logger.info({ generation, documents: it.progress().done, took_ms: last.took_ms }, ENDS[status])
    onChange()
  }
  /** Answers for how long there is nothing more to do. */
  const advance = async (): Promise<number> => {
    const building = generations.building()
    if (building === null) return IDLE_MS
    const it = await current(building)
    // Asked before what came since: with that, a busy index would lack a vector at every moment.
    if (lacks === 'vectors' && (await isGiven())) lacks = 'the last'
    if (!(await it.step(indexer.progress().indexed_seq))) return 0
    if (lacks === 'vectors') {
      onChange()
      return isSwitch(building.vectors, generations.vectors()) ? VECTORS_MS : 0
    }
    if (lacks === 'text') {
      lacks = 'vectors'
      return 0
    }
    await generations.settle()
    await indexer.inTurn(async () => {
      while (!(await it.step(indexer.progress().indexed_seq)));
      await generations.promote()
    })
    end('success', it)
    return 0
  }
  /** The settings name a model that the index does not have: to ask for it is to ask for an index with it. */
  const beginByItself = async (signal: AbortSignal): Promise<void> => {
    if (newModel() === null) return
    await needs.onNewModel?.(signal)
    await inTurn(async () => {
      const model = newModel()
      if (model !== null) await begin(await generations.build(now(), model))
    })
  }
  const newModel = () =>
    generations.building() !== null || filling().state === 'rebuilding'
      ? null
      : modelToBegin(embedders.configured(), generations)
  const progress = (): ReindexProgress => {
    const building = generations.building()
    const serving = { generation: generations.current(), model: generations.vectors()?.model ?? null }
    if (building === null) return { status: 'idle', ...serving, building, last }
    const counts = follower?.progress() ?? { done: 0, total: 0 }
    const { since } = building
    const { generation, vectors } = building
    const work = { generation, model: vectors?.model ?? null, since, ...counts, waiting_for: waitingFor }
    return { status: 'building', ...serving, building: work, last }
  }
  return {
    progress,
    wake: waiters.wake,
    start: () =>
      inTurn(async () => {
        if (generations.building() !== null) throw new AppError('REINDEX_UNDERWAY')
        const state = filling()
        if (state.state === 'rebuilding') throw new AppError('INDEX_FILLING', { done: state.done, total: state.total })
        await begin(await generations.build(now(), nextModel(embedders.configured(), generations.vectors())))
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
        await beginByItself(signal)
        const idleMs = await inTurn(advance)
        waitingFor = null
        return idleMs
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

/** As long as there is something to do; then until it is time, or somebody wakes it. */
async function repeat(
  action: () => Promise<number>,
  needs: { waiters: Waiters; signal: AbortSignal; logger: Logger; tell: (reason: string) => void },
): Promise<void> {
  const { waiters, signal, logger, tell } = needs
  let pauseMs = FIRST_PAUSE_MS
  while (!signal.aborted) {
    try {
      const idleMs = await action()
      pauseMs = FIRST_PAUSE_MS
      if (idleMs === 0) await nextTurn()
      else await waiters.sleep(idleMs, signal)
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error))
      logger.error({ err: error, retry_in_ms: pauseMs }, 'the new index stands still')
      await waiters.sleep(pauseMs, signal)
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
    }
  }
}
