// Vectors follow the text: whatever is indexed is embedded afterwards, in the index that serves and in one that is made
// beside it for another model.
import type { Logger } from '../domain/logger.ts'
import type { Meter } from '../domain/meter.ts'
import type { Embedders } from '../inference/embedders.ts'
import type { Building, Generation, Generations } from '../search-index/generations.ts'
import type { VectorOptions } from '../search-index/search-index.ts'
import type { Database } from '../store/database.ts'
import type { FreshDocument } from './fresh-chunks.ts'
import type { Indexer } from './indexer.ts'
import { embedderOf, isSwitch, wantedModel } from './next-model.ts'
import { createVectorFollower, type Part, type VectorFollower } from './vector-follower.ts'
import { createWaiters } from './waiters.ts'

/** Whoever changes what there is to do wakes it. */
const IDLE_MS = 1 << 30

export interface VectorProgress {
  model: string
  /** Chunks that wait for their vector. */
  pending: number
  /** Chunks that take one. */
  total: number
  /** At the rate of late; null while nothing waits, and until the first answer of the model. */
  remaining_s: number | null
  /** Why the model stands still; null when all is well. */
  reason: string | null
}

export interface EmbeddingState extends Omit<VectorProgress, 'model'> {
  /** Null where the texts are found by their words only. */
  model: string | null
  /** The vectors of another model, in the index that takes over when it has all of them. */
  next: VectorProgress | null
}

export interface Embedding {
  /** These were indexed just now, so they are embedded before others. */
  indexed(documents: readonly FreshDocument[]): void
  state(): Promise<EmbeddingState>
  /** Whether the index that is being made has every vector that it can have. */
  isComplete(building: Building): Promise<boolean>
  /** An index was begun, has more text, has taken over or was given up, or a model can be asked from now on. */
  wake(): void
  /** Works until the signal, and goes on with what an earlier process left. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

interface Needs {
  db: Database
  generations: Pick<Generations, 'current' | 'vectors' | 'building' | 'declined' | 'lease'>
  embedders: Pick<Embedders, 'of' | 'configured'>
  indexer: Pick<Indexer, 'progress' | 'waitUntil'>
  /** Called when no chunk of an index is left to embed. */
  onIdle?: () => void
  logger: Logger
  meter?: Meter
  now: () => number
  random: () => number
}

interface Running {
  follower: VectorFollower
  stop: AbortController
  ended: Promise<void>
}

export function createEmbedding(needs: Needs): Embedding {
  const { generations, embedders } = needs
  const running = new Map<number, Running>()
  const waiters = createWaiters()

  const switching = (): Building | null => {
    const building = generations.building()
    return building !== null && isSwitch(building.vectors, generations.vectors()) ? building : null
  }
  const partOf = (generation: number): Part => {
    if (generation === generations.current()) return switching() === null ? 'serves' : 'serves for now'
    return generation === generations.building()?.generation ? 'is being made' : 'is gone'
  }
  const begin = ({ generation, index, vectors }: Generation, signal: AbortSignal) => {
    const embedder = embedderOf(embedders, vectors)
    if (embedder === null || running.has(generation)) return
    const follower = createVectorFollower({
      ...needs,
      searchIndex: index,
      embedder,
      part: () => partOf(generation),
      // What was given up may be asked for again, and may have cost money.
      maySweep: () => wantedModel(embedders.configured())?.model === embedder.model,
    })
    const stop = new AbortController()
    const ended = follower.run(AbortSignal.any([signal, stop.signal]))
    running.set(generation, { follower, stop, ended })
  }
  const arrange = async (signal: AbortSignal) => {
    for (const [generation, { follower, stop, ended }] of running) {
      if (partOf(generation) !== 'is gone') {
        follower.wake()
        continue
      }
      stop.abort()
      await ended
      running.delete(generation)
    }
    await generations.lease(async (serving) => begin(serving, signal))
    const building = switching()
    if (building !== null) begin(building, signal)
  }
  const progressOf = async ({ generation, index, vectors }: Generation, chunks: number) => {
    const stats = await index.stats()
    const follower = running.get(generation)?.follower
    const total = Math.max(stats.vectors + stats.vectors_missing, chunks)
    const pending = total - stats.vectors
    const remaining_s = pending === 0 ? null : (follower?.secondsFor(pending) ?? null)
    const reason = follower?.reason() ?? reasonOf(needs, vectors)
    return { pending, total, remaining_s, reason }
  }
  return {
    indexed: (documents) => running.get(generations.current())?.follower.indexed(documents),
    async state() {
      return generations.lease(async (serving) => {
        const { vectors } = serving
        const isOff = embedders.configured().kind === 'off'
        const model = embedderOf(embedders, vectors)?.model ?? null
        const state = isOff ? { ...NOTHING, reason: reasonOf(needs, null) } : await progressOf(serving, 0)
        const building = switching()
        // While it is being filled, what the other one has is still to come.
        const next = building && (await progressOf(building, state.total).catch(whenGone))
        return { model, ...state, next: next && { model: building!.vectors!.model, ...next } }
      })
    },
    isComplete: async ({ generation }) => (await running.get(generation)?.follower.isComplete()) ?? false,
    wake: waiters.wake,
    async run(signal) {
      while (!signal.aborted) {
        await arrange(signal)
        await waiters.sleep(IDLE_MS, signal)
      }
      await Promise.all([...running.values()].map((it) => it.ended))
    },
  }
}

const NOTHING = { pending: 0, total: 0, remaining_s: null }

/** It took over, or was given up, while it was asked. */
const whenGone = () => null

/** Why the model of the settings, or that of these vectors, is not asked. */
function reasonOf({ embedders, generations }: Pick<Needs, 'embedders' | 'generations'>, vectors: VectorOptions | null) {
  const configured = embedders.configured()
  if (configured.kind === 'off') return 'EMBEDDING is off'
  if (configured.kind === 'silent') return `${configured.reason}; it is asked again until it answers`
  if (configured.kind === 'missing') return configured.reason
  const { model } = configured.model
  if (generations.declined() === model)
    return `the index for ${model} was given up; POST /admin/reindex makes it, or EMBEDDING names the former model`
  if (vectors === null || embedders.of(vectors) !== null) return null
  return `the vectors are of ${vectors.model}, which nobody can be asked for with these settings`
}
