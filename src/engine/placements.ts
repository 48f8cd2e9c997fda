// Which row holds the vector of which entry? Rows stay where they are when segments are merged.
import { hasBit } from './bits.ts'
import { bytesOfText } from './key-text.ts'
import type { SegmentImage } from './layout.ts'
import type { Deletion, LiveSegment, Placement } from './live-segment.ts'
import { MarkTable, markOfWords } from './marks.ts'
import { GONE } from './merge-segments.ts'
import { groupsOfKey, openSegment } from './segment.ts'
import { NO_SLOT } from './vector-rows.ts'

/** `part` counts the entries of the key from 0. */
export interface EntryVector {
  key: string
  part: number
  /** Of the text that the vector was made of. */
  mark: string
  vector: Float32Array
}

/** Entries that are gone, or have another text by now, are passed over. `replaced` are rows that entries had before. */
export function place(
  segments: readonly LiveSegment[],
  vectors: readonly EntryVector[],
  addRow: (vector: Float32Array, markHigh: number, markLow: number) => number,
): { placements: Placement[]; replaced: number[] } {
  const placed = new Map<LiveSegment, Map<number, number>>()
  const replaced: number[] = []
  for (const { key, part, mark, vector } of vectors) {
    const found = entryOf(segments, key, part)
    if (found === undefined) continue
    const { live, entry } = found
    const [high, low] = [live.segment.marks[entry * 2]!, live.segment.marks[entry * 2 + 1]!]
    if (!live.takesVector(entry) || markOfWords(high, low) !== mark) continue
    const slots = placed.get(live) ?? new Map<number, number>()
    placed.set(live, slots)
    const before = slots.get(entry) ?? live.slots?.[entry] ?? NO_SLOT
    if (before !== NO_SLOT) replaced.push(before)
    slots.set(entry, addRow(vector, high, low))
  }
  return { placements: [...placed].map(([live, slots]) => placementOf(live.segment.id, slots)), replaced }
}

export function entryOf(segments: readonly LiveSegment[], key: string, part: number) {
  const found = groupWith(segments, key)
  if (found === undefined) return undefined
  const { groupStarts } = found.live.segment
  const entry = groupStarts[found.group]! + part
  return entry < groupStarts[found.group + 1]! ? { live: found.live, entry } : undefined
}

/** The live group of the key. */
export function groupWith(segments: readonly LiveSegment[], key: string) {
  const name = bytesOfText(key)
  for (const live of segments) {
    for (const group of groupsOfKey(live.segment, name)) if (!live.isDeleted(group)) return { live, group }
  }
  return undefined
}

/** The entries that these rows belong to. */
export function placementsWith(segments: readonly LiveSegment[], wanted: ReadonlySet<number>): Placement[] {
  const placements: Placement[] = []
  for (const live of segments) {
    const found = new Map<number, number>()
    for (const [entry, slot] of live.slots?.entries() ?? []) if (wanted.has(slot)) found.set(entry, slot)
    if (found.size > 0) placements.push(placementOf(live.segment.id, found))
  }
  return placements
}

/**
 * Entries of a new segment that have the text of an entry that goes take over its row, or that of an orphan. `left` are
 * the rows that nobody takes.
 */
export function carryOver(
  gone: readonly { live: LiveSegment; deletion: Deletion }[],
  image: SegmentImage | undefined,
  orphanOf: (markHigh: number, markLow: number) => number,
): { placements: Placement[]; left: number[] } {
  const rows = gone.flatMap(({ live, deletion }) => rowsOf(live, deletion.groups))
  const table = new MarkTable(rows.length)
  for (const { high, low, slot } of rows) table.add(high, low, slot)
  const placements =
    image === undefined
      ? []
      : placementsBy(image, (high, low) => {
          const slot = table.take(high, low)
          return slot === NO_SLOT ? orphanOf(high, low) : slot
        })
  return { placements, left: table.rest() }
}

