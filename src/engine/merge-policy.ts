// Which segments should become one?

export interface Weighed {
  id: number
  liveEntries: number
  entries: number
}

export interface MergePolicy {
  /** Segments of one size class that are merged together. */
  fanIn: number
  /** Smaller segments count as this large. */
  floor: number
  /** Larger than this no merge makes a segment. */
  maxEntries: number
}

/** Rewritten alone when less than this part of it is live: 0.7 keeps what is read in vain below a third. */
const MIN_LIVE = 0.7

/** The segments to merge next, or none. Each entry is so rewritten once per size class. */
export function chooseMerge(segments: readonly Weighed[], policy: MergePolicy): number[] {
  const { fanIn, floor, maxEntries } = policy
  const classes = new Map<number, Weighed[]>()
  for (const it of segments) {
    if (it.liveEntries === 0 || it.liveEntries > maxEntries / 2) continue
    const size = Math.floor(Math.log(Math.max(it.liveEntries, floor) / floor) / Math.log(fanIn) + 1e-9)
    classes.set(size, [...(classes.get(size) ?? []), it])
  }
  for (const members of [...classes].sort(([a], [b]) => a - b).map(([, it]) => it)) {
    const chosen = upTo(members, maxEntries).slice(0, fanIn * 2)
    if (chosen.length >= fanIn) return chosen.map((it) => it.id)
  }
  const wasteful = segments.find(
    (it) => it.liveEntries === 0 || (it.liveEntries < it.entries * MIN_LIVE && it.entries > floor),
  )
  return wasteful === undefined ? [] : [wasteful.id]
}

function upTo(members: readonly Weighed[], maxEntries: number): Weighed[] {
  let sum = 0
  return [...members]
    .sort((a, b) => a.liveEntries - b.liveEntries)
    .filter((it) => {
      sum += it.liveEntries
      return sum <= maxEntries
    })
}
