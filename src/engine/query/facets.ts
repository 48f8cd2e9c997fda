// Counts the groups per label or per time range.
import { iterateBits } from '../codec/bits.ts'
import { DictionaryCursor } from '../codec/dictionary.ts'
import { timeOfGroup } from '../segment/segment.ts'
import { labelSetsOfDimension } from './filter-mask.ts'
import type { GroupSet } from './word-matches.ts'

export interface TimeRange {
  from: number
  until: number
}

export interface LabelCount {
  label: string
  count: number
}

/** Returns the `size` labels with the highest counts. Equal counts are sorted by label. */
export function countLabels(groupSets: readonly GroupSet[], dimension: string, size: number): LabelCount[] {
  const counts = new Map<string, number>()
  for (const { live, groups } of groupSets) {
    const { labels, starts, members, sets, setCount } = labelSetsOfDimension(live, dimension)
    const perSet = new Uint32Array(setCount)
    for (const group of iterateBits(groups)) perSet[sets[group]!]!++
    const cursor = new DictionaryCursor(labels)
    while (cursor.next()) {
      let count = 0
      for (let at = starts[cursor.ordinal]!; at < starts[cursor.ordinal + 1]!; at++) count += perSet[members[at]!]!
      if (count === 0) continue
      const label = cursor.text()
      counts.set(label, (counts.get(label) ?? 0) + count)
    }
  }
  return topLabels(counts, size)
}

/**
 * Returns one count per range, in the order of the ranges, which may overlap. A group without a time is in none of
 * them.
 */
export function countTimeRanges(groupSets: readonly GroupSet[], spans: readonly TimeRange[]): number[] {
  const ranges = spans.map(({ from, until }) => ({ from, until, count: 0 }))
  for (const { live, groups } of groupSets) {
    for (const group of iterateBits(groups)) {
      const time = timeOfGroup(live.segment, group)
      for (const it of ranges) if (time >= it.from && time <= it.until) it.count++
    }
  }
  return ranges.map((it) => it.count)
}

/** Keeps a short sorted list, because there may be a label for every group and only a few are needed. */
function topLabels(counts: ReadonlyMap<string, number>, size: number): LabelCount[] {
  const best: LabelCount[] = []
  for (const [label, count] of counts) {
    const at = 1 + best.findLastIndex((it) => !ranksBefore({ label, count }, it))
    if (at === size) continue
    best.splice(at, 0, { label, count })
    if (best.length > size) best.pop()
  }
  return best
}

const ranksBefore = (one: LabelCount, other: LabelCount): boolean =>
  one.count > other.count || (one.count === other.count && one.label < other.label)