/** The rows that marks have, for a segment in memory that has none yet. */
function placementsBy({ id, meta, buffer, sections }: SegmentImage, rowOf: (high: number, low: number) => number) {
  const marks = new Uint32Array(buffer, sections.marks!.at, meta.entries * 2)
  const slots = new Map<number, number>()
  for (let entry = 0; entry < meta.entries; entry++) {
    const [high, low] = [marks[entry * 2]!, marks[entry * 2 + 1]!]
    const slot = high === 0 && low === 0 ? NO_SLOT : rowOf(high, low)
    if (slot !== NO_SLOT) slots.set(entry, slot)
  }
  return slots.size === 0 ? [] : [placementOf(id, slots)]
}

/** The rows of all entries of these groups. */
export function rowsOf({ slots, segment }: LiveSegment, groups: Iterable<number>) {
  const rows: { high: number; low: number; slot: number }[] = []
  if (slots === undefined) return rows
  for (const group of groups) {
    for (let entry = segment.groupStarts[group]!; entry < segment.groupStarts[group + 1]!; entry++) {
      const slot = slots[entry]!
      if (slot !== NO_SLOT) rows.push({ high: segment.marks[entry * 2]!, low: segment.marks[entry * 2 + 1]!, slot })
    }
  }
  return rows
}

/** Gives live entries the rows that have their marks. */
export function claimRows(segments: readonly LiveSegment[], table: MarkTable): Placement[] {
  const placements: Placement[] = []
  for (const live of segments) {
    const { meta, marks, groupStarts } = live.segment
    const pairs = new Pairs(meta.entries)
    for (let group = 0; group < meta.groups && table.size > 0; group++) {
      if (hasBit(live.deleted, group)) continue
      for (let entry = groupStarts[group]!; entry < groupStarts[group + 1]!; entry++) {
        if (!live.takesVector(entry)) continue
        const slot = table.take(marks[entry * 2]!, marks[entry * 2 + 1]!)
        if (slot !== NO_SLOT) pairs.add(entry, slot)
      }
    }
    if (pairs.length > 0) placements.push(pairs.placement(live.segment.id))
  }
  return placements
}

/** After a merge the entries have new numbers. */
export function placementsAfter(
  sources: readonly LiveSegment[],
  newGroups: readonly Uint32Array[],
  image: SegmentImage,
): Placement[] {
  if (sources.every((it) => it.vectors === 0)) return []
  const target = openSegment(image)
  const pairs = new Pairs(image.meta.entries)
  for (const [at, { slots, segment }] of sources.entries()) {
    if (slots === undefined) continue
    for (const [group, newGroup] of newGroups[at]!.entries()) {
      if (newGroup === GONE) continue
      const shift = target.groupStarts[newGroup]! - segment.groupStarts[group]!
      for (let entry = segment.groupStarts[group]!; entry < segment.groupStarts[group + 1]!; entry++) {
        if (slots[entry] !== NO_SLOT) pairs.add(entry + shift, slots[entry]!)
      }
    }
  }
  target.close()
  return pairs.length === 0 ? [] : [pairs.placement(image.id)]
}

/** A placement that may have millions of entries. */
class Pairs {
  readonly #entries: Uint32Array
  readonly #slots: Uint32Array
  length = 0

  constructor(capacity: number) {
    this.#entries = new Uint32Array(capacity)
    this.#slots = new Uint32Array(capacity)
  }

  add(entry: number, slot: number): void {
    this.#entries[this.length] = entry
    this.#slots[this.length++] = slot
  }

  placement(segment: number): Placement {
    return {
      segment,
      entries: this.#entries.slice(0, this.length),
      slots: this.#slots.slice(0, this.length),
    }
  }
}

const placementOf = (segment: number, slots: ReadonlyMap<number, number>): Placement => ({
  segment,
  entries: Uint32Array.from(slots.keys()),
  slots: Uint32Array.from(slots.values()),
})
