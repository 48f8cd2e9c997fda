// The index and the background work that keeps it up to date: indexing, embedding and reindexing.
import type { ServiceConfig } from '../../config.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Meter } from '../../domain/meter.ts'
import type { BackgroundLoop } from '../../flow/background-loop.ts'
import type { Embedders } from '../../inference/embedders.ts'
import { createEmbedding, type Embedding } from '../../ingestion/embed/embedding.ts'
import { createIndexer, type Indexer } from '../../ingestion/index/indexer.ts'
import { createNearDuplicates } from '../../ingestion/near-duplicates/near-duplicates.ts'
import { estimateReindex, type ReindexEstimate } from '../../ingestion/reindex/estimate.ts'
import { type RebuildTracker, trackRebuild } from '../../ingestion/reindex/rebuild-tracker.ts'
import { createReindex, type Reindex } from '../../ingestion/reindex/reindex.ts'
import type { Generations } from '../../search-index/generations.ts'
import type { Database } from '../../store/database/database.ts'
import { openEmbedders, openGenerations } from '../implementations.ts'

export interface Indexing {
  embedders: Embedders
  generations: Generations
  rebuild: RebuildTracker
  indexer: Indexer
  embedding: Embedding
  reindex: Reindex
  nearDuplicates: BackgroundLoop
  estimateReindex(signal: AbortSignal): Promise<ReindexEstimate>
  close(): Promise<void>
}

interface IndexingDeps {
  db: Database
  logger: Logger
  now: () => number
  failpoint: (name: string) => void
  meter: Meter
  checkDisk: () => void
  onReceiptsWritten: () => void
  onFatal: (error: Error) => void
}

export async function openIndexing(config: ServiceConfig, deps: IndexingDeps): Promise<Indexing> {
  const { db, logger, now, failpoint, meter, checkDisk, onReceiptsWritten, onFatal } = deps
  const onReady = () => {
    embedding.wake()
    reindex.wake()
  }
  const embedders = await openEmbedders(config, { db, logger, onReady })
  const generations = await openGenerations(config, { db, logger, onFatal, embedders })
  const rebuild = await trackRebuild({ db, generations, logger, now, onRebuilt: () => reindex.wake() })
  const indexer = await createIndexer({
    ...{ db, logger, now, meter, failpoint, checkDisk, onReceiptsWritten },
    searchIndex: generations.serving,
    async onAdvance(count, position) {
      await rebuild.advance(count, position)
      if (count > 0) nearDuplicates.wake()
    },
    buildingIndex: () => generations.building()?.index ?? null,
    onIndexed: (documents) => embedding.onIndexed(documents),
  })
  const nearDuplicates = createNearDuplicates({ db, logger, indexer })
  const embedding = createEmbedding({
    ...{ db, logger, now, meter, generations, embedders, indexer },
    onIdle: () => reindex.wake(),
    random: Math.random,
  })
  const estimate = (signal: AbortSignal) =>
    estimateReindex({ db, generations, embedders, clock: () => performance.now() }, signal)
  const reindex = createReindex({
    ...{ db, logger, now, generations, indexer, failpoint, embedders },
    rebuildState: rebuild.state,
    isEmbedded: embedding.isComplete,
    onChange: embedding.wake,
    onNewModel: async (signal) =>
      logger.info(await estimate(signal), 'reindex required: the settings name another embedding model'),
  })
  const close = async () => {
    await generations.close()
    await embedders.close()
  }
  return {
    embedders,
    generations,
    rebuild,
    indexer,
    embedding,
    reindex,
    nearDuplicates,
    estimateReindex: estimate,
    close,
  }
}
