import { encodeText } from '../codec/text-encoding.ts'
import type { LiveSegment } from './live-segment.ts'
import { findGroupsByKey, firstPassageOf, passagesEndOf } from './segment.ts'

/** Returns the passage with this number in the live group of the key. */
export function findPassage(segments: readonly LiveSegment[], key: string, part: number) {
  const found = findGroup(segments, key)
  if (found === undefined) return undefined
  const { segment } = found.live
  const passage = firstPassageOf(segment, found.group) + part
  return passage < passagesEndOf(segment, found.group) ? { live: found.live, passage } : undefined
}

/** Returns the live group of the key. */
export function findGroup(segments: readonly LiveSegment[], key: string) {
  const name = encodeText(key)
  for (const live of segments) {
    for (const group of findGroupsByKey(live.segment, name)) if (!live.isDeleted(group)) return { live, group }
  }
  return undefined
}
