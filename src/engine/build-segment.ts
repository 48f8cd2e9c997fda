// New groups → a segment in memory.
import { Assembler } from './assembler.ts'
import { ForwardWriter } from './forward.ts'
import type { Entry, Group, Word } from './group.ts'
import { GrowingBytes, GrowingWords } from './growing.ts'
import { bytesOfText, inByteOrder } from './key-text.ts'
import { lay, type SegmentImage } from './layout.ts'
import { wordsOfMark } from './marks.ts'
import { addWords } from './vocabulary.ts'

export interface BuildOptions {
  id: number
  b: number
  /** About that of the index, or 0: the nearer it is, the less a search reads. */
  averageLength: number
  dimensions: readonly string[]
}

/** New groups and what goes, as they are handed to the index. */
export interface Batch {
  groups: readonly Group[]
  /** The whole words of the groups. */
  words?: readonly Word[]
  /** Keys; happens before `groups` come in. */
  deletes: readonly string[]
  position: number
}

/** A batch whose groups have become a segment: needs nothing of the index, so that any thread can make it. */
export interface BuiltBatch {
  /** Null where there are no groups. Its number is given by whoever takes it. */
  image: SegmentImage | null
  /** Of the groups and of what goes: whatever the index has of these is replaced. */
  keys: readonly string[]
  position: number
}

/** Of two groups with one key the later counts. */
export function buildBatch(
  { groups, words = [], deletes, position }: Batch,
  options: Omit<BuildOptions, 'id'>,
): BuiltBatch {
  const byKey = new Map(groups.map((group) => [group.key, group]))
  const image = byKey.size === 0 ? null : buildSegment({ id: 0, ...options }, [...byKey.values()], words)
  return { image, keys: [...deletes, ...byKey.keys()], position }
}

/** `words` are those of all groups. Terms that no group holds are passed over. */
export function buildSegment(
  { id, ...options }: BuildOptions,
  groups: readonly Group[],
  words: readonly Word[] = [],
): SegmentImage {
  const stored = new GrowingBytes()
  const assembler = new Assembler({ ...options, writeStored: (bytes) => stored.append(bytes) })
  const counter = new Counter()
  for (const group of groups) {
    assembler.startGroup(bytesOfText(group.key), group.time ?? Number.NaN, group.language)
    for (const [at, labelSets] of assembler.labelSets.entries()) labelSets.addGroup(group.labels[at] ?? [])
    for (const entry of group.entries) {
      assembler.addEntry(counter.count(entry), ...wordsOfMark(entry.mark))
      assembler.stored.add(bytesOfText(entry.stored))
    }
  }
  assembler.stored.finish()
  const forward = new GrowingBytes()
  const { ordinals, ordinalOfId } = addTerms(assembler, counter)
  addWords(assembler.vocabulary, words, (term) => {
    const id = counter.ids.get(term)
    return id === undefined ? undefined : ordinalOfId[id]!
  })
  addForward(assembler, counter, ordinals, groups, forward)
  const { meta, sections } = assembler.finish()
  const laid = lay([...sections, ['stored', stored.view()], ['forward', forward.view()]])
  const disk = { stored: laid.sections.stored!, forward: laid.sections.forward! }
  return { id, meta, ...laid, disk, path: null }
}

/** Collects (term, count) of each entry, the terms numbered as they come. */
class Counter {
  readonly ids = new Map<string, number>()
  /** One after the other for all entries; `ends` says where each entry's end. */
  readonly terms = new GrowingWords()
  readonly counts = new GrowingWords()
  readonly ends = new GrowingWords()
  #countOf = new Uint32Array(1 << 12)

  startOf(entry: number): number {
    return entry === 0 ? 0 : this.ends.words[entry - 1]!
  }

  /** The entry's length. */
  count({ fields, unscored = [] }: Entry): number {
    let length = 0
    const first = this.terms.length
    for (const { terms, weight } of fields) {
      length += terms.length * weight
      for (const term of terms) this.#add(term, weight)
    }
    for (const term of unscored) this.#add(term, 1)
    const touched = this.terms.words
    for (let at = first; at < this.terms.length; at++) {
      const id = touched[at]!
      this.counts.push(this.#countOf[id]!)
      this.#countOf[id] = 0
    }
    this.ends.push(this.terms.length)
    return length
  }

  #add(term: string, weight: number): void {
    let id = this.ids.get(term)
    if (id === undefined) {
      id = this.ids.size
      this.ids.set(term, id)
      if (id === this.#countOf.length) {
        const larger = new Uint32Array(id * 2)
        larger.set(this.#countOf)
        this.#countOf = larger
      }
    }
    if (this.#countOf[id] === 0) this.terms.push(id)
    this.#countOf[id]! += weight
  }
}

/** Gives the terms of each entry as ascending ordinals, one entry after the other. */
function addTerms(assembler: Assembler, counter: Counter): { ordinals: Uint32Array; ordinalOfId: Uint32Array } {
  const { places, entries, counts } = byTerm(counter)
  const postings = assembler.postings()
  const next = Uint32Array.from({ length: counter.ends.length }, (_, entry) => counter.startOf(entry))
  const ordinals = new Uint32Array(counter.terms.length)
  const ordinalOfId = new Uint32Array(counter.ids.size)
  for (const name of inByteOrder(counter.ids.keys())) {
    const id = counter.ids.get(name)!
    const ordinal = assembler.addTerm(name)
    ordinalOfId[id] = ordinal
    for (let at = places[id]!; at < places[id + 1]!; at++) {
      const entry = entries[at]!
      postings.add(entry, counts[at]!)
      ordinals[next[entry]!++] = ordinal
    }
    postings.endTerm()
  }
  return { ordinals, ordinalOfId }
}

/** Turns (entry → terms) into (term → entries) by a counting sort, which keeps the entries in order. */
function byTerm({ ids, terms, counts, ends }: Counter) {
  const places = new Uint32Array(ids.size + 1)
  for (let at = 0; at < terms.length; at++) places[terms.words[at]! + 1]!++
  for (let id = 0; id < ids.size; id++) places[id + 1]! += places[id]!
  const next = places.slice()
  const entriesOf = new Uint32Array(terms.length)
  const countsOf = new Uint32Array(terms.length)
  for (let entry = 0, at = 0; entry < ends.length; entry++) {
    for (; at < ends.words[entry]!; at++) {
      const place = next[terms.words[at]!]!++
      entriesOf[place] = entry
      countsOf[place] = counts.words[at]!
    }
  }
  return { places, entries: entriesOf, counts: countsOf }
}

function addForward(
  assembler: Assembler,
  counter: Counter,
  ordinals: Uint32Array,
  groups: readonly Group[],
  bytes: GrowingBytes,
): void {
  const forward = new ForwardWriter(assembler.forwardStarts, (part) => bytes.append(part))
  let entry = 0
  for (const group of groups) {
    forward.startGroup()
    for (const end = entry + group.entries.length; entry < end; entry++) {
      forward.addEntry(ordinals.subarray(counter.startOf(entry), counter.startOf(entry + 1)))
    }
  }
  forward.finish()
}
