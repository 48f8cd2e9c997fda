// Looks up the words of a query in the segments and finds everything that contains one of them.
import { intersectInto, iterateBits } from '../codec/bits.ts'
import { findOrdinals } from '../codec/dictionary.ts'
import { encodeSorted } from '../codec/text-encoding.ts'
import type { LiveSegment } from '../segment/live-segment.ts'
import { idf } from './bm25.ts'
import { groupsOfPassages } from './filter-mask.ts'
import { passagesWithAnyTerm } from './phrase-matches.ts'
import type { ScoredGroup, TopGroupsCollector } from './top-groups-collector.ts'

export interface ResolvedWord {
  weight: number
  /** Per segment, the ordinals of the spellings that occur in it. */
  terms: number[][]
}

/** Returns undefined if no live passage contains the word. */
export function resolveWord(
  segments: readonly LiveSegment[],
  spellings: readonly string[],
  passages: number,
): ResolvedWord | undefined {
  const wanted = encodeSorted(new Set(spellings))
  const found = new Float64Array(wanted.length)
  const terms = segments.map((live) => {
    const ordinals = findOrdinals(live.segment.terms, wanted)
    for (const [at, it] of ordinals.entries()) if (it >= 0) found[at]! += live.countPassagesWith(it)
    return ordinals.filter((it) => it >= 0)
  })
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
export const findMatchingGroups = (
  words: readonly ResolvedWord[] | 'all',
  passageSets: readonly PassageSet[],
): GroupSet[] =>
  passageSets.map(({ live, passages }, at) => {
    if (words === 'all') return { live, groups: groupsOfPassages(live, passages) }
    const matching = passagesWithAnyTerm(
      live.segment,
      words.flatMap((it) => it.terms[at]!),
    )
    return { live, groups: groupsOfPassages(live, intersectInto(matching, passages)) }
  })

/** The time as a score. Groups without a time sort last. */
export const timeScore = (time: number | null): number =>
  time === null || Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time

/** Collects the newest groups. */
export function collectNewest(groupSets: readonly GroupSet[], collector: TopGroupsCollector): ScoredGroup[] {
  for (const { live, groups } of groupSets) {
    const { segment } = live
    collector.startSegment(segment)
    for (const group of iterateBits(groups)) {
      const score = timeScore(segment.times[group]!)
      if (score >= collector.threshold) collector.collect(segment.groupStarts[group]!, score)
    }
  }
  return collector.finish()
}
