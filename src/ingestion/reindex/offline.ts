// Rebuilds the index from the command line while the service is not running.
import type { Logger } from '../../domain/logger.ts'
import type { Embedders } from '../../inference/embedders.ts'
import type { BuildingGeneration, Generations } from '../../search-index/generations.ts'
import type { Database } from '../../store/database/database.ts'
import { countChanges, lastChangeSeq } from '../../store/documents/documents.ts'
import { isModelSwitch, modelForNewIndex } from '../embed/next-model.ts'
import { createVectorRestore } from '../embed/vector-cache.ts'
import { createVectorFollower } from '../embed/vector-follower.ts'
import { createIndexer, type Indexer } from '../index/indexer.ts'

interface OfflineReindexDeps {
  db: Database
  generations: Generations
  embedders: Embedders
  logger: Logger
  now: () => number
  random: () => number
}

export interface OfflineReindexOptions {
  signal: AbortSignal
  onProgress: (progress: { step: string; done: number; total: number }) => void
}

/**
 * Builds an index, or continues one, and promotes it. Rejects if the signal fires first. The partial index is kept, and
 * the service or the next call continues it.
 */
export async function reindexOffline(
  deps: OfflineReindexDeps,
  { signal, onProgress }: OfflineReindexOptions,
): Promise<void> {
  const { db, generations, embedders, logger, now } = deps
  const model = modelForNewIndex(embedders.configured(), generations.vectors())
  const building = generations.building() ?? (await generations.startBuilding(now(), model))
  const searchIndex = building.index
  const counts = await countChanges(db, (await searchIndex.stats()).position)
  const onAdvance = async (count: number) => {
    counts.done += count
    counts.total = Math.max(counts.total, counts.done)
    onProgress({ step: 'changes', ...counts })
  }
  onProgress({ step: 'changes', ...counts })
  const indexer = await createIndexer({ db, searchIndex, logger, now, failpoint() {}, onAdvance })
  const stop = new AbortController()
  const running = indexer.run(AbortSignal.any([signal, stop.signal]))
  const hasAllChanges = await indexer.waitUntil(await lastChangeSeq(db), signal)
  stop.abort()
  await running
  if (!hasAllChanges) throw signal.reason
  await fillVectors({ ...deps, indexer }, building, { signal, onProgress })
  await generations.promote()
}

/** Restores cached vectors. If the model changes, computes all vectors. */
async function fillVectors(
  deps: OfflineReindexDeps & { indexer: Indexer },
  { index: searchIndex, vectors }: BuildingGeneration,
  { signal, onProgress }: OfflineReindexOptions,
): Promise<void> {
  const { db, generations, embedders } = deps
  if (vectors === null) return
  const loadNextPage = createVectorRestore({ db, model: vectors.model }, searchIndex)
  while (!(await loadNextPage())) signal.throwIfAborted()
  const embedder = embedders.forModel(vectors)
  if (embedder === null || !isModelSwitch(vectors, generations.vectors())) return
  const stop = new AbortController()
  const follower = createVectorFollower({
    ...deps,
    searchIndex: {
      ...searchIndex,
      async setVectors(made) {
        await searchIndex.setVectors(made)
        const { vectors: done, vectors_missing } = await searchIndex.stats()
        onProgress({ step: 'vectors', done, total: done + vectors_missing })
      },
    },
    embedder,
    role: () => 'is being made',
    maySweep: () => false,
    onIdle: () => stop.abort(),
  })
  await follower.run(AbortSignal.any([signal, stop.signal]))
  signal.throwIfAborted()
}
