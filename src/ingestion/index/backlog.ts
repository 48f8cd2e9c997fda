// Tracks how much waits to be indexed without querying the record for every request.
import { AppError } from '../../domain/errors.ts'
import type { IndexBacklog as Waiting } from '../../store/documents/documents.ts'

export interface QueueLimits {
  documents: number
  /** Bytes of text and links, as stored in the record. */
  bytes: number
}
export const QUEUE_LIMITS: Readonly<QueueLimits> = { documents: 1_000_000, bytes: 8 * 2 ** 30 }

/** Counting a full queue reads all of its rows, so clients that retry do not trigger a count each time. */
const RECOUNT_MS = 10_000

export interface Backlog {
  /** Adds an accepted version. */
  add(bytes: number): void
  /** Removes changes that no longer wait. */
  remove(changes: readonly { body_bytes: number }[]): void
  clear(): void
  /** Throws QUEUE_FULL when the limits are reached. */
  checkRoom(): void
}

interface BacklogDeps {
  /** Counts what waits in the record. */
  count: () => Promise<Waiting>
  limits: QueueLimits
  now: () => number
}

/**
 * Keeps a running count. It is too high when a document was replaced while it waited, so a full queue is counted again
 * from the record.
 */
export async function openBacklog({ count, limits, now }: BacklogDeps): Promise<Backlog> {
  let { documents, bytes } = await count()
  let countedAt = now()
  const recount = () => {
    if (now() - countedAt < RECOUNT_MS) return
    countedAt = now()
    count().then(
      (counted) => {
        documents = counted.documents
        bytes = counted.bytes
      },
      () => {}, // If the record cannot be read now, a later check counts again.
    )
  }
  return {
    add(added) {
      documents += 1
      bytes += added
    },
    remove(changes) {
      documents = Math.max(0, documents - changes.length)
      bytes = Math.max(0, bytes - changes.reduce((sum, it) => sum + it.body_bytes, 0))
    },
    clear() {
      documents = 0
      bytes = 0
    },
    checkRoom() {
      if (documents < limits.documents && bytes < limits.bytes) return
      recount()
      throw new AppError('QUEUE_FULL')
    },
  }
}
