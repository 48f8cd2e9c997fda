// Builds a second index from the record while the first one serves, and promotes it when it has caught up.
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import { createLoop, exponentialBackoff } from '../../flow/background-loop.ts'
import { createMutex } from '../../flow/mutex.ts'
import type { Embedders } from '../../inference/embedders.ts'
import type { BuildingGeneration, Generations } from '../../search-index/generations.ts'
import type { Database } from '../../store/database/database.ts'
import { isModelSwitch, modelForNewIndex, modelToBuild } from '../embed/next-model.ts'
import { createVectorRestore } from '../embed/vector-cache.ts'
import type { Indexer } from '../index/indexer.ts'
import { type BuildingFollower, createBuildingFollower } from './building-follower.ts'
import type { IndexState } from './rebuild-tracker.ts'

const IDLE_MS = 1 << 30
/** How often new changes are applied while vectors are computed. The last vector wakes the loop. */
const VECTOR_POLL_MS = 1_000
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000

export interface ReindexProgress {
  status: 'idle' | 'building'
  /** The serving generation. */
  generation: number
  /** The model of its vectors. */
  model: string | null
  building: {
    generation: number
    model: string | null
    since: number
    done: number
    total: number
    /** Why the build is stalled; null when it is not. */
    waiting_for: string | null
  } | null
  /** The result of the last reindex in this process. */
  last: { status: 'success' | 'canceled'; generation: number; ended_at: number; took_ms: number } | null
}

export interface Reindex {
  /** Rejects with REINDEX_UNDERWAY if one is running, and with INDEX_FILLING while the serving index is rebuilt. */
  start(): Promise<ReindexProgress>
  /** Rejects with REINDEX_NOT_FOUND if none is running, also when it has just taken over. */
  cancel(): Promise<ReindexProgress>
  progress(): ReindexProgress
  /** To be called when the last vector exists, a model became available or the serving index is complete. */
  wake(): void
  /** Runs until the signal and continues a reindex of an earlier process. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

interface ReindexDeps {
  db: Database
  generations: Generations
  indexer: Pick<Indexer, 'progress' | 'runExclusive'>
  logger: Logger
  now: () => number
  failpoint: (name: string) => void
  /** Whether the serving index is being rebuilt. */
  rebuildState: () => IndexState
  embedders: Pick<Embedders, 'configured'>
  /** Whether the new index has all the vectors that it can have. */
  isEmbedded: (building: BuildingGeneration) => Promise<boolean>
  /** Called when a reindex was started, made progress, took over or was canceled. */
  onChange: () => void
  /** Called before a reindex starts by itself for a new model. */
  onNewModel?: (signal: AbortSignal) => Promise<void>
}

