// Deletes cached vectors of texts that no longer exist, once there are too many.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from '../../domain/logger.ts'
import type { SearchIndex } from '../../search-index/search-index.ts'
import { chunksWithHash } from '../../search-index/text-hash.ts'
import type { Database } from '../../store/database/database.ts'
import { countVectors, deleteStaleVectors } from '../../store/documents/chunk-vectors.ts'
import { listChanges } from '../../store/documents/documents.ts'
import { prepareChanges } from '../index/indexer.ts'

/** The excess over the index that is tolerated before the whole record is read. */
const TOLERATED = { share: 1.25, count: 10_000 }
const BATCH = 50
const BATCH_BYTES = 1_000_000
const RECOUNT_MS = 3_600_000

interface VectorSweepDeps {
  db: Database
  searchIndex: Pick<SearchIndex, 'stats'>
  model: string
  logger: Logger
  now: () => number
  tolerated?: { share: number; count: number }
}

/** To be called when every chunk has its vector. Counts at most once an hour. */
export function createVectorSweep(deps: VectorSweepDeps): (signal: AbortSignal) => Promise<void> {
  const { db, searchIndex, logger, now, tolerated = TOLERATED } = deps
  let countedAt = Number.NEGATIVE_INFINITY
  return async (signal) => {
    if (now() - countedAt < RECOUNT_MS) return
    countedAt = now()
    const { vectors } = await searchIndex.stats()
    if ((await countVectors(db)) <= vectors * tolerated.share + tolerated.count) return
    logger.info({ deleted: await sweepStaleVectors(deps, signal) }, 'stale vectors deleted')
  }
}

async function sweepStaleVectors({ db, model, now }: VectorSweepDeps, signal: AbortSignal): Promise<number> {
  let deleted = 0
  for (let position = 0; !signal.aborted; ) {
    const changes = await listChanges(db, position, BATCH, BATCH_BYTES)
    const last = changes.at(-1)
    if (last === undefined) break
    const documents = changes.map((it) => it.id)
    const current = prepareChanges(changes, now()).prepared.flatMap((it) => it.document ?? [])
    const hashes = current.flatMap(chunksWithHash).map((it) => it.hash)
    deleted += await deleteStaleVectors(db, { model, documents, hashes })
    position = last.seq
    await nextTurn()
  }
  return deleted
}
