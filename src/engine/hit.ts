import type { LiveSegment } from './live-segment.ts'
import { entryOf } from './placements.ts'
import { keyOf } from './segment.ts'
import { storedText } from './stored-text.ts'
import type { Found } from './top-groups.ts'

/** A group that was found, with its best entry. */
export interface EngineHit {
  key: string
  /** Which of the key's entries, counted from 0. */
  part: number
  score: number
  /** Epoch milliseconds, or null. */
  time: number | null
  /** Of the group. */
  language: string
  /** Null where it was not to be read. */
  stored: string | null
}

export const hitOf = ({ segment, group, entry, score }: Found, isRead: boolean): EngineHit => ({
  key: keyOf(segment, group),
  part: entry - segment.groupStarts[group]!,
  score,
  time: Number.isNaN(segment.times[group]!) ? null : segment.times[group]!,
  language: segment.meta.languages[segment.languages[group]!]!,
  stored: isRead ? storedText(segment.stored, entry) : null,
})

/** What is stored of an entry; null when it is gone. */
export function storedAt(segments: readonly LiveSegment[], key: string, part: number): string | null {
  const found = entryOf(segments, key, part)
  return found === undefined ? null : storedText(found.live.segment.stored, found.entry)
}