export function createReindex(deps: ReindexDeps): Reindex {
  const { db, generations, indexer, now, rebuildState, embedders, onChange } = deps
  const runExclusive = createMutex()
  let follower: BuildingFollower | null = null
  let missing: 'text' | 'vectors' | 'the last' = 'text'
  let hasVectors = async () => true
  let waitingFor: string | null = null
  let last: ReindexProgress['last'] = null

  const startFollower = async (building: BuildingGeneration) => {
    follower = await createBuildingFollower(deps, building)
    missing = 'text'
    const { generation } = follower
    hasVectors = vectorCheckOf(building)
    const model = building.vectors?.model ?? null
    deps.logger.info({ generation, model, ...follower.progress() }, 'reindex started')
    onChange()
    return follower
  }
  /** A new model computes all vectors first. With the same model, cached vectors suffice and the rest follow later. */
  const vectorCheckOf = (building: BuildingGeneration) => {
    if (isModelSwitch(building.vectors, generations.vectors())) return () => deps.isEmbedded(building)
    return building.vectors === null
      ? async () => true
      : createVectorRestore({ db, model: building.vectors.model }, building.index)
  }
  const followerOf = (building: BuildingGeneration) =>
    follower?.generation === building.generation ? follower : startFollower(building)
  const recordEnd = (status: keyof typeof END_MESSAGES, it: BuildingFollower) => {
    const { generation, since } = it
    last = { status, generation, ended_at: now(), took_ms: now() - since }
    follower = null
    waitingFor = null
    deps.logger.info({ generation, documents: it.progress().done, took_ms: last.took_ms }, END_MESSAGES[status])
    onChange()
  }
  /** Returns how long to sleep, in milliseconds. */
  const advance = async (): Promise<number> => {
    const building = generations.building()
    if (building === null) return IDLE_MS
    const it = await followerOf(building)
    // Checked before new changes are applied, otherwise a busy index would always lack some vector.
    if (missing === 'vectors' && (await hasVectors())) missing = 'the last'
    if (!(await it.step(indexer.progress().indexed_seq))) return 0
    if (missing === 'vectors') {
      onChange()
      return isModelSwitch(building.vectors, generations.vectors()) ? VECTOR_POLL_MS : 0
    }
    if (missing === 'text') {
      missing = 'vectors'
      return 0
    }
    await generations.flushBuilding()
    await indexer.runExclusive(async () => {
      while (!(await it.step(indexer.progress().indexed_seq)));
      await generations.promote()
    })
    recordEnd('success', it)
    return 0
  }
  /** Selecting a new model in the settings starts a reindex for it. */
  const buildForNewModel = async (signal: AbortSignal): Promise<void> => {
    if (modelWithoutIndex() === null) return
    await deps.onNewModel?.(signal)
    await runExclusive(async () => {
      const model = modelWithoutIndex()
      if (model !== null) await startFollower(await generations.startBuilding(now(), model))
    })
  }
  const modelWithoutIndex = () =>
    generations.building() !== null || rebuildState().state === 'rebuilding'
      ? null
      : modelToBuild(embedders.configured(), generations)
  const progress = (): ReindexProgress => {
    const building = generations.building()
    const serving = { generation: generations.servingNumber(), model: generations.vectors()?.model ?? null }
    if (building === null) return { status: 'idle', ...serving, building, last }
    const counts = follower?.progress() ?? { done: 0, total: 0 }
    const { since } = building
    const { generation, vectors } = building
    const work = { generation, model: vectors?.model ?? null, since, ...counts, waiting_for: waitingFor }
    return { status: 'building', ...serving, building: work, last }
  }
  const round = async (signal: AbortSignal) => {
    await buildForNewModel(signal)
    const idleMs = await runExclusive(advance)
    waitingFor = null
    return idleMs
  }
  const loop = createLoop(round, {
    retryMs: exponentialBackoff(FIRST_PAUSE_MS, MAX_PAUSE_MS),
    onError(error, retryMs) {
      waitingFor = error instanceof Error ? error.message : String(error)
      deps.logger.error({ err: error, retry_in_ms: retryMs }, 'reindex stalled')
    },
  })
  return {
    progress,
    wake: loop.wake,
    start: () =>
      runExclusive(async () => {
        if (generations.building() !== null) throw new AppError('REINDEX_UNDERWAY')
        const state = rebuildState()
        if (state.state === 'rebuilding') throw new AppError('INDEX_FILLING', { done: state.done, total: state.total })
        await startFollower(
          await generations.startBuilding(now(), modelForNewIndex(embedders.configured(), generations.vectors())),
        )
        loop.wake()
        return progress()
      }),
    cancel: () =>
      runExclusive(async () => {
        const building = generations.building()
        if (building === null) throw new AppError('REINDEX_NOT_FOUND')
        const it = await followerOf(building)
        await generations.dropBuilding()
        recordEnd('canceled', it)
        return progress()
      }),
    run: loop.run,
  }
}

const END_MESSAGES = {
  success: 'reindex finished',
  canceled: 'reindex canceled',
}
