// Embeds documents after they are indexed, in the serving index and in a second one that is built for another model.
import type { Logger } from '../../domain/logger.ts'
import type { Meter } from '../../domain/meter.ts'
import { createLoop, logErrors } from '../../flow/background-loop.ts'
import type { ConfiguredEmbedder, Embedders } from '../../inference/embedders.ts'
import type { BuildingGeneration, Generation, Generations } from '../../search-index/generations.ts'
import type { VectorOptions } from '../../search-index/search-index.ts'
import type { Database } from '../../store/database/database.ts'
import type { Indexer } from '../index/indexer.ts'
import type { FreshDocument } from './fresh-queue.ts'
import { configuredModel, embedderForVectors, isModelSwitch } from './next-model.ts'
import { createVectorFollower, type IndexRole, type VectorFollower } from './vector-follower.ts'

/** Practically for ever: every change of the work calls `wake`. */
const IDLE_MS = 1 << 30
const PAUSE_AFTER_FAILURE_MS = 1_000

export interface VectorProgress {
  model: string
  /** Chunks without a vector. */
  pending: number
  /** All chunks that get a vector. */
  total: number
  /** Estimated from the recent rate; null when nothing waits and before the first response of the model. */
  remaining_s: number | null
  /** Why embedding is stalled; null when it is not. */
  reason: string | null
}

export interface EmbeddingState extends Omit<VectorProgress, 'model'> {
  /** Null when search is keyword-only. */
  model: string | null
  /** Progress of an index for another model, which takes over when all of its vectors exist. */
  next: VectorProgress | null
}

export interface Embedding {
  /** Embeds newly indexed documents before older ones. */
  onIndexed(documents: readonly FreshDocument[]): void
  state(): Promise<EmbeddingState>
  /** Null unless the model has failed several times in succession, or cannot be loaded. */
  fault(): { model: string; reason: string } | null
  /** The models of the serving vectors and of those being built; null when there are none. */
  models(): { serving: VectorOptions | null; building: VectorOptions | null }
  /** How long the model of the serving vectors takes for chunks, at its recent rate; null before its first response. */
  secondsFor(chunks: number): number | null
  /** Whether the index being built has every vector that it can have. */
  isComplete(building: BuildingGeneration): Promise<boolean>
  /** To be called when an index was started, grew, took over or was canceled, or when a model became available. */
  wake(): void
  /** Runs until the signal and continues the work of an earlier process. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

interface EmbeddingDeps {
  db: Database
  generations: Pick<Generations, 'servingNumber' | 'vectors' | 'building' | 'declinedModel' | 'lease'>
  embedders: Pick<Embedders, 'forModel' | 'configured'>
  indexer: Pick<Indexer, 'progress' | 'waitUntil'>
  /** Called when an index has no chunk left to embed. */
  onIdle?: () => void
  logger: Logger
  meter?: Meter
  now: () => number
  random: () => number
}

interface RunningFollower {
  follower: VectorFollower
  stop: AbortController
  finished: Promise<void>
}

