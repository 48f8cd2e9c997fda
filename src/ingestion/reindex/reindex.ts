// Builds a second index from the record while the first one serves, and promotes it when it has caught up.
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import { createLoop, exponentialBackoff } from '../../flow/background-loop.ts'
import { createMutex } from '../../flow/mutex.ts'
import type { Embedders } from '../../inference/embedders.ts'
import type { BuildingGeneration, Generations } from '../../search-index/generations.ts'
import type { VectorOptions } from '../../search-index/search-index.ts'
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
  const { generations, indexer, now, rebuildState, embedders } = deps
  const runExclusive = createMutex()
  const builds = createBuildRecord(deps)
  /** Returns how long to sleep, in milliseconds. */
  const advance = async (): Promise<number> => {
    const building = generations.building()
    if (building === null) return IDLE_MS
    const it = await builds.get(building)
    const pauseMs = await it.advance()
    if (pauseMs !== 'complete') return pauseMs
    await generations.flushBuilding()
    await indexer.runExclusive(async () => {
      while (!(await it.step()));
      await generations.promote()
    })
    builds.end('success', it)
    return 0
  }
  const build = async (vectors: VectorOptions | null) => builds.start(await generations.startBuilding(now(), vectors))
  const modelOfNewIndex = () => modelForNewIndex(embedders.configured(), generations.vectors())
  /** A new model in the settings starts a reindex for it, and so does a new version of the analysis. */
  const buildByItself = async (signal: AbortSignal): Promise<void> => {
    if (modelWithoutIndex(deps) !== null) await deps.onNewModel?.(signal)
    await runExclusive(async () => {
      const model = modelWithoutIndex(deps)
      if (model !== null) await build(model)
      else if (mayBuild(deps) && generations.isOutdated()) await build(modelOfNewIndex())
    })
  }
  const round = async (signal: AbortSignal) => {
    await buildByItself(signal)
    const idleMs = await runExclusive(advance)
    builds.setReason(null)
    return idleMs
  }
  const loop = createLoop(round, {
    retryMs: exponentialBackoff(FIRST_PAUSE_MS, MAX_PAUSE_MS),
    onError(error, retryMs) {
      builds.setReason(error instanceof Error ? error.message : String(error))
      deps.logger.error({ err: error, retry_in_ms: retryMs }, 'reindex stalled')
    },
  })
  return {
    progress: builds.progress,
    wake: loop.wake,
    start: () =>
      runExclusive(async () => {
        if (generations.building() !== null) throw new AppError('REINDEX_UNDERWAY')
        const state = rebuildState()
        if (state.state === 'rebuilding') throw new AppError('INDEX_FILLING', { done: state.done, total: state.total })
        await build(modelOfNewIndex())
        loop.wake()
        return builds.progress()
      }),
    cancel: () =>
      runExclusive(async () => {
        const building = generations.building()
        if (building === null) throw new AppError('REINDEX_NOT_FOUND')
        const it = await builds.get(building)
        await generations.dropBuilding()
        builds.end('canceled', it)
        return builds.progress()
      }),
    run: loop.run,
  }
}

/** The build that runs, why it is stalled, and how the last one ended. */
function createBuildRecord(deps: ReindexDeps) {
  const { generations, logger, now, onChange } = deps
  let build: Build | null = null
  let waitingFor: string | null = null
  let last: ReindexProgress['last'] = null

  const start = async (building: BuildingGeneration): Promise<Build> => {
    build = await openBuild(deps, building)
    const { generation } = build
    logger.info({ generation, model: building.vectors?.model ?? null, ...build.progress() }, 'reindex started')
    onChange()
    return build
  }
  return {
    start,
    /** Continues a build of an earlier process. */
    get: async (building: BuildingGeneration) =>
      build?.generation === building.generation ? build : await start(building),
    end(status: keyof typeof END_MESSAGES, { generation, since, progress }: Build) {
      last = { status, generation, ended_at: now(), took_ms: now() - since }
      build = null
      waitingFor = null
      logger.info({ generation, documents: progress().done, took_ms: last.took_ms }, END_MESSAGES[status])
      onChange()
    },
    setReason(reason: string | null) {
      waitingFor = reason
    },
    progress(): ReindexProgress {
      const building = generations.building()
      const serving = { generation: generations.servingNumber(), model: generations.vectors()?.model ?? null }
      if (building === null) return { status: 'idle', ...serving, building, last }
      const counts = build?.progress() ?? { done: 0, total: 0 }
      const { generation, vectors, since } = building
      const work = { generation, model: vectors?.model ?? null, since, ...counts, waiting_for: waitingFor }
      return { status: 'building', ...serving, building: work, last }
    },
  }
}

const mayBuild = ({ generations, rebuildState }: ReindexDeps): boolean =>
  generations.building() === null && rebuildState().state !== 'rebuilding'

/** The configured model if no index has its vectors and one may be built now. */
const modelWithoutIndex = (deps: ReindexDeps) =>
  mayBuild(deps) ? modelToBuild(deps.embedders.configured(), deps.generations) : null

/** One new generation on its way: first it lacks texts, then vectors, then only the newest changes. */
interface Build extends Pick<BuildingFollower, 'generation' | 'since' | 'progress'> {
  /** Returns how long to sleep, in milliseconds, or that only the newest changes are missing. */
  advance(): Promise<number | 'complete'>
  /** Applies the next changes. Returns whether it has all that the serving index has. */
  step(): Promise<boolean>
}

async function openBuild(deps: ReindexDeps, building: BuildingGeneration): Promise<Build> {
  const { generations, indexer, onChange } = deps
  const { generation, since, progress, step: applyUntil } = await createBuildingFollower(deps, building)
  const hasVectors = vectorCheckOf(deps, building)
  const step = () => applyUntil(indexer.progress().indexed_seq)
  let missing: 'text' | 'vectors' | 'the last' = 'text'
  /** Whether the embedding knows how much the index has grown. */
  let isReported = false
  return {
    generation,
    since,
    progress,
    step,
    async advance() {
      // Checked before new changes are applied, otherwise a busy index would always lack some vector.
      if (missing === 'vectors' && (await hasVectors())) missing = 'the last'
      if (!(await step())) {
        isReported = false
        return 0
      }
      if (missing === 'the last') return 'complete'
      if (missing === 'vectors') {
        // The embedding wakes this loop when it has nothing to do. Reporting each time would keep both busy.
        if (!isReported) onChange()
        isReported = true
        return isModelSwitch(building.vectors, generations.vectors()) ? VECTOR_POLL_MS : 0
      }
      missing = 'vectors'
      return 0
    },
  }
}

/** A new model computes all vectors first. With the same model, cached vectors suffice and the rest follow later. */
function vectorCheckOf({ db, generations, isEmbedded }: ReindexDeps, building: BuildingGeneration) {
  if (isModelSwitch(building.vectors, generations.vectors())) return () => isEmbedded(building)
  return building.vectors === null
    ? async () => true
    : createVectorRestore({ db, model: building.vectors.model }, building.index)
}

const END_MESSAGES = {
  success: 'reindex finished',
  canceled: 'reindex canceled',
}
