// Makes the index anew while the service does not run, for a command line.
import type { Logger } from '../domain/logger.ts'
import type { Embedders } from '../inference/embedders.ts'
import type { Building, Generations } from '../search-index/generations.ts'
import type { Database } from '../store/database.ts'
import { countChanges, lastSequence } from '../store/documents.ts'
import { createIndexer, type Indexer } from './indexer.ts'
import { isSwitch, nextModel } from './next-model.ts'
import { recallPages } from './vector-cache.ts'
import { createVectorFollower } from './vector-follower.ts'

interface Needs {
  db: Database
  generations: Generations
  embedders: Embedders
  logger: Logger
  now: () => number
  random: () => number
}

export interface Steps {
  signal: AbortSignal
  onProgress: (progress: { step: string; done: number; total: number }) => void
}

/**
 * Makes an index, or goes on with one, and lets it take over. Rejects when the signal comes first; what is done by then
 * is kept, and the service or the next call goes on with it.
 */
export async function reindexOffline(needs: Needs, { signal, onProgress }: Steps): Promise<void> {
  const { db, generations, embedders, logger, now } = needs
  const model = nextModel(embedders.configured(), generations.vectors())
  const building = generations.building() ?? (await generations.build(now(), model))
  const searchIndex = building.index
  const counts = await countChanges(db, (await searchIndex.stats()).position)
  const onAdvance = async (count: number) => {
    counts.done += count
    counts.total = Math.max(counts.total, counts.done)
    onProgress({ step: 'changes', ...counts })
  }
  onProgress({ step: 'changes', ...counts })
  const indexer = await createIndexer({ db, searchIndex, logger, now, failpoint() {}, onAdvance })
  const ended = new AbortController()
  const running = indexer.run(AbortSignal.any([signal, ended.signal]))
  const isWhole = await indexer.waitUntil(await lastSequence(db), signal)
  ended.abort()
  await running
  if (!isWhole) throw signal.reason
  await giveVectors({ ...needs, indexer }, building, { signal, onProgress })
  await generations.promote()
}

/** Those that are kept; those of another model than the present one all. */
async function giveVectors(
  needs: Needs & { indexer: Indexer },
  { index: searchIndex, vectors }: Building,
  { signal, onProgress }: Steps,
): Promise<void> {
  const { db, generations, embedders } = needs
  if (vectors === null) return
  const recall = recallPages({ db, model: vectors.model }, searchIndex)
  while (!(await recall())) signal.throwIfAborted()
  const embedder = embedders.of(vectors)
  if (embedder === null || !isSwitch(vectors, generations.vectors())) return
  const ended = new AbortController()
  const follower = createVectorFollower({
    ...needs,
    searchIndex: {
      ...searchIndex,
      async setVectors(made) {
        await searchIndex.setVectors(made)
        const { vectors: done, vectors_missing } = await searchIndex.stats()
        onProgress({ step: 'vectors', done, total: done + vectors_missing })
      },
    },
    embedder,
    part: () => 'is being made',
    maySweep: () => false,
    onIdle: () => ended.abort(),
  })
  await follower.run(AbortSignal.any([signal, ended.signal]))
  signal.throwIfAborted()
}
