// Which groups and entries may be found? Filters, conditions on words, and what of them is read.
import { intersect, isEmpty, setBits, subtract, unite } from './bits.ts'
import { type Conditions, type Judgement, judge, MAX_READ, Reader, textsToRead } from './conditions.ts'
import type { LiveSegment, Mask } from './live-segment.ts'
import { entriesOf, type Filter, groupsOf, maskIn, withEntries } from './mask.ts'
import type { Found } from './top-groups.ts'

export interface Selection {
  live: LiveSegment
  /** Groups that may be found. */
  groups: Uint32Array
  /** The groups that each of the other filters lets through. */
  others: Uint32Array[]
  /** The entries that may be found of all these groups. */
  entries: Uint32Array
}

export interface SelectionRequest {
  filter: Filter
  /** More filters, for the same conditions; those that are `filter` itself cost nothing. */
  others: readonly Filter[]
  conditions: Conditions
}

export interface Selected {
  selections: Selection[]
  /** Nothing is missing in `groups`, or in any of `others`. */
  isComplete: boolean
  areOthersComplete: boolean
}

/** The best groups among some entries of each segment. */
export type Rank = (selections: readonly Pick<Selection, 'live' | 'entries'>[], size: number) => Found[]

/** Incomplete when there was too much to read: what the best candidates are, `rank` says. */
export function select(
  segments: readonly LiveSegment[],
  { filter, others, conditions }: SelectionRequest,
  rank: Rank,
): Selected {
  const filtered = segments.map((live) => {
    const mask = maskIn(live, filter)
    const { groups } = mask
    return { live, mask, groups, others: others.map((it) => (it === filter ? groups : maskIn(live, it).groups)) }
  })
  if (Object.values(conditions).every((it) => it.length === 0)) {
    const selections = filtered.map(({ live, mask, groups, others }) => ({
      live,
      groups,
      others,
      entries: entriesPassing({ live, groups, others }, mask),
    }))
    return { selections, isComplete: true, areOthersComplete: true }
  }
  const judgements = filtered.map((it) => judge(it.live, widest(it), conditions))
  const insides = filtered.map((it) => it.groups)
  const completeness = settle(judgements, insides, rank)
  const selections = filtered.map(({ live, ...it }, at) => {
    const { met, entries } = judgements[at]!
    return {
      live,
      groups: intersect(it.groups.slice(), met),
      others: it.others.map((groups) => intersect(groups.slice(), met)),
      entries: intersect(entries, entriesOf(live, met)),
    }
  })
  return { selections, ...completeness }
}

const entriesPassing = (it: Omit<Selection, 'entries'>, mask: Mask): Uint32Array =>
  it.others.every((groups) => groups === it.groups)
    ? withEntries(it.live, mask).entries
    : entriesOf(it.live, widest(it))

const widest = ({ groups, others }: Pick<Selection, 'groups' | 'others'>): Uint32Array =>
  others.filter((it) => it !== groups).reduce(unite, groups.slice())

/** What the filter lets through comes first, so that other filters take nothing from it. */
function settle(judgements: readonly Judgement[], groups: readonly Uint32Array[], rank: Rank) {
  const reader = new Reader()
  const all = judgements.reduce((sum, it) => sum + textsToRead(it), 0)
  const settleOpen = all <= MAX_READ ? settleAll : settleBest
  const inside = judgements.map((it, at) => intersect(it.open.slice(), groups[at]!))
  const outside = judgements.map((it, at) => subtract(it.open.slice(), groups[at]!))
  settleOpen(judgements, inside, reader, rank)
  const { isComplete } = reader
  settleOpen(judgements, outside, reader, rank)
  return { isComplete, areOthersComplete: reader.isComplete }
}

function settleAll(judgements: readonly Judgement[], open: readonly Uint32Array[], reader: Reader): void {
  for (const [at, judgement] of judgements.entries()) {
    for (const group of setBits(open[at]!)) reader.settle({ judgement, group })
  }
}

function settleBest(judgements: readonly Judgement[], open: readonly Uint32Array[], reader: Reader, rank: Rank): void {
  const bySegment = new Map(judgements.map((it) => [it.live.segment, it]))
  const candidates = judgements.map((it, at) => ({ live: it.live, entries: candidateEntries(it, open[at]!) }))
  if (candidates.every((it) => isEmpty(it.entries))) return
  for (const { segment, group } of rank(candidates, MAX_READ + 1)) {
    reader.settle({ judgement: bySegment.get(segment)!, group })
  }
}

/** Where there are phrases, the entries that hold one or may hold one. */
function candidateEntries({ live, evidence, entries }: Judgement, groups: Uint32Array): Uint32Array {
  const candidates = entries.slice()
  for (const { entry, head } of evidence.phrases) {
    unite(candidates, entry.possible)
    unite(candidates, entriesOf(live, groupsOf(live, head.possible)))
  }
  return intersect(candidates, entriesOf(live, groups))
}
