import type { Language } from '../../text/language.ts'
import { readStoredText } from '../codec/stored-text.ts'
import { findPassage } from '../segment/find-passage.ts'
import type { LiveSegment } from '../segment/live-segment.ts'
import { firstPassageOf, groupKey, languageOfGroup, timeOfGroup } from '../segment/segment.ts'
import type { ScoredGroup } from './top-groups-collector.ts'

/** A group that was found, represented by its best passage. */
export interface EngineHit {
  key: string
  /** The number of the passage within its group, counted from 0. */
  part: number
  score: number
  /** Epoch milliseconds, or null. */
  time: number | null
  /** The language of the group. */
  language: Language
  /** Null if the text was not requested. */
  stored: string | null
}

export function createEngineHit({ segment, group, passage, score }: ScoredGroup, withText: boolean): EngineHit {
  const time = timeOfGroup(segment, group)
  return {
    key: groupKey(segment, group),
    part: passage - firstPassageOf(segment, group),
    score,
    time: Number.isNaN(time) ? null : time,
    language: languageOfGroup(segment, group),
    stored: withText ? readStoredText(segment.stored, passage) : null,
  }
}

/** Returns the stored text of a passage, or null if the passage does not exist any more. */
export function readStoredPassage(segments: readonly LiveSegment[], key: string, part: number): string | null {
  const found = findPassage(segments, key, part)
  return found === undefined ? null : readStoredText(found.live.segment.stored, found.passage)
}
