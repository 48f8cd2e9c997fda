// Looks up the words of a query in the segments and finds everything that contains one of them.
import { intersectInto, iterateBits } from '../codec/bits.ts'
import { findOrdinals } from '../codec/dictionary.ts'
import { encodeSorted } from '../codec/text-encoding.ts'
import type { LiveSegment } from '../segment/live-segment.ts'
import { firstPassageOf, timeOfGroup } from '../segment/segment.ts'
import { idf } from './bm25.ts'
import { groupsOfPassages } from './filter-mask.ts'
import { passagesWithAnyTerm } from './phrase-matches.ts'
import type { ScoredGroup, TopGroupsCollector } from './top-groups-collector.ts'

export interface ResolvedWord {
  weight: number
  /** Per segment, the ordinals of the spellings that occur in it; absent if there are none. */
  terms: ReadonlyMap<LiveSegment, readonly number[]>
}

/** Returns undefined if no live passage contains the word. */
export function resolveWord(
  segments: readonly LiveSegment[],
  spellings: readonly string[],
  passages: number,
): ResolvedWord | undefined {
  const wanted = encodeSorted(new Set(spellings))
  const found = new Float64Array(wanted.length)
  const terms = new Map<LiveSegment, number[]>()
  for (const live of segments) {
    const ordinals = findOrdinals(live.segment.terms, wanted)
    for (const [at, it] of ordinals.entries()) if (it >= 0) found[at]! += live.countPassagesWith(it)
    const known = ordinals.filter((it) => it >= 0)
    if (known.length > 0) terms.set(live, known)
  }
  const most = Math.max(0, ...found)
  return most === 0 ? undefined : { weight: idf(passages, most), terms }
}

/** Passages of one segment. */
export interface PassageSet {
  live: LiveSegment
  passages: Uint32Array
}

/** Groups of one segment. */
export interface GroupSet {
  live: LiveSegment
  groups: Uint32Array
}

/**
 * Returns the groups that contain one of the words in one of the passages, or all groups with a passage if there are no
 * words.
 */
export function findMatchingGroups(
  words: readonly ResolvedWord[] | 'all',
  { live, passages }: PassageSet,
): Uint32Array {
  if (words === 'all') return groupsOfPassages(live, passages)
  const terms = words.flatMap((it) => it.terms.get(live) ?? [])
  return groupsOfPassages(live, intersectInto(passagesWithAnyTerm(live.segment, terms), passages))
}

/** The time as a score. Groups without a time sort last. */
export const timeScore = (time: number | null): number =>
  time === null || Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time

/** Collects the newest groups. */
export function collectNewest(groupSets: readonly GroupSet[], collector: TopGroupsCollector): ScoredGroup[] {
  for (const { live, groups } of groupSets) {
    const { segment } = live
    collector.startSegment(segment)
    for (const group of iterateBits(groups)) {
      const score = timeScore(timeOfGroup(segment, group))
      if (score >= collector.threshold) collector.collect(firstPassageOf(segment, group), score)
    }
  }
  return collector.finish()
}
