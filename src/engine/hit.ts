import { keyOf } from './segment.ts'
import { storedText } from './stored-text.ts'
import type { Found } from './top-groups.ts'

/** A group that was found, with its best entry. */
export interface EngineHit {
  key: string
  score: number
  /** Epoch milliseconds, or null. */
  time: number | null
  /** Of the group. */
  language: string
  stored: string
}

export const hitOf = ({ segment, group, entry, score }: Found): EngineHit => ({
  key: keyOf(segment, group),
  score,
  time: Number.isNaN(segment.times[group]!) ? null : segment.times[group]!,
  language: segment.meta.languages[segment.languages[group]!]!,
  stored: storedText(segment.stored, entry),
})
