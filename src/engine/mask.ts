// Which entries may be found? One bit per entry, reckoned before anything is scored or counted.
import { bitSet, intersect, setBit, setRange } from './bits.ts'
import { bytesInOrder, bytesOfText } from './key-text.ts'
import { type LabelSets, setsWithAny } from './label-sets.ts'
import type { LiveSegment, Mask } from './live-segment.ts'
import { groupsOfKey } from './segment.ts'

/** Everything asked for must hold. */
export interface Filter {
  /** Of each dimension named here, at least one of the labels. */
  labels: readonly { dimension: string; any: readonly string[] }[]
  /** Inclusive; a group without a time is in no span. */
  time?: { from: number; until: number }
  /** One of these keys. */
  keys?: readonly string[]
}

/** Deleted entries are never in it. Not to be written to, as what `maskIn` answers. */
export const maskOf = (live: LiveSegment, filter: Filter): Uint32Array =>
  withEntries(live, maskIn(live, filter)).entries

export function withEntries(live: LiveSegment, mask: Mask): Required<Mask> {
  mask.entries ??= entriesOf(live, mask.groups)
  return mask as Required<Mask>
}

/** Who types, or searches by words and by meaning, asks with the same filter again: so many are kept for a segment. */
const MAX_MASKS = 8

/** Keys are hardly asked for twice: what else the filter says is remembered without them. */
export function maskIn(live: LiveSegment, filter: Filter): Mask {
  const known = knownMask(live, filter)
  if (filter.keys === undefined) return known
  return { groups: intersect(groupsWithKeys(live, filter.keys), known.groups), holders: new Map() }
}

/** Of the filter without its keys. */
function knownMask(live: LiveSegment, filter: Filter): Mask {
  const name = nameOf(filter)
  const known = live.masks.get(name) ?? { groups: groupsPassing(live, filter), holders: new Map() }
  live.masks.delete(name)
  live.masks.set(name, known)
  if (live.masks.size > MAX_MASKS) live.masks.delete(live.masks.keys().next().value!)
  return known
}

const names = new WeakMap<Filter, string>()

/** The same for filters that are equal but for their keys. */
function nameOf(filter: Filter): string {
  const known = names.get(filter)
  if (known !== undefined) return known
  const { labels, time } = filter
  // JSON knows no infinity.
  const span = time && [String(time.from), String(time.until)]
  const name = JSON.stringify([labels.map(({ dimension, any }) => [dimension, any]), span])
  names.set(filter, name)
  return name
}

/** All entries of these groups. */
export const entriesOf = ({ segment }: LiveSegment, groups: Uint32Array): Uint32Array =>
  spread(groups, segment.groupStarts, bitSet(segment.meta.entries))

/** The groups that have at least one of these entries. */
export function groupsOf({ segment }: LiveSegment, entries: Uint32Array): Uint32Array {
  const { meta, groupStarts } = segment
  const groups = bitSet(meta.groups)
  let group = 0
  for (let word = 0; word < entries.length; word++) {
    for (let bits = entries[word]!; bits !== 0; bits &= bits - 1) {
      const entry = (word << 5) + 31 - Math.clz32(bits & -bits)
      if (entry < groupStarts[group]!) continue
      while (groupStarts[group + 1]! <= entry) group++
      setBit(groups, group++)
    }
  }
  return groups
}

/** Without branches that depend on the data: half of the groups pass, at random, and a wrong guess costs 15 steps. */
function groupsPassing(live: LiveSegment, { labels, time }: Filter): Uint32Array {
  const { meta, times } = live.segment
  const groups = bitSet(meta.groups)
  for (let word = 0; word < groups.length; word++) groups[word] = ~live.deleted[word]!
  if (meta.groups % 32 !== 0) groups[groups.length - 1]! &= -1 >>> (32 - (meta.groups % 32))
  for (const { dimension, any } of labels) {
    const { sets, accepted } = testOf(live, dimension, any)
    for (let word = 0, group = 0; word < groups.length; word++) {
      let bits = 0
      const until = Math.min(group + 32, meta.groups)
      for (let bit = 0; group < until; group++, bit++) bits |= accepted[sets[group]!]! << bit
      groups[word]! &= bits
    }
  }
  if (time === undefined) return groups
  const { from, until } = time
  for (let group = 0; group < meta.groups; group++) {
    // No time is NaN, which is in no span.
    const isOut = times[group]! >= from && times[group]! <= until ? 0 : 1
    groups[group >>> 5]! &= ~(isOut << (group & 31))
  }
  return groups
}

function groupsWithKeys({ segment }: LiveSegment, keys: readonly string[]): Uint32Array {
  const groups = bitSet(segment.meta.groups)
  for (const key of keys) for (const group of groupsOfKey(segment, bytesOfText(key))) setBit(groups, group)
  return groups
}

/** From groups to their entries. Neighbours that pass together are one span. */
function spread(groups: Uint32Array, starts: Uint32Array, mask: Uint32Array): Uint32Array {
  for (let word = 0; word < groups.length; word++) {
    let bits = groups[word]!
    while (bits !== 0) {
      const first = 31 - Math.clz32(bits & -bits)
      const rest = ~(bits >>> first)
      const length = rest === 0 ? 32 : 31 - Math.clz32(rest & -rest)
      const group = (word << 5) + first
      setRange(mask, starts[group]!, starts[group + length]!)
      bits = first + length >= 32 ? 0 : bits & (-1 << (first + length))
    }
  }
  return mask
}

/** Live groups that carry the label. */
export function countGroups(segments: readonly LiveSegment[], dimension: string, label: string): number {
  let count = 0
  for (const live of segments) {
    const { sets, accepted } = testOf(live, dimension, [label])
    for (const [group, set] of sets.entries()) if (accepted[set] === 1 && !live.isDeleted(group)) count++
  }
  return count
}

interface Test {
  sets: Uint32Array
  accepted: Uint8Array
}

function testOf(live: LiveSegment, dimension: string, any: readonly string[]): Test {
  const labelSets = labelSetsOf(live, dimension)
  return { sets: labelSets.sets, accepted: setsWithAny(labelSets, inOrder(any)) }
}

const ordered = new WeakMap<readonly string[], Buffer[]>()

/** Each segment is asked for the same labels. */
function inOrder(labels: readonly string[]): Buffer[] {
  const known = ordered.get(labels) ?? bytesInOrder(labels)
  ordered.set(labels, known)
  return known
}

export function labelSetsOf({ segment }: LiveSegment, dimension: string): LabelSets {
  const found = segment.labelSets[segment.meta.dimensions.findIndex((it) => it.name === dimension)]
  if (found === undefined) throw new RangeError(`the index has no dimension ${dimension}`)
  return found
}
