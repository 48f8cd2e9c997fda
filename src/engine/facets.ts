// How many groups carry each label, or lie in each span of time?
import { setBits } from './bits.ts'
import { DictionaryCursor } from './dictionary.ts'
import { labelSetsOf } from './mask.ts'
import type { Matched } from './matches.ts'

export interface Span {
  from: number
  until: number
}

export interface LabelCount {
  label: string
  count: number
}

/** The `size` labels with the highest counts; of equals, those that come first as text. */
export function countLabels(counted: readonly Matched[], dimension: string, size: number): LabelCount[] {
  const counts = new Map<string, number>()
  for (const { live, groups } of counted) {
    const { labels, starts, members, sets, setCount } = labelSetsOf(live, dimension)
    const perSet = new Uint32Array(setCount)
    for (const group of setBits(groups)) perSet[sets[group]!]!++
    const cursor = new DictionaryCursor(labels)
    while (cursor.next()) {
      let count = 0
      for (let at = starts[cursor.ordinal]!; at < starts[cursor.ordinal + 1]!; at++) count += perSet[members[at]!]!
      if (count === 0) continue
      const label = cursor.text()
      counts.set(label, (counts.get(label) ?? 0) + count)
    }
  }
  return most(counts, size)
}

/** In the order of the spans, which may overlap. A group without a time is in none. */
export function countSpans(counted: readonly Matched[], spans: readonly Span[]): number[] {
  const counts = spans.map(() => 0)
  for (const { live, groups } of counted) {
    const { times } = live.segment
    for (const group of setBits(groups)) {
      const time = times[group]!
      for (const [at, { from, until }] of spans.entries()) if (time >= from && time <= until) counts[at]!++
    }
  }
  return counts
}

/** Kept in order while they come: there may be a label for every group, and few are wanted. */
function most(counts: ReadonlyMap<string, number>, size: number): LabelCount[] {
  const best: LabelCount[] = []
  for (const [label, count] of counts) {
    let at = best.length
    while (at > 0 && isBefore({ label, count }, best[at - 1]!)) at--
    if (at === size) continue
    best.splice(at, 0, { label, count })
    if (best.length > size) best.pop()
  }
  return best
}

const isBefore = (one: LabelCount, other: LabelCount): boolean =>
  one.count > other.count || (one.count === other.count && one.label < other.label)
