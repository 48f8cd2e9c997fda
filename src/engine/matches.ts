// The words of a query as the segments know them, and everything that holds one of them.
import { intersect, setBits } from './bits.ts'
import { idf } from './bm25.ts'
import { findTerms } from './dictionary.ts'
import { entriesWithAny } from './holders.ts'
import { bytesInOrder } from './key-text.ts'
import type { LiveSegment } from './live-segment.ts'
import { groupsOf } from './mask.ts'
import type { Found, TopGroups } from './top-groups.ts'

export interface Word {
  weight: number
  /** Per segment, the ordinals of the spellings that occur in it. */
  terms: number[][]
}

/** None when no live entry holds it. */
export function wordIn(
  segments: readonly LiveSegment[],
  spellings: readonly string[],
  entries: number,
): Word | undefined {
  const wanted = bytesInOrder(new Set(spellings))
  const found = new Float64Array(wanted.length)
  const terms = segments.map((live) => {
    const ordinals = findTerms(live.segment.terms, wanted)
    for (const [at, it] of ordinals.entries()) if (it >= 0) found[at]! += live.entriesWith(it)
    return ordinals.filter((it) => it >= 0)
  })
  const most = Math.max(0, ...found)
  return most === 0 ? undefined : { weight: idf(entries, most), terms }
}

/** Entries of one segment. */
export interface Among {
  live: LiveSegment
  entries: Uint32Array
}

/** Groups of one segment. */
export interface Matched {
  live: LiveSegment
  groups: Uint32Array
}

/** The groups that hold one of the words in one of the entries; without words, all that have one. */
export const matchedGroups = (words: readonly Word[] | 'all', among: readonly Among[]): Matched[] =>
  among.map(({ live, entries }, at) => {
    if (words === 'all') return { live, groups: groupsOf(live, entries) }
    const holders = entriesWithAny(
      live.segment,
      words.flatMap((it) => it.terms[at]!),
    )
    return { live, groups: groupsOf(live, intersect(holders, entries)) }
  })

/** As a score: groups without a time come last. */
export const scoreOfTime = (time: number | null): number =>
  time === null || Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time

/** The newest first. */
export function newest(matched: readonly Matched[], top: TopGroups): Found[] {
  for (const { live, groups } of matched) {
    const { segment } = live
    top.startSegment(segment)
    for (const group of setBits(groups)) {
      const score = scoreOfTime(segment.times[group]!)
      if (score >= top.threshold) top.offer(segment.groupStarts[group]!, score)
    }
  }
  return top.finish()
}
