// Kept vectors that belong to no text any more are taken away, once they are too many.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from '../domain/logger.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import { chunksWithHash } from '../search-index/text-hash.ts'
import { countVectors, deleteOtherVectors } from '../store/chunk-vectors.ts'
import type { Database } from '../store/database.ts'
import { listChanges } from '../store/documents.ts'
import { prepare } from './indexer.ts'

/** More than the index has, by so much, is worth reading the whole record for. */
const TOLERATED = { share: 1.25, count: 10_000 }
const BATCH = 50
const BATCH_BYTES = 1_000_000
const COUNT_AGAIN_MS = 3_600_000

interface Needs {
  db: Database
  searchIndex: Pick<SearchIndex, 'stats'>
  model: string
  logger: Logger
  now: () => number
  tolerated?: { share: number; count: number }
}

/** To be called when every chunk has its vector. Looks once an hour at most. */
export function sweepVectors(needs: Needs): (signal: AbortSignal) => Promise<void> {
  const { db, searchIndex, logger, now, tolerated = TOLERATED } = needs
  let countedAt = Number.NEGATIVE_INFINITY
  return async (signal) => {
    if (now() - countedAt < COUNT_AGAIN_MS) return
    countedAt = now()
    const { vectors } = await searchIndex.stats()
    if ((await countVectors(db)) <= vectors * tolerated.share + tolerated.count) return
    logger.info({ deleted: await sweep(needs, signal) }, 'vectors of former texts and models are taken away')
  }
}

async function sweep({ db, model, now }: Needs, signal: AbortSignal): Promise<number> {
  let deleted = 0
  for (let position = 0; !signal.aborted; ) {
    const changes = await listChanges(db, position, BATCH, BATCH_BYTES)
    if (changes.length === 0) break
    const documents = changes.map((it) => it.id)
    const current = prepare(changes, now()).ready.flatMap((it) => it.document ?? [])
    const hashes = current.flatMap(chunksWithHash).map((it) => it.hash)
    deleted += await deleteOtherVectors(db, { model, documents, hashes })
    position = changes.at(-1)!.seq
    await nextTurn()
  }
  return deleted
}
