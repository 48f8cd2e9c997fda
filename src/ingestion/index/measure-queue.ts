// Measures the indexing queue: its size, and the age of its oldest entry by wait reason.
import { type OldestWaiting, WAIT_REASONS, type WaitReason } from '../../domain/samples/sample.ts'
import type { Queryable } from '../../store/database/database.ts'
import {
  findOldestPendingChange,
  findOldestRetry,
  samplePendingChanges,
} from '../../store/documents/pending-changes.ts'
import type { Indexer } from './indexer.ts'

/** Bounds the cost of a measurement. */
const SAMPLE_SIZE = 1_000
const MAX_DETAIL = 300

export interface QueueStats {
  /** An upper bound, as in `IndexerProgress`. */
  rows: number
  /** Estimated from the oldest 1,000 changes when more wait. */
  bytes: number
  /** In seconds; 0 when nothing waits for that reason. */
  ages: Record<WaitReason, number>
  /** Null when nothing waits. */
  oldest: OldestWaiting | null
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
  const retry = await findOldestRetry(db, SAMPLE_SIZE)
  const sample = await samplePendingChanges(db, indexed_seq, SAMPLE_SIZE)
  const bytes = sample.rows < SAMPLE_SIZE ? sample.bytes : Math.round((sample.bytes / sample.rows) * rows)
  const isStalled = waiting_for !== null
  const ages = {
    in_turn: isStalled ? 0 : oldestAge,
    index_stalled: isStalled ? oldestAge : 0,
    retry: ageOf(retry?.accepted_at ?? null),
  }
  const details = { in_turn: null, index_stalled: waiting_for, retry: retry?.error ?? null }
  return { rows, bytes, ages, oldest: oldestOf(ages, details) }
}

function oldestOf(
  ages: QueueStats['ages'],
  details: Readonly<Record<WaitReason, string | null>>,
): OldestWaiting | null {
  const [reason] = WAIT_REASONS.toSorted((a, b) => ages[b] - ages[a])
  if (reason === undefined || ages[reason] === 0) return null
  return { age_s: Math.round(ages[reason]), reason, detail: details[reason]?.slice(0, MAX_DETAIL) ?? null }
}
