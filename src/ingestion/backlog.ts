// How much waits to be indexed, known without a look into the record at every request.
import { AppError } from '../domain/errors.ts'
import type { Backlog as Waiting } from '../store/documents.ts'

export interface QueueLimits {
  documents: number
  /** Of text and links: what an accepted document takes in the record until it is indexed, and after. */
  bytes: number
}
export const QUEUE_LIMITS: Readonly<QueueLimits> = { documents: 1_000_000, bytes: 8 * 2 ** 30 }

/** A count of a full queue reads every row of it, so it is not made for each client that asks again. */
const RECOUNT_MS = 10_000

export interface Backlog {
  /** A version was accepted that waits from now on. */
  grew(bytes: number): void
  /** These changes do not wait any more. */
  shrank(changes: readonly { body_bytes: number }[]): void
  emptied(): void
  /** Throws QUEUE_FULL when there is no room for another document. */
  check(): void
}

interface Needs {
  /** What waits at this moment, counted. */
  count: () => Promise<Waiting>
  limits: QueueLimits
  now: () => number
}

/**
 * Counts along, which is too much where a document was replaced while it waited: before that closes the door for longer
 * than it must, it is counted anew.
 */
export async function openBacklog({ count, limits, now }: Needs): Promise<Backlog> {
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
      () => {}, // A record that cannot be read now is counted at the next turn.
    )
  }
  return {
    grew(added) {
      documents += 1
      bytes += added
    },
    shrank(changes) {
      documents = Math.max(0, documents - changes.length)
      bytes = Math.max(0, bytes - changes.reduce((sum, it) => sum + it.body_bytes, 0))
    },
    emptied() {
      documents = 0
      bytes = 0
    },
    check() {
      if (documents < limits.documents && bytes < limits.bytes) return
      recount()
      throw new AppError('QUEUE_FULL')
    },
  }
}
