// Deletes the documents of closed cc-pairs in batches, in the background. The record holds the remaining work.
import type { Logger } from '../../domain/logger.ts'
import { createLoop, logErrors } from '../../flow/background-loop.ts'
import type { Database } from '../../store/database/database.ts'
import {
  deleteAbandonedCredentials,
  deletePair,
  findDeletingPair,
  unlinkDocuments,
} from '../../store/sources/pair-deletion.ts'
import type { Indexer } from '../index/indexer.ts'

const BATCH = 200
const PAUSE_MS = 30_000
const PAUSE_AFTER_FAILURE_MS = 1_000

export interface PairDeletion {
  /** Announces a pair to delete. */
  wake(): void
  /** Runs until the signal. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

interface PairDeletionDeps {
  db: Database
  indexer: Pick<Indexer, 'wake'>
  logger: Logger
  now: () => number
}

export function createPairDeletion({ db, indexer, logger, now }: PairDeletionDeps): PairDeletion {
  const deleteBatch = async () => {
    const pair = await findDeletingPair(db)
    if (pair === undefined) {
      await deleteAbandonedCredentials(db)
      return PAUSE_MS
    }
    const { count, seq } = await unlinkDocuments(db, pair, { limit: BATCH, now: now() })
    if (seq > 0) indexer.wake(seq)
    if (count === 0) await deletePair(db, pair)
    return 0
  }

  return createLoop(deleteBatch, {
    retryMs: PAUSE_AFTER_FAILURE_MS,
    onError: logErrors(logger, 'connector-credential pair deletion failed'),
  })
}
