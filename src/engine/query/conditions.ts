// Evaluates phrases, required words and excluded words in two phases: the postings give certain and possible matches,
// then the stored text of the possible ones is read, best candidates first.
import type { Language } from '../../text/language.ts'
import type { Phrase } from '../../text/phrase.ts'
import {
  countBits,
  createBitSet,
  hasBit,
  intersectInto,
  isEmptyBitSet,
  setBit,
  subtractInto,
  unionInto,
} from '../codec/bits.ts'
import { readStoredText } from '../codec/stored-text.ts'
import type { LiveSegment } from '../segment/live-segment.ts'
import { firstPassageOf, languageOfGroup, passagesEndOf } from '../segment/segment.ts'
import { groupsOfPassages, passagesOfGroups } from './filter-mask.ts'
import { matchPhrase, type PhraseMatches } from './phrase-matches.ts'

/** A phrase that must occur in one passage, or in the head of a group. */
export interface Condition {
  passage?: Phrase
  /** The terms of the head; they are indexed with the group's first passage. */
  head?: Phrase
  /** Called for passages that contain all words of the phrase. The result must depend on the arguments only. */
  isInPassage(stored: string, language: Language): boolean
  /** Called with the stored text of the group's first passage. */
  isInHead(stored: string, language: Language): boolean
}

export interface Conditions {
  /** The group must contain each of these, and only passages that contain one of them are found. */
  phrases: readonly Condition[]
  /** The group must contain each of these. */
  required: readonly Condition[]
  /** The group must contain none of these. */
  excluded: readonly Condition[]
}

export const NO_CONDITIONS: Conditions = { phrases: [], required: [], excluded: [] }

/** The number of stored texts that one search may read. 1,000 texts of 900 characters took 33 ms of CPU time. */
export const MAX_TEXTS_READ = 1_000

/** The state of the groups of one segment. */
export interface ConditionResult {
  live: LiveSegment
  /** Groups that meet the conditions. */
  met: Uint32Array
  /** Groups whose text has to be read. */
  undecided: Uint32Array
  /** Passages that contain a phrase; all passages if there is no phrase. */
  passages: Uint32Array
  evidence: Record<keyof Conditions, ConditionEvidence[]>
}

interface ConditionEvidence {
  condition: Condition
  passage: PhraseMatches
  head: PhraseMatches
  certainGroups: Uint32Array
  possibleGroups: Uint32Array
}

/** Returns what the postings say about these groups. */
export function evaluateConditions(live: LiveSegment, groups: Uint32Array, conditions: Conditions): ConditionResult {
  const context = {
    live,
    mask: passagesOfGroups(live, groups),
    none: noPhraseMatches(live),
    nowhere: createBitSet(live.segment.meta.groups),
  }
  const evidenceOf = (list: readonly Condition[]) => list.map((it) => gatherEvidence(context, it))
  const evidence = {
    phrases: evidenceOf(conditions.phrases),
    required: evidenceOf(conditions.required),
    excluded: evidenceOf(conditions.excluded),
  }
  const { phrases, required, excluded } = evidence
  const remaining = groups.slice()
  const undecided = createBitSet(live.segment.meta.groups)
  for (const { certainGroups, possibleGroups } of [...phrases, ...required]) {
    intersectInto(remaining, unionInto(certainGroups.slice(), possibleGroups))
    unionInto(undecided, subtractInto(possibleGroups.slice(), certainGroups))
  }
  // In a group that certainly contains a phrase, further passages may contain it too.
  for (const { possibleGroups } of phrases) unionInto(undecided, possibleGroups)
  for (const { certainGroups, possibleGroups } of excluded) {
    subtractInto(remaining, certainGroups)
    unionInto(undecided, possibleGroups)
  }
  intersectInto(undecided, remaining)
  const passages = createBitSet(live.segment.meta.entries)
  for (const { passage, head } of phrases) {
    unionInto(passages, passage.certain)
    unionInto(passages, passagesOfGroups(live, groupsOfPassages(live, head.certain)))
  }
  if (phrases.length === 0) passages.fill(-1)
  return { live, met: subtractInto(remaining, undecided), undecided, passages, evidence }
}

interface EvaluationContext {
  live: LiveSegment
  /** The passages that may be found. */
  mask: Uint32Array
  /** Empty sets of passages and groups. They must not be modified. */
  none: PhraseMatches
  nowhere: Uint32Array
}

