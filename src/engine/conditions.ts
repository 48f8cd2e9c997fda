// Which groups meet the conditions on words? What the postings cannot tell is read in the stored text, the best first.
import type { Phrase } from '../text/phrase.ts'
import { bitSet, countBits, hasBit, intersect, isEmpty, setBit, subtract, unite } from './bits.ts'
import { type Holders, holdersOf } from './holders.ts'
import type { LiveSegment } from './live-segment.ts'
import { entriesOf, groupsOf } from './mask.ts'
import { storedText } from './stored-text.ts'

/** Words in a row, in one entry or in the head of a group. */
export interface Condition {
  entry?: Phrase
  /** By the marks of the group's first entry. */
  head?: Phrase
  /** Asked about entries that hold all words. The answer may depend on nothing else. */
  isInEntry(stored: string, language: string): boolean
  /** Asked with the stored text of the group's first entry. */
  isInHead(stored: string, language: string): boolean
}

export interface Conditions {
  /** The group holds each of these, and only its entries that hold one of them are found. */
  phrases: readonly Condition[]
  /** The group holds each of these. */
  required: readonly Condition[]
  /** The group holds none of these. */
  excluded: readonly Condition[]
}

export const NO_CONDITIONS: Conditions = { phrases: [], required: [], excluded: [] }

/** Stored texts read for one search. 1,000 of 900 characters took 33 ms of processor time. */
export const MAX_READ = 1_000

/** What is known of the groups of one segment. */
export interface Judgement {
  live: LiveSegment
  /** They meet the conditions. */
  met: Uint32Array
  /** Only their text can tell. */
  open: Uint32Array
  /** Entries that hold a phrase; all when there is none. */
  entries: Uint32Array
  evidence: Record<keyof Conditions, Evidence[]>
}

interface Evidence {
  condition: Condition
  entry: Holders
  head: Holders
  sureGroups: Uint32Array
  possibleGroups: Uint32Array
}

/** What the postings tell about these groups. */
export function judge(live: LiveSegment, groups: Uint32Array, conditions: Conditions): Judgement {
  const scales = {
    live,
    mask: entriesOf(live, groups),
    none: noHolders(live),
    nowhere: bitSet(live.segment.meta.groups),
  }
  const evidenceOf = (list: readonly Condition[]) => list.map((it) => weigh(scales, it))
  const evidence = {
    phrases: evidenceOf(conditions.phrases),
    required: evidenceOf(conditions.required),
    excluded: evidenceOf(conditions.excluded),
  }
  const { phrases, required, excluded } = evidence
  const left = groups.slice()
  const open = bitSet(live.segment.meta.groups)
  for (const { sureGroups, possibleGroups } of [...phrases, ...required]) {
    intersect(left, unite(sureGroups.slice(), possibleGroups))
    unite(open, subtract(possibleGroups.slice(), sureGroups))
  }
  // Of a group that holds a phrase for sure, other entries may hold it too.
  for (const { possibleGroups } of phrases) unite(open, possibleGroups)
  for (const { sureGroups, possibleGroups } of excluded) {
    subtract(left, sureGroups)
    unite(open, possibleGroups)
  }
  intersect(open, left)
  const entries = bitSet(live.segment.meta.entries)
  for (const { entry, head } of phrases) {
    unite(entries, entry.sure)
    unite(entries, entriesOf(live, groupsOf(live, head.sure)))
  }
  if (phrases.length === 0) entries.fill(-1)
  return { live, met: subtract(left, open), open, entries, evidence }
}

interface Scales {
  live: LiveSegment
  /** The entries that may be found. */
  mask: Uint32Array
  /** The empty sets of entries and of groups, not to be written to. */
  none: Holders
  nowhere: Uint32Array
}

function noHolders({ segment }: LiveSegment): Holders {
  const none = bitSet(segment.meta.entries)
  return { sure: none, possible: none }
}

