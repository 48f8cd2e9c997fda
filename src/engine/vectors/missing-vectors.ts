// Lists the passages that should have a vector but do not.

import { readStoredText } from '../codec/stored-text.ts'
import { joinContentHash } from '../segment/content-hash.ts'
import { type LiveSegment, NO_SLOT } from '../segment/live-segment.ts'
import { findGroupOfPassage, firstPassageOf, groupKey, hashHighOf, hashLowOf } from '../segment/segment.ts'

export interface PassageWithoutVector {
  key: string
  part: number
  contentHash: string
  stored: string
}

/** A position between passages. A merge moves passages that come after it to a segment that also comes after it. */
export interface PassageCursor {
  segment: number
  passage: number
}

/**
 * Returns the next passages after the cursor, in the order of segments and passages, and the cursor of the next page if
 * there may be one. A passage that a merge has moved may be returned twice; none is left out.
 */
export function listMissingVectors(
  segments: readonly LiveSegment[],
  after: PassageCursor | undefined,
  limit: number,
): { passages: PassageWithoutVector[]; next: PassageCursor | undefined } {
  const passages: PassageWithoutVector[] = []
  const from = after ?? { segment: 0, passage: -1 }
  for (const live of segments.toSorted((a, b) => a.segment.id - b.segment.id)) {
    const { id, meta } = live.segment
    if (id < from.segment || live.missingVectors === 0) continue
    for (let passage = id === from.segment ? from.passage + 1 : 0; passage < meta.entries; passage++) {
      if (!lacksVector(live, passage)) continue
      if (passages.length === limit) return { passages, next: cursorBeforePassage(id, passage) }
      passages.push(describePassage(live, passage))
    }
  }
  return { passages, next: undefined }
}

const cursorBeforePassage = (segment: number, passage: number): PassageCursor => ({ segment, passage: passage - 1 })

function lacksVector(live: LiveSegment, passage: number): boolean {
  if (!live.takesVector(passage) || live.slotOf(passage) !== NO_SLOT) return false
  return !live.isDeleted(findGroupOfPassage(live.segment, passage))
}

function describePassage({ segment }: LiveSegment, passage: number): PassageWithoutVector {
  const group = findGroupOfPassage(segment, passage)
  return {
    key: groupKey(segment, group),
    part: passage - firstPassageOf(segment, group),
    contentHash: joinContentHash(hashHighOf(segment, passage), hashLowOf(segment, passage)),
    stored: readStoredText(segment.stored, passage),
  }
}
