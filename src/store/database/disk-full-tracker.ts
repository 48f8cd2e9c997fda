// Knows from refused and accepted writes whether the disk is full. Asking the disk would require a write.
import { AppError } from '../../domain/errors.ts'
import type { ItemResult } from './database.ts'

export interface DiskFullTracker {
  /** Returns the same results and notes whether there was room. */
  track(writing: Promise<ItemResult[]>): Promise<ItemResult[]>
  /** Throws STORE_FULL when the last write failed for that reason, unless that was long enough ago to try again. */
  check(): void
}

const RETRY_WRITE_AFTER_MS = 30_000

export function createDiskFullTracker(clock: () => number = () => performance.now()): DiskFullTracker {
  let fullAt: number | undefined
  const note = (error: unknown) => {
    if (error instanceof AppError && error.code === 'STORE_FULL') fullAt = clock()
  }
  return {
    async track(writing) {
      try {
        const results = await writing
        if (results.some((it) => it.ok)) fullAt = undefined
        for (const it of results) if (!it.ok) note(it.error)
        return results
      } catch (error) {
        note(error)
        throw error
      }
    },
    check() {
      if (fullAt !== undefined && clock() - fullAt < RETRY_WRITE_AFTER_MS) throw new AppError('STORE_FULL')
    },
  }
}
