// The merge policy decides which segments are merged next.
import type { LiveSegment } from '../segment/live-segment.ts'

export interface MergeCandidate {
  id: number
  livePassages: number
  passages: number
}

export interface MergePolicy {
  /** The number of segments of one size class that are merged together. */
  fanIn: number
  /** Smaller segments are treated as if they had this many passages. */
  floor: number
  /** No merge produces a segment larger than this. */
  maxPassages: number
}

/**
 * A segment is rewritten alone if a smaller share of it is live. 0.7 keeps the share of deleted postings that are read
 * below a third.
 */
const MIN_LIVE = 0.7

/** Returns the segments to merge next, or none. Each passage is rewritten about once per size class. */
export function chooseMerge(segments: readonly MergeCandidate[], policy: MergePolicy): number[] {
  const { fanIn, floor, maxPassages } = policy
  const classes = new Map<number, MergeCandidate[]>()
  for (const it of segments) {
    if (it.livePassages === 0 || it.livePassages > maxPassages / 2) continue
    const size = Math.floor(Math.log(Math.max(it.livePassages, floor) / floor) / Math.log(fanIn) + 1e-9)
    classes.set(size, [...(classes.get(size) ?? []), it])
  }
  for (const members of [...classes].sort(([a], [b]) => a - b).map(([, it]) => it)) {
    const chosen = smallestUpTo(members, maxPassages).slice(0, fanIn * 2)
    if (chosen.length >= fanIn) return chosen.map((it) => it.id)
  }
  const wasteful = segments.find(
    (it) => it.livePassages === 0 || (it.livePassages < it.passages * MIN_LIVE && it.passages > floor),
  )
  return wasteful === undefined ? [] : [wasteful.id]
}

function smallestUpTo(members: readonly MergeCandidate[], maxPassages: number): MergeCandidate[] {
  let sum = 0
  return [...members]
    .sort((a, b) => a.livePassages - b.livePassages)
    .filter((it) => {
      sum += it.livePassages
      return sum <= maxPassages
    })
}

export const createMergeCandidate = ({ segment, livePassages }: LiveSegment): MergeCandidate => ({
  id: segment.id,
  livePassages,
  passages: segment.meta.entries,
})
