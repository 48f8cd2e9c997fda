// Deletes the documents of closed cc-pairs in batches, in the background. The record holds the remaining work.
import type { Logger } from '../../domain/logger.ts'
import type { Database } from '../../store/database/database.ts'
import {
  deleteAbandonedCredentials,
  deletePair,
  findDeletingPair,
  unlinkDocuments,
} from '../../store/sources/pair-deletion.ts'
import type { Indexer } from '../index/indexer.ts'
import { createWakeSignal } from '../wake-signal.ts'

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
  const wakeSignal = createWakeSignal()

  /** Returns whether there may be more to do. */
  const deleteBatch = async (): Promise<boolean> => {
    const pair = await findDeletingPair(db)
    if (pair === undefined) {
      await deleteAbandonedCredentials(db)
      return false
    }
    const { count, seq } = await unlinkDocuments(db, pair, { limit: BATCH, now: now() })
    if (seq > 0) indexer.wake(seq)
    if (count === 0) await deletePair(db, pair)
    return true
  }

  return {
    wake: () => wakeSignal.wake(),
    async run(signal) {
      while (!signal.aborted) {
        try {
          if (await deleteBatch()) continue
          await wakeSignal.sleep(PAUSE_MS, signal)
        } catch (error) {
          logger.error({ err: error }, 'connector-credential pair deletion failed')
          await wakeSignal.sleep(PAUSE_AFTER_FAILURE_MS, signal)
        }
      }
    },
  }
}
