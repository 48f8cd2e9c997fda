// Selects the groups and passages that may be found, by filters and by conditions on words.
import { intersectInto, isEmptyBitSet, iterateBits, subtractInto, unionInto } from '../codec/bits.ts'
import type { FilterMask, LiveSegment } from '../segment/live-segment.ts'
import {
  type ConditionResult,
  type Conditions,
  countTextsToRead,
  evaluateConditions,
  MAX_TEXTS_READ,
  TextVerifier,
} from './conditions.ts'
import { type Filter, filterMask, groupsOfPassages, passagesOfGroups, withPassages } from './filter-mask.ts'
import type { ScoredGroup } from './top-groups-collector.ts'

export interface SegmentSelection {
  live: LiveSegment
  /** Groups that pass the filter. */
  groups: Uint32Array
  /** The groups that pass each of the other filters. */
  otherGroups: Uint32Array[]
  /** The passages of all these groups that may be found. */
  passages: Uint32Array
}

export interface SelectionRequest {
  filter: Filter
  /** More filters, combined with the same conditions. Those that are identical to `filter` are free. */
  otherFilters: readonly Filter[]
  conditions: Conditions
}

export interface SelectionResult {
  selections: SegmentSelection[]
  /** True if nothing is missing in `groups` or in `otherGroups`, respectively. */
  isComplete: boolean
  areOthersComplete: boolean
}

/** Returns the best groups among some passages of each segment. */
export type RankGroups = (
  selections: readonly Pick<SegmentSelection, 'live' | 'passages'>[],
  size: number,
) => ScoredGroup[]

/**
 * The result is incomplete if there were too many texts to read. Then `rank` decides which candidates are read first.
 */
export function selectPassages(
  segments: readonly LiveSegment[],
  { filter, otherFilters, conditions }: SelectionRequest,
  rank: RankGroups,
): SelectionResult {
  const filtered = segments.map((live) => {
    const mask = filterMask(live, filter)
    const { groups } = mask
    return {
      live,
      mask,
      groups,
      otherGroups: otherFilters.map((it) => (it === filter ? groups : filterMask(live, it).groups)),
    }
  })
  if (Object.values(conditions).every((it) => it.length === 0)) {
    const selections = filtered.map(({ live, mask, groups, otherGroups }) => ({
      live,
      groups,
      otherGroups,
      passages: selectablePassages({ live, groups, otherGroups }, mask),
    }))
    return { selections, isComplete: true, areOthersComplete: true }
  }
  const evaluated = filtered.map((it) => ({
    ...it,
    conditionResult: evaluateConditions(it.live, unionOfGroups(it), conditions),
  }))
  const completeness = verifyUndecided(evaluated, rank)
  const selections = evaluated.map(({ live, conditionResult: { met, passages }, ...it }) => {
    return {
      live,
      groups: intersectInto(it.groups.slice(), met),
      otherGroups: it.otherGroups.map((groups) => intersectInto(groups.slice(), met)),
      passages: intersectInto(passages, passagesOfGroups(live, met)),
    }
  })
  return { selections, ...completeness }
}

const selectablePassages = (it: Omit<SegmentSelection, 'passages'>, mask: FilterMask): Uint32Array =>
  it.otherGroups.every((groups) => groups === it.groups)
    ? withPassages(it.live, mask).passages
    : passagesOfGroups(it.live, unionOfGroups(it))

const unionOfGroups = ({ groups, otherGroups }: Pick<SegmentSelection, 'groups' | 'otherGroups'>): Uint32Array =>
  otherGroups.filter((it) => it !== groups).reduce(unionInto, groups.slice())

/** Groups of one segment whose texts have to be read. */
interface UndecidedGroups {
  conditionResult: ConditionResult
  undecided: Uint32Array
}

/** Groups that pass the main filter are read first, so that the other filters cannot use up its share. */
function verifyUndecided(
  evaluated: readonly { conditionResult: ConditionResult; groups: Uint32Array }[],
  rank: RankGroups,
) {
  const verifier = new TextVerifier()
  const all = evaluated.reduce((sum, it) => sum + countTextsToRead(it.conditionResult), 0)
  const verifyGroups = all <= MAX_TEXTS_READ ? verifyAll : verifyBest
  const undecidedBy = (select: typeof intersectInto): UndecidedGroups[] =>
    evaluated.map(({ conditionResult, groups }) => ({
      conditionResult,
      undecided: select(conditionResult.undecided.slice(), groups),
    }))
  const [inside, outside] = [undecidedBy(intersectInto), undecidedBy(subtractInto)]
  verifyGroups(inside, verifier, rank)
  const { isComplete } = verifier
  verifyGroups(outside, verifier, rank)
  return { isComplete, areOthersComplete: verifier.isComplete }
}

function verifyAll(segments: readonly UndecidedGroups[], verifier: TextVerifier): void {
  for (const { conditionResult, undecided } of segments) {
    for (const group of iterateBits(undecided)) verifier.verify({ conditionResult, group })
  }
}

function verifyBest(segments: readonly UndecidedGroups[], verifier: TextVerifier, rank: RankGroups): void {
  const bySegment = new Map(segments.map((it) => [it.conditionResult.live.segment, it.conditionResult]))
  const candidates = segments.map(({ conditionResult, undecided }) => ({
    live: conditionResult.live,
    passages: candidatePassages(conditionResult, undecided),
  }))
  if (candidates.every((it) => isEmptyBitSet(it.passages))) return
  for (const { segment, group } of rank(candidates, MAX_TEXTS_READ + 1)) {
    const conditionResult = bySegment.get(segment)
    if (conditionResult !== undefined) verifier.verify({ conditionResult, group })
  }
}

/** If there are phrases, the passages that certainly or possibly contain one. */
function candidatePassages({ live, evidence, passages }: ConditionResult, groups: Uint32Array): Uint32Array {
  const candidates = passages.slice()
  for (const { passage, head } of evidence.phrases) {
    unionInto(candidates, passage.possible)
    unionInto(candidates, passagesOfGroups(live, groupsOfPassages(live, head.possible)))
  }
  return intersectInto(candidates, passagesOfGroups(live, groups))
}
