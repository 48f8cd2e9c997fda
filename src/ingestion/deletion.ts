// Takes the documents of closed cc-pairs away, a batch at a time, beside everything else; the record says what is left.
import type { Logger } from '../domain/logger.ts'
import type { Database } from '../store/database.ts'
import { dropCredentials, dropPair, findClosedPair, unlinkDocuments } from '../store/pair-deletion.ts'
import type { Indexer } from './indexer.ts'
import { createWaiters } from './waiters.ts'

const BATCH = 200
const PAUSE_MS = 30_000
const PAUSE_AFTER_FAILURE_MS = 1_000

export interface Deletions {
  /** Says that there is a pair to delete. */
  wake(): void
  /** Works until the signal. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

interface Needs {
  db: Database
  indexer: Pick<Indexer, 'wake'>
  logger: Logger
  now: () => number
}

export function createDeletions({ db, indexer, logger, now }: Needs): Deletions {
  const waiters = createWaiters()

  /** Answers whether there may be more to do. */
  const step = async (): Promise<boolean> => {
    const pair = await findClosedPair(db)
    if (pair === undefined) {
      await dropCredentials(db)
      return false
    }
    const { count, seq } = await unlinkDocuments(db, pair, { limit: BATCH, now: now() })
    if (seq > 0) indexer.wake(seq)
    if (count === 0) await dropPair(db, pair)
    return true
  }

  return {
    wake: () => waiters.wake(),
    async run(signal) {
      while (!signal.aborted) {
        try {
          if (await step()) continue
          await waiters.sleep(PAUSE_MS, signal)
        } catch (error) {
          logger.error({ err: error }, 'a connector-credential pair could not be deleted yet')
          await waiters.sleep(PAUSE_AFTER_FAILURE_MS, signal)
        }
      }
    },
  }
}