function weigh({ live, mask, none, nowhere }: Scales, condition: Condition): Evidence {
  const holders = (phrase: Phrase | undefined): Holders => {
    if (phrase === undefined) return none
    const { sure, possible } = holdersOf(live.segment, phrase)
    const isSingle = phrase.words.length === 1
    return { sure: intersect(sure, mask), possible: isSingle ? none.possible : intersect(possible, mask) }
  }
  const [entry, head] = [holders(condition.entry), holders(condition.head)]
  const groupsWith = (entries: Uint32Array) => (entries === none.sure ? nowhere : groupsOf(live, entries))
  const either = (kind: keyof Holders) => {
    const [one, other] = [groupsWith(entry[kind]), groupsWith(head[kind])]
    if (one === nowhere) return other
    return other === nowhere ? one : unite(one, other)
  }
  return { condition, entry, head, sureGroups: either('sure'), possibleGroups: either('possible') }
}

/** A group of one of the judgements. */
export interface Candidate {
  judgement: Judgement
  group: number
}

/** How many texts are to be read to settle all of it, at most. */
export function textsToRead({ live, open, evidence }: Judgement): number {
  if (isEmpty(open)) return 0
  const wanted = bitSet(live.segment.meta.entries)
  for (const { entry, head } of Object.values(evidence).flat()) {
    unite(wanted, entry.possible)
    unite(wanted, head.possible)
  }
  return countBits(intersect(wanted, entriesOf(live, open)))
}

/** Reads up to `MAX_READ` texts; a group that is not settled by then is left out. */
export class Reader {
  #left = MAX_READ
  /** How often a text was wanted after that. */
  #missed = 0
  #texts = new Map<number, string>()

  get isDone(): boolean {
    return this.#left === 0
  }

  get isComplete(): boolean {
    return this.#missed === 0
  }

  settle({ judgement, group }: Candidate): void {
    this.#texts = new Map()
    const { live, evidence, met, entries } = judgement
    const found: number[] = []
    const isMet =
      evidence.phrases.every((it) => this.#isHeld(live, group, it, found)) &&
      evidence.required.every((it) => this.#isHeld(live, group, it)) &&
      this.#holdsNone(live, group, evidence.excluded)
    if (!isMet) return
    setBit(met, group)
    for (const entry of found) setBit(entries, entry)
  }

  #holdsNone(live: LiveSegment, group: number, excluded: readonly Evidence[]): boolean {
    const missed = this.#missed
    return !excluded.some((it) => this.#isHeld(live, group, it)) && this.#missed === missed
  }

  /** With `found`, every entry that holds it is looked for, else one is enough. */
  #isHeld(live: LiveSegment, group: number, evidence: Evidence, found?: number[]): boolean {
    const { condition, entry, head, sureGroups } = evidence
    let isHeld = hasBit(sureGroups, group)
    if (isHeld && found === undefined) return true
    const { groupStarts, meta, languages } = live.segment
    const [first, until] = [groupStarts[group]!, groupStarts[group + 1]!]
    const language = meta.languages[languages[group]!]!
    if (hasBit(head.possible, first) && this.#asks(live, first, (it) => condition.isInHead(it, language))) {
      for (let at = first; found !== undefined && at < until; at++) found.push(at)
      return true
    }
    for (let at = first; at < until; at++) {
      if (!hasBit(entry.possible, at)) continue
      if (!this.#asks(live, at, (it) => condition.isInEntry(it, language))) continue
      isHeld = true
      if (found === undefined) return true
      found.push(at)
    }
    return isHeld
  }

  #asks({ segment }: LiveSegment, entry: number, isHeld: (stored: string) => boolean): boolean {
    const known = this.#texts.get(entry)
    if (known !== undefined) return isHeld(known)
    if (this.#left === 0) {
      this.#missed++
      return false
    }
    this.#left--
    const text = storedText(segment.stored, entry)
    this.#texts.set(entry, text)
    return isHeld(text)
  }
}
