// Which entries take a vector and have none?
import type { LiveSegment } from './live-segment.ts'
import { markOfWords } from './marks.ts'
import { groupOf, keyOf } from './segment.ts'
import { storedText } from './stored-text.ts'
import { NO_SLOT } from './vector-rows.ts'

export interface WantingEntry {
  key: string
  part: number
  mark: string
  stored: string
}

/** A place between entries. A merge puts entries that come after it into a segment that comes after it too. */
export interface Cursor {
  segment: number
  entry: number
}

/**
 * The next entries after the cursor, in the order of segments and entries, and where to go on, if there may be more. An
 * entry that a merge has moved meanwhile may come again; none is left out.
 */
export function wantingAfter(
  segments: readonly LiveSegment[],
  after: Cursor | undefined,
  limit: number,
): { entries: WantingEntry[]; next: Cursor | undefined } {
  const entries: WantingEntry[] = []
  const from = after ?? { segment: 0, entry: -1 }
  for (const live of segments.toSorted((a, b) => a.segment.id - b.segment.id)) {
    const { id, meta } = live.segment
    if (id < from.segment || live.wanting === 0) continue
    for (let entry = id === from.segment ? from.entry + 1 : 0; entry < meta.entries; entry++) {
      if (!isWanting(live, entry)) continue
      if (entries.length === limit) return { entries, next: cursorBefore(id, entry) }
      entries.push(wantingEntry(live, entry))
    }
  }
  return { entries, next: undefined }
}

const cursorBefore = (segment: number, entry: number): Cursor => ({ segment, entry: entry - 1 })

function isWanting(live: LiveSegment, entry: number): boolean {
  if (!live.takesVector(entry) || (live.slots?.[entry] ?? NO_SLOT) !== NO_SLOT) return false
  return !live.isDeleted(groupOf(live.segment, entry))
}

function wantingEntry({ segment }: LiveSegment, entry: number): WantingEntry {
  const group = groupOf(segment, entry)
  return {
    key: keyOf(segment, group),
    part: entry - segment.groupStarts[group]!,
    mark: markOfWords(segment.marks[entry * 2]!, segment.marks[entry * 2 + 1]!),
    stored: storedText(segment.stored, entry),
  }
}
