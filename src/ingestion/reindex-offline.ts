// Makes the index anew while the service does not run, for a command line.
import type { Logger } from '../domain/logger.ts'
import type { Generations } from '../search-index/generations.ts'
import type { Database } from '../store/database.ts'
import { countChanges, lastSequence } from '../store/documents.ts'
import { createIndexer } from './indexer.ts'
import { recallPages } from './vector-cache.ts'

interface Needs {
  db: Database
  generations: Generations
  logger: Logger
  now: () => number
  /** The model whose vectors the index is given; null where there is none. */
  model: string | null
}

/**
 * Makes an index, or goes on with one, and lets it take over. Rejects when the signal comes first; what is done by then
 * is kept, and the service or the next call goes on with it.
 */
export async function reindexOffline(
  { db, generations, logger, now, model }: Needs,
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
  const recall = model === null ? async () => true : recallPages({ db, model }, searchIndex)
  while (!(await recall())) signal.throwIfAborted()
  await generations.promote()
}