export function createEmbedding(deps: EmbeddingDeps): Embedding {
  const { generations, embedders } = deps
  const followers = new Map<number, RunningFollower>()
  const servingFollower = () => followers.get(generations.servingNumber())?.follower

  const switchTarget = () => {
    const building = generations.building()
    return building !== null && hasOtherModel(building, generations.vectors()) ? building : null
  }
  const roleOf = (generation: number): IndexRole => {
    if (generation === generations.servingNumber()) return switchTarget() === null ? 'serves' : 'serves for now'
    return generation === generations.building()?.generation ? 'is being made' : 'is gone'
  }
  const startFollower = ({ generation, index, vectors }: Generation, signal: AbortSignal) => {
    const embedder = embedderForVectors(embedders, vectors)
    if (embedder === null || followers.has(generation)) return
    const follower = createVectorFollower({
      ...deps,
      searchIndex: index,
      embedder,
      role: () => roleOf(generation),
      // A canceled model may be selected again, and its vectors may have cost money.
      maySweep: () => configuredModel(embedders.configured())?.model === embedder.model,
    })
    const stop = new AbortController()
    const finished = follower.run(AbortSignal.any([signal, stop.signal]))
    followers.set(generation, { follower, stop, finished })
  }
  const updateFollowers = async (signal: AbortSignal) => {
    for (const [generation, { follower, stop, finished }] of followers) {
      if (roleOf(generation) !== 'is gone') {
        follower.wake()
        continue
      }
      stop.abort()
      await finished
      followers.delete(generation)
    }
    await generations.lease(async (serving) => startFollower(serving, signal))
    const building = switchTarget()
    if (building !== null) startFollower(building, signal)
    return IDLE_MS
  }
  const progressOf = (it: Generation, chunks: number) =>
    readProgress(deps, it, followers.get(it.generation)?.follower, chunks)
  const loop = createLoop(updateFollowers, {
    retryMs: PAUSE_AFTER_FAILURE_MS,
    onError: logErrors(deps.logger, 'embedding failed'),
  })
  return {
    onIndexed: (documents) => servingFollower()?.onIndexed(documents),
    state: () =>
      generations.lease(async (serving) => {
        const isOff = embedders.configured().kind === 'off'
        const model = embedderForVectors(embedders, serving.vectors)?.model ?? null
        const state = isOff ? { ...NO_PROGRESS, reason: noEmbeddingReason(deps, null) } : await progressOf(serving, 0)
        const building = switchTarget()
        // An index that is still being filled will have at least the chunks of the serving one.
        const progress = building && (await progressOf(building, state.total).catch(nullWhenGone))
        const next = building && progress && { model: building.vectors.model, ...progress }
        return { model, ...state, next }
      }),
    fault: () => findFault(embedders.configured(), servingFollower()),
    models: () => ({ serving: generations.vectors(), building: switchTarget()?.vectors ?? null }),
    secondsFor: (chunks) => servingFollower()?.secondsFor(chunks) ?? null,
    isComplete: async ({ generation }) => (await followers.get(generation)?.follower.isComplete()) ?? false,
    wake: loop.wake,
    async run(signal) {
      await loop.run(signal)
      await Promise.all([...followers.values()].map((it) => it.finished))
    },
  }
}

const hasOtherModel = (
  building: BuildingGeneration,
  serving: VectorOptions | null,
): building is BuildingGeneration & { vectors: VectorOptions } => isModelSwitch(building.vectors, serving)

const NO_PROGRESS = { pending: 0, total: 0, remaining_s: null }

/** Fewer failures in succession are usual: a server that asks for time, or that restarts. */
const FAULT_AFTER = 3

function findFault(
  configured: ConfiguredEmbedder,
  follower: VectorFollower | undefined,
): { model: string; reason: string } | null {
  if (configured.kind === 'off') return null
  if (configured.kind === 'missing') return { model: configured.model.model, reason: configured.reason }
  if (configured.kind === 'silent')
    return configured.failures < FAULT_AFTER ? null : { model: configured.name, reason: configured.reason }
  const isStalled = follower !== undefined && follower.failures() >= FAULT_AFTER
  return isStalled ? { model: configured.model.model, reason: follower.reason() ?? '' } : null
}

/** The index took over or was canceled during the call. */
const nullWhenGone = () => null

/** `chunks`: how many the index will have at least. */
async function readProgress(
  deps: EmbeddingDeps,
  { index, vectors }: Generation,
  follower: VectorFollower | undefined,
  chunks: number,
) {
  const stats = await index.stats()
  const total = Math.max(stats.vectors + stats.vectors_missing, chunks)
  const pending = total - stats.vectors
  const remaining_s = pending === 0 ? null : (follower?.secondsFor(pending) ?? null)
  const reason = follower?.reason() ?? noEmbeddingReason(deps, vectors)
  return { pending, total, remaining_s, reason }
}

/** Why the configured model, or the model of these vectors, is not used. */
function noEmbeddingReason(
  { embedders, generations }: Pick<EmbeddingDeps, 'embedders' | 'generations'>,
  vectors: VectorOptions | null,
) {
  const configured = embedders.configured()
  if (configured.kind === 'off') return 'EMBEDDING is off'
  if (configured.kind === 'silent') return `${configured.reason}; retrying until it responds`
  if (configured.kind === 'missing') return configured.reason
  const { model } = configured.model
  if (generations.declinedModel() === model)
    return `the index for ${model} was canceled; start it with POST /admin/reindex, or set EMBEDDING to the former model`
  if (vectors === null || embedders.forModel(vectors) !== null) return null
  return `the vectors are from ${vectors.model}, which these settings do not provide`
}
