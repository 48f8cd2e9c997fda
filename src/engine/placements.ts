// Which row holds the vector of which entry? Rows stay where they are when segments are merged.
import { bytesOfText } from './key-text.ts'
import type { SegmentImage } from './layout.ts'
import type { LiveSegment, Placement } from './live-segment.ts'
import { GONE } from './merge-segments.ts'
import { groupsOfKey, openSegment } from './segment.ts'
import { NO_SLOT } from './vector-rows.ts'

/** `part` counts the entries of the key from 0. */
export interface EntryVector {
  key: string
  part: number
  vector: Float32Array
}

/** `replaced` are the rows that these entries had before. */
export function place(
  segments: readonly LiveSegment[],
  vectors: readonly EntryVector[],
  addRow: (vector: Float32Array) => number,
): { placements: Placement[]; replaced: number[] } {
  const placed = new Map<LiveSegment, Map<number, number>>()
  const replaced: number[] = []
  for (const { key, part, vector } of vectors) {
    const found = entryOf(segments, key, part)
    if (found === undefined) continue
    const { live, entry } = found
    const slots = placed.get(live) ?? new Map<number, number>()
    placed.set(live, slots)
    const before = slots.get(entry) ?? live.slots?.[entry] ?? NO_SLOT
    if (before !== NO_SLOT) replaced.push(before)
    slots.set(entry, addRow(vector))
  }
  return { placements: [...placed].map(([live, slots]) => placementOf(live.segment.id, slots)), replaced }
}

function entryOf(segments: readonly LiveSegment[], key: string, part: number) {
  const name = bytesOfText(key)
  for (const live of segments) {
    const { segment } = live
    for (const group of groupsOfKey(segment, name)) {
      const entry = segment.groupStarts[group]! + part
      if (!live.isDeleted(group) && entry < segment.groupStarts[group + 1]!) return { live, entry }
    }
  }
  return undefined
}

/** The rows of all entries of these groups. */
export function slotsOf({ slots, segment }: LiveSegment, groups: Iterable<number>): number[] {
  const found: number[] = []
  if (slots === undefined) return found
  for (const group of groups) {
    for (let entry = segment.groupStarts[group]!; entry < segment.groupStarts[group + 1]!; entry++) {
      if (slots[entry] !== NO_SLOT) found.push(slots[entry]!)
    }
  }
  return found
}

/** After a merge the entries have new numbers. */
export function placementsAfter(
  sources: readonly LiveSegment[],
  newGroups: readonly Uint32Array[],
  image: SegmentImage,
): Placement[] {
  if (sources.every((it) => it.slots === undefined)) return []
  const target = openSegment(image)
  const slots = new Map<number, number>()
  for (const [at, live] of sources.entries()) {
    if (live.slots === undefined) continue
    const { groupStarts } = live.segment
    for (const [group, newGroup] of newGroups[at]!.entries()) {
      if (newGroup === GONE) continue
      const shift = target.groupStarts[newGroup]! - groupStarts[group]!
      for (let entry = groupStarts[group]!; entry < groupStarts[group + 1]!; entry++) {
        if (live.slots[entry] !== NO_SLOT) slots.set(entry + shift, live.slots[entry]!)
      }
    }
  }
  target.close()
  return slots.size === 0 ? [] : [placementOf(image.id, slots)]
}

const placementOf = (segment: number, slots: ReadonlyMap<number, number>): Placement => ({
  segment,
  entries: Uint32Array.from(slots.keys()),
  slots: Uint32Array.from(slots.values()),
})
