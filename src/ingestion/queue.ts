// What waits for the follower: how much, for how long, and for what.
import type { Queries } from '../store/database.ts'
import { oldestRetry, oldestWaiting, sampleWaiting } from '../store/queue.ts'
import type { Indexer } from './indexer.ts'

/** Bounded, so that asking costs the same however much waits. */
const SAMPLE = 1_000

export const WAIT_REASONS = ['in_turn', 'index_stalled', 'retry'] as const

export interface QueueStanding {
  /** An upper bound, as in `Progress`. */
  rows: number
  /** From a sample of the oldest where more than 1,000 wait. */
  bytes: number
  /** In seconds; 0 where nothing waits for that reason. */
  ages: Record<(typeof WAIT_REASONS)[number], number>
}

export async function measureQueue({
  db,
  indexer,
  now,
}: {
  db: Queries
  indexer: Pick<Indexer, 'progress'>
  now: () => number
}): Promise<QueueStanding> {
  const { indexed_seq, pending: rows, waiting_for } = indexer.progress()
  const ageOf = (since: number | null) => (since === null ? 0 : Math.max(0, now() - since) / 1_000)
  const next = ageOf(await oldestWaiting(db, indexed_seq))
  const retry = ageOf(await oldestRetry(db, SAMPLE))
  const sample = await sampleWaiting(db, indexed_seq, SAMPLE)
  const bytes = sample.rows < SAMPLE ? sample.bytes : Math.round((sample.bytes / sample.rows) * rows)
  const isStalled = waiting_for !== null
  return { rows, bytes, ages: { in_turn: isStalled ? 0 : next, index_stalled: isStalled ? next : 0, retry } }
}
