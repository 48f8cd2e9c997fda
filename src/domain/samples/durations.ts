// Counts durations in buckets, so that counts of several periods and processes can be added and still have percentiles.

/** Counts by bucket. Bucket 0 has durations up to 1 ms; each further one ends at the eighth root of 2 times the end before. */
export type DurationCounts = Readonly<Record<string, number>>

const BUCKETS_PER_DOUBLING = 8
/** Ends at 131 s, above every timeout of a search. Longer durations count here. */
const LAST_BUCKET = 17 * BUCKETS_PER_DOUBLING

export function bucketOf(ms: number): number {
  if (!(ms > 1)) return 0
  return Math.min(LAST_BUCKET, Math.ceil(Math.log2(ms) * BUCKETS_PER_DOUBLING))
}

export function addDurations(a: DurationCounts, b: DurationCounts): DurationCounts {
  const sum: Record<string, number> = { ...a }
  for (const [bucket, count] of Object.entries(b)) sum[bucket] = (sum[bucket] ?? 0) + count
  return sum
}

export const countDurations = (counts: DurationCounts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/**
 * In milliseconds: the middle of the bucket that holds the percentile, so at most 4.5 % from the exact value. Null
 * without durations. `share` is .99 for the 99th percentile.
 */
export function percentileOf(counts: DurationCounts, share: number): number | null {
  const total = countDurations(counts)
  if (total === 0) return null
  const rank = Math.max(1, Math.ceil(total * share))
  let below = 0
  for (const bucket of Object.keys(counts)
    .map(Number)
    .sort((a, b) => a - b)) {
    below += counts[bucket] ?? 0
    if (below >= rank) return middleOf(bucket)
  }
  return middleOf(LAST_BUCKET)
}

const middleOf = (bucket: number): number =>
  bucket === 0 ? 1 : Math.round(2 ** ((bucket - 0.5) / BUCKETS_PER_DOUBLING) * 10) / 10