function noPhraseMatches({ segment }: LiveSegment): PhraseMatches {
  const none = createBitSet(segment.meta.entries)
  return { certain: none, possible: none }
}

function gatherEvidence({ live, mask, none, nowhere }: EvaluationContext, condition: Condition): ConditionEvidence {
  const matchesOf = (phrase: Phrase | undefined): PhraseMatches => {
    if (phrase === undefined) return none
    const { certain, possible } = matchPhrase(live.segment, phrase)
    const isSingle = phrase.words.length === 1
    return { certain: intersectInto(certain, mask), possible: isSingle ? none.possible : intersectInto(possible, mask) }
  }
  const [passage, head] = [matchesOf(condition.passage), matchesOf(condition.head)]
  const groupsWith = (passages: Uint32Array) => (passages === none.certain ? nowhere : groupsOfPassages(live, passages))
  const either = (kind: keyof PhraseMatches) => {
    const [one, other] = [groupsWith(passage[kind]), groupsWith(head[kind])]
    if (one === nowhere) return other
    return other === nowhere ? one : unionInto(one, other)
  }
  return { condition, passage, head, certainGroups: either('certain'), possibleGroups: either('possible') }
}

/** A group whose text has to be read, and the state of its segment. */
export interface UndecidedGroup {
  conditionResult: ConditionResult
  group: number
}

/** Returns an upper bound of the number of texts that have to be read to decide every group. */
export function countTextsToRead({ live, undecided, evidence }: ConditionResult): number {
  if (isEmptyBitSet(undecided)) return 0
  const wanted = createBitSet(live.segment.meta.entries)
  for (const { passage, head } of Object.values(evidence).flat()) {
    unionInto(wanted, passage.possible)
    unionInto(wanted, head.possible)
  }
  return countBits(intersectInto(wanted, passagesOfGroups(live, undecided)))
}

/** Reads up to `MAX_TEXTS_READ` texts. Groups that are still undecided after that are left out. */
export class TextVerifier {
  #textsLeft = MAX_TEXTS_READ
  /** The number of texts that were needed after the limit was reached. */
  #skippedTexts = 0
  #textCache = new Map<number, string>()

  get isExhausted(): boolean {
    return this.#textsLeft === 0
  }

  get isComplete(): boolean {
    return this.#skippedTexts === 0
  }

  verify({ conditionResult, group }: UndecidedGroup): void {
    this.#textCache = new Map()
    const { live, evidence, met, passages } = conditionResult
    const found: number[] = []
    const isMet =
      evidence.phrases.every((it) => this.#holds(live, group, it, found)) &&
      evidence.required.every((it) => this.#holds(live, group, it)) &&
      this.#holdsNone(live, group, evidence.excluded)
    if (!isMet) return
    setBit(met, group)
    for (const passage of found) setBit(passages, passage)
  }

  #holdsNone(live: LiveSegment, group: number, excluded: readonly ConditionEvidence[]): boolean {
    const missed = this.#skippedTexts
    return !excluded.some((it) => this.#holds(live, group, it)) && this.#skippedTexts === missed
  }

  /** With `found`, collects every passage that matches; otherwise stops at the first one. */
  #holds(live: LiveSegment, group: number, evidence: ConditionEvidence, found?: number[]): boolean {
    const { condition, passage, head, certainGroups } = evidence
    let isHeld = hasBit(certainGroups, group)
    if (isHeld && found === undefined) return true
    const [first, until] = [firstPassageOf(live.segment, group), passagesEndOf(live.segment, group)]
    const language = languageOfGroup(live.segment, group)
    if (hasBit(head.possible, first) && this.#testText(live, first, (it) => condition.isInHead(it, language))) {
      for (let at = first; found !== undefined && at < until; at++) found.push(at)
      return true
    }
    for (let at = first; at < until; at++) {
      if (!hasBit(passage.possible, at)) continue
      if (!this.#testText(live, at, (it) => condition.isInPassage(it, language))) continue
      isHeld = true
      if (found === undefined) return true
      found.push(at)
    }
    return isHeld
  }

  #testText({ segment }: LiveSegment, passage: number, isHeld: (stored: string) => boolean): boolean {
    const known = this.#textCache.get(passage)
    if (known !== undefined) return isHeld(known)
    if (this.#textsLeft === 0) {
      this.#skippedTexts++
      return false
    }
    this.#textsLeft--
    const text = readStoredText(segment.stored, passage)
    this.#textCache.set(passage, text)
    return isHeld(text)
  }
}
