// Builds a segment in memory from new groups.

import { ForwardIndexWriter } from '../codec/forward-index.ts'
import { GrowableBytes, GrowableUint32s } from '../codec/growable-buffer.ts'
import { layOutInMemory, type SegmentImage } from '../codec/layout.ts'
import { encodeText, sortByBytes } from '../codec/text-encoding.ts'
import { addVocabulary, type VocabularyWord } from '../codec/vocabulary.ts'
import { splitContentHash } from './content-hash.ts'
import type { EnginePassage, PassageGroup } from './passage-group.ts'
import { SegmentAssembler } from './segment-assembler.ts'

export interface BuildOptions {
  id: number
  b: number
  /** The average passage length of the index, or 0. The closer it is, the fewer blocks a search reads. */
  averageLength: number
  dimensions: readonly string[]
}

/** A batch of new groups and deletes for the index. */
export interface EngineBatch {
  groups: readonly PassageGroup[]
  /** The vocabulary of the groups. */
  words?: readonly VocabularyWord[]
  /** Keys to delete. Deletes are applied before `groups` are added. */
  deletes: readonly string[]
  position: number
}

/**
 * A batch whose groups have been built into a segment. Building needs nothing from the index, so any thread can do it.
 */
export interface BuiltBatch {
  /** Null if the batch has no groups. The writer that takes the segment assigns its id. */
  image: SegmentImage | null
  /** The keys of the new groups and of the deletes. Groups with these keys in the index are replaced. */
  keys: readonly string[]
  position: number
}

/** If two groups have the same key, the later one wins. */
export function buildBatch(
  { groups, words = [], deletes, position }: EngineBatch,
  options: Omit<BuildOptions, 'id'>,
): BuiltBatch {
  const byKey = new Map(groups.map((group) => [group.key, group]))
  const image = byKey.size === 0 ? null : buildSegment({ id: 0, ...options }, [...byKey.values()], words)
  return { image, keys: [...deletes, ...byKey.keys()], position }
}

/** `words` is the vocabulary of all groups. Terms that occur in no group are skipped. */
export function buildSegment(
  { id, ...options }: BuildOptions,
  groups: readonly PassageGroup[],
  words: readonly VocabularyWord[] = [],
): SegmentImage {
  const stored = new GrowableBytes()
  const assembler = new SegmentAssembler({ ...options, writeStored: (bytes) => stored.append(bytes) })
  const counter = new TermCounter()
  for (const group of groups) {
    assembler.startGroup(encodeText(group.key), group.time ?? Number.NaN, group.language)
    for (const [at, labelSets] of assembler.labelSets.entries()) labelSets.addGroup(group.labels[at] ?? [])
    for (const passage of group.passages) {
      assembler.addPassage(counter.count(passage), ...splitContentHash(passage.contentHash))
      assembler.stored.add(encodeText(passage.stored))
    }
  }
  assembler.stored.finish()
  const forward = new GrowableBytes()
  const { ordinals, ordinalOfId } = addSortedTerms(assembler, counter)
  addVocabulary(assembler.vocabulary, words, (term) => {
    const id = counter.ids.get(term)
    return id === undefined ? undefined : ordinalOfId[id]
  })
  addForward(assembler, counter, ordinals, groups, forward)
  const { meta, sections } = assembler.finish()
  return { id, meta, ...layOutInMemory(sections, { stored: stored.view(), forward: forward.view() }) }
}

/** Collects the terms and frequencies of each passage. Terms are numbered in order of appearance. */
class TermCounter {
  readonly ids = new Map<string, number>()
  /** The term ids of all passages, one passage after another; `ends` holds the end of each passage. */
  readonly terms = new GrowableUint32s()
  readonly counts = new GrowableUint32s()
  readonly ends = new GrowableUint32s()
  #frequencyOfId = new Uint32Array(1 << 12)

  startOf(passage: number): number {
    return passage === 0 ? 0 : this.ends.values[passage - 1]!
  }

  /** Returns the length of the passage. */
  count({ fields, unscored = [] }: EnginePassage): number {
    let length = 0
    const first = this.terms.length
    for (const { terms, weight } of fields) {
      length += terms.length * weight
      for (const term of terms) this.#add(term, weight)
    }
    for (const term of unscored) this.#add(term, 1)
    const touched = this.terms.values
    for (let at = first; at < this.terms.length; at++) {
      const id = touched[at]!
      this.counts.push(this.#frequencyOfId[id]!)
      this.#frequencyOfId[id] = 0
    }
    this.ends.push(this.terms.length)
    return length
  }

  #add(term: string, weight: number): void {
    let id = this.ids.get(term)
    if (id === undefined) {
      id = this.ids.size
      this.ids.set(term, id)
      if (id === this.#frequencyOfId.length) {
        const larger = new Uint32Array(id * 2)
        larger.set(this.#frequencyOfId)
        this.#frequencyOfId = larger
      }
    }
    if (this.#frequencyOfId[id] === 0) this.terms.push(id)
    this.#frequencyOfId[id]! += weight
  }
}

/** Returns the terms of each passage as ascending ordinals, one passage after another. */
function addSortedTerms(
  assembler: SegmentAssembler,
  counter: TermCounter,
): { ordinals: Uint32Array; ordinalOfId: Uint32Array } {
  const { starts, passages, frequencies } = invertPostings(counter)
  const postings = assembler.postings()
  const next = Uint32Array.from({ length: counter.ends.length }, (_, passage) => counter.startOf(passage))
  const ordinals = new Uint32Array(counter.terms.length)
  const ordinalOfId = new Uint32Array(counter.ids.size)
  for (const name of sortByBytes(counter.ids.keys())) {
    const id = counter.ids.get(name)
    if (id === undefined) continue
    const ordinal = assembler.addTerm(name)
    ordinalOfId[id] = ordinal
    for (let at = starts[id]!; at < starts[id + 1]!; at++) {
      const passage = passages[at]!
      postings.add(passage, frequencies[at]!)
      ordinals[next[passage]!++] = ordinal
    }
    postings.endTerm()
  }
  return { ordinals, ordinalOfId }
}

/** Inverts passage → terms into term → passages by counting sort, which keeps the passages in order. */
function invertPostings({ ids, terms, counts, ends }: TermCounter) {
  const starts = new Uint32Array(ids.size + 1)
  for (let at = 0; at < terms.length; at++) starts[terms.values[at]! + 1]!++
  for (let id = 0, sum = 0; id <= ids.size; id++) {
    sum += starts[id]!
    starts[id] = sum
  }
  const next = starts.slice()
  const passagesOf = new Uint32Array(terms.length)
  const frequenciesOf = new Uint32Array(terms.length)
  for (let passage = 0, at = 0; passage < ends.length; passage++) {
    for (; at < ends.values[passage]!; at++) {
      const target = next[terms.values[at]!]!++
      passagesOf[target] = passage
      frequenciesOf[target] = counts.values[at]!
    }
  }
  return { starts, passages: passagesOf, frequencies: frequenciesOf }
}

function addForward(
  assembler: SegmentAssembler,
  counter: TermCounter,
  ordinals: Uint32Array,
  groups: readonly PassageGroup[],
  bytes: GrowableBytes,
): void {
  const forward = new ForwardIndexWriter(assembler.forwardStarts, (part) => bytes.append(part))
  let passage = 0
  for (const group of groups) {
    forward.startGroup()
    for (const end = passage + group.passages.length; passage < end; passage++) {
      forward.addPassage(ordinals.subarray(counter.startOf(passage), counter.startOf(passage + 1)))
    }
  }
  forward.finish()
}
