// Assigns vector slots to passages. A vector keeps its slot when segments are merged.

import { hasBit } from '../codec/bits.ts'
import type { SegmentImage } from '../codec/layout.ts'
import { joinContentHash } from '../segment/content-hash.ts'
import { findPassage } from '../segment/find-passage.ts'
import { type Deletion, type LiveSegment, NO_SLOT, type SlotAssignment } from '../segment/live-segment.ts'
import { DELETED, type RenumberedSegment } from '../segment/merge-segments.ts'
import { firstPassageOf, hashHighOf, hashLowOf, openSegment, passagesEndOf } from '../segment/segment.ts'
import { ContentHashTable } from './content-hash-table.ts'

/** `part` is the number of the passage within its group, counted from 0. */
export interface PassageVector {
  key: string
  part: number
  /** The hash of the text that the vector was computed from. */
  contentHash: string
  vector: Float32Array
}

/**
 * Passages that do not exist any more, or whose text has changed, are skipped. `replaced` holds the slots that the
 * passages had before.
 */
export function assignSlots(
  segments: readonly LiveSegment[],
  vectors: readonly PassageVector[],
  addRow: (vector: Float32Array, hashHigh: number, hashLow: number) => number,
): { assignments: SlotAssignment[]; replaced: number[] } {
  const placed = new Map<LiveSegment, Map<number, number>>()
  const replaced: number[] = []
  for (const { key, part, contentHash, vector } of vectors) {
    const found = findPassage(segments, key, part)
    if (found === undefined) continue
    const { live, passage } = found
    const [high, low] = [hashHighOf(live.segment, passage), hashLowOf(live.segment, passage)]
    if (!live.takesVector(passage) || joinContentHash(high, low) !== contentHash) continue
    const slots = placed.get(live) ?? new Map<number, number>()
    placed.set(live, slots)
    const before = slots.get(passage) ?? live.slotOf(passage)
    if (before !== NO_SLOT) replaced.push(before)
    slots.set(passage, addRow(vector, high, low))
  }
  return { assignments: [...placed].map(([live, slots]) => createSlotAssignment(live.segment.id, slots)), replaced }
}

/** Returns the passages that own these slots. */
export function assignmentsOfSlots(segments: readonly LiveSegment[], wanted: ReadonlySet<number>): SlotAssignment[] {
  const assignments: SlotAssignment[] = []
  for (const live of segments) {
    const found = new Map<number, number>()
    for (const [passage, slot] of live.slots?.entries() ?? []) if (wanted.has(slot)) found.set(passage, slot)
    if (found.size > 0) assignments.push(createSlotAssignment(live.segment.id, found))
  }
  return assignments
}

/**
 * Reuses the vectors of deleted passages for passages of the new segment with the same text, or the vectors of orphans.
 * `freed` holds the slots that are not reused.
 */
export function reuseVectors(
  gone: readonly { live: LiveSegment; deletion: Deletion }[],
  image: SegmentImage | undefined,
  takeOrphan: (hashHigh: number, hashLow: number) => number,
): { assignments: SlotAssignment[]; freed: number[] } {
  const rows = gone.flatMap(({ live, deletion }) => vectorRowsOfGroups(live, deletion.groups))
  const table = new ContentHashTable(rows.length)
  for (const { high, low, slot } of rows) table.add(high, low, slot)
  const assignments =
    image === undefined
      ? []
      : assignmentsByHash(image, (high, low) => {
          const slot = table.take(high, low)
          return slot === NO_SLOT ? takeOrphan(high, low) : slot
        })
  return { assignments, freed: table.remaining() }
}

/** Looks up the slots by content hash, for a segment in memory that has no slots yet. */
function assignmentsByHash({ id, meta, buffer, sections }: SegmentImage, rowOf: (high: number, low: number) => number) {
  const contentHashes = new Uint32Array(buffer, sections.marks!.at, meta.entries * 2)
  const slots = new Map<number, number>()
  for (let passage = 0; passage < meta.entries; passage++) {
    const [high, low] = [hashHighOf({ contentHashes }, passage), hashLowOf({ contentHashes }, passage)]
    const slot = high === 0 && low === 0 ? NO_SLOT : rowOf(high, low)
    if (slot !== NO_SLOT) slots.set(passage, slot)
  }
  return slots.size === 0 ? [] : [createSlotAssignment(id, slots)]
}

/** Returns the vector rows of all passages of these groups. */
export function vectorRowsOfGroups(live: LiveSegment, groups: Iterable<number>) {
  const { segment } = live
  const rows: { high: number; low: number; slot: number }[] = []
  if (live.slots === undefined) return rows
  for (const group of groups) {
    for (let passage = firstPassageOf(segment, group); passage < passagesEndOf(segment, group); passage++) {
      const slot = live.slotOf(passage)
      if (slot !== NO_SLOT) rows.push({ high: hashHighOf(segment, passage), low: hashLowOf(segment, passage), slot })
    }
  }
  return rows
}

/** Assigns to live passages the slots with their content hashes. */
export function claimSlots(segments: readonly LiveSegment[], table: ContentHashTable): SlotAssignment[] {
  const assignments: SlotAssignment[] = []
  for (const live of segments) {
    const { segment } = live
    const pairs = new SlotAssignmentBuilder(segment.meta.entries)
    for (let group = 0; group < segment.meta.groups && table.size > 0; group++) {
      if (hasBit(live.deleted, group)) continue
      for (let passage = firstPassageOf(segment, group); passage < passagesEndOf(segment, group); passage++) {
        if (!live.takesVector(passage)) continue
        const slot = table.take(hashHighOf(segment, passage), hashLowOf(segment, passage))
        if (slot !== NO_SLOT) pairs.add(passage, slot)
      }
    }
    if (pairs.length > 0) assignments.push(pairs.build(segment.id))
  }
  return assignments
}

/** A merge renumbers the passages. */
export function assignmentsAfterMerge(sources: readonly RenumberedSegment[], image: SegmentImage): SlotAssignment[] {
  if (sources.every((it) => it.live.vectors === 0)) return []
  const target = openSegment(image)
  const pairs = new SlotAssignmentBuilder(image.meta.entries)
  for (const { live, newGroups } of sources) {
    const { segment } = live
    if (live.slots === undefined) continue
    for (const [group, newGroup] of newGroups.entries()) {
      if (newGroup === DELETED) continue
      const shift = firstPassageOf(target, newGroup) - firstPassageOf(segment, group)
      for (let passage = firstPassageOf(segment, group); passage < passagesEndOf(segment, group); passage++) {
        const slot = live.slotOf(passage)
        if (slot !== NO_SLOT) pairs.add(passage + shift, slot)
      }
    }
  }
  target.close()
  return pairs.length === 0 ? [] : [pairs.build(image.id)]
}

/** Collects an assignment that may have millions of passages. */
class SlotAssignmentBuilder {
  readonly #passages: Uint32Array
  readonly #slots: Uint32Array
  length = 0

  constructor(capacity: number) {
    this.#passages = new Uint32Array(capacity)
    this.#slots = new Uint32Array(capacity)
  }

  add(passage: number, slot: number): void {
    this.#passages[this.length] = passage
    this.#slots[this.length++] = slot
  }

  build(segment: number): SlotAssignment {
    return {
      segment,
      passages: this.#passages.slice(0, this.length),
      slots: this.#slots.slice(0, this.length),
    }
  }
}

const createSlotAssignment = (segment: number, slots: ReadonlyMap<number, number>): SlotAssignment => ({
  segment,
  passages: Uint32Array.from(slots.keys()),
  slots: Uint32Array.from(slots.values()),
})
