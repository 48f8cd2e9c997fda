// Measures the indexing queue: its size, and the age of its oldest entry by wait reason.
import type { Queryable } from '../../store/database/database.ts'
import {
  findOldestPendingChange,
  findOldestRetry,
  samplePendingChanges,
} from '../../store/documents/pending-changes.ts'
import type { Indexer } from './indexer.ts'

/** Bounds the cost of a measurement. */
const SAMPLE_SIZE = 1_000

export const WAIT_REASONS = ['in_turn', 'index_stalled', 'retry'] as const

export interface QueueStats {
  /** An upper bound, as in `IndexerProgress`. */
  rows: number
  /** Estimated from the oldest 1,000 changes when more wait. */
  bytes: number
  /** In seconds; 0 when nothing waits for that reason. */
  ages: Record<(typeof WAIT_REASONS)[number], number>
}

export async function measureQueue({
  db,
  indexer,
  now,
}: {
  db: Queryable
  indexer: Pick<Indexer, 'progress'>
  now: () => number
}): Promise<QueueStats> {
  const { indexed_seq, pending: rows, waiting_for } = indexer.progress()
  const ageOf = (since: number | null) => (since === null ? 0 : Math.max(0, now() - since) / 1_000)
  const oldestAge = ageOf(await findOldestPendingChange(db, indexed_seq))
  const retryAge = ageOf(await findOldestRetry(db, SAMPLE_SIZE))
  const sample = await samplePendingChanges(db, indexed_seq, SAMPLE_SIZE)
  const bytes = sample.rows < SAMPLE_SIZE ? sample.bytes : Math.round((sample.bytes / sample.rows) * rows)
  const isStalled = waiting_for !== null
  return {
    rows,
    bytes,
    ages: { in_turn: isStalled ? 0 : oldestAge, index_stalled: isStalled ? oldestAge : 0, retry: retryAge },
  }
}
