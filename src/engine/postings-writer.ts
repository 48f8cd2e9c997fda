// Writes which entries hold a term, and how often, in blocks of 128.
import { bitsOf, pack, packedWords } from './bits.ts'
import { GrowingWords } from './growing.ts'

export const BLOCK = 128

/** What a bound is reckoned with: see `docs/engine.md`, "Bounds". */
export interface BoundBasis {
  b: number
  /** About the average length of the index; bounds are tightest when it is. */
  referenceLength: number
}

/** Per entry. */
export interface EntryFacts {
  lengths: ArrayLike<number>
  groups: ArrayLike<number>
}

/**
 * A term of up to 128 postings is one block, found by its place; a longer one has a row per block in a table: its last
 * entry, its place, and its bound.
 */
export class PostingsWriter {
  readonly words = new GrowingWords()
  /** Postings per term. */
  readonly sizes = new GrowingWords()
  /** Groups per term. */
  readonly groups = new GrowingWords()
  /** Per term: place of its block in `words`, or of its first row in the table. */
  readonly starts = new GrowingWords()
  readonly blockLast = new GrowingWords()
  readonly blockStart = new GrowingWords()
  readonly #bounds = new GrowingWords()
  readonly #boundsAsFloat = new Float32Array(1)
  readonly #boundsAsBits = new Uint32Array(this.#boundsAsFloat.buffer)
  readonly #basis: BoundBasis
  readonly #facts: EntryFacts
  readonly #entries = new Uint32Array(BLOCK)
  readonly #counts = new Uint32Array(BLOCK)
  readonly #deltas = new Uint32Array(BLOCK)
  #filled = 0
  #size = 0
  #groups = 0
  #lastGroup = -1
  #before = -1
  #start = 0

  constructor(basis: BoundBasis, entries: EntryFacts) {
    this.#basis = basis
    this.#facts = entries
  }

  /** Entries of one term come in ascending order; `count` is at least 1. */
  add(entry: number, count: number): void {
    if (this.#filled === BLOCK) {
      if (this.#size === BLOCK) this.#start = this.blockLast.length
      this.#writeRow()
    }
    this.#entries[this.#filled] = entry
    this.#counts[this.#filled++] = count
    this.#size++
    const group = this.#facts.groups[entry]!
    if (group === this.#lastGroup) return
    this.#lastGroup = group
    this.#groups++
  }

  endTerm(): void {
    if (this.#size <= BLOCK) {
      this.#start = this.words.length
      this.#writeBlock()
    } else {
      this.#writeRow()
    }
    this.sizes.push(this.#size)
    this.groups.push(this.#groups)
    this.starts.push(this.#start)
    this.#size = 0
    this.#groups = 0
    this.#lastGroup = -1
    this.#before = -1
  }

  bounds(): Uint32Array {
    return this.#bounds.view()
  }

  #writeRow(): void {
    this.blockStart.push(this.words.length)
    this.blockLast.push(this.#entries[this.#filled - 1]!)
    this.#boundsAsFloat[0] = this.#bound() * (1 + 2 ** -22)
    this.#bounds.push(this.#boundsAsBits[0]!)
    this.#writeBlock()
  }

  #bound(): number {
    const { b, referenceLength } = this.#basis
    let best = 0
    for (let index = 0; index < this.#filled; index++) {
      const length = this.#facts.lengths[this.#entries[index]!]!
      const fill = this.#counts[index]! / (1 - b + (b * length) / referenceLength)
      if (fill > best) best = fill
    }
    return best
  }

  #writeBlock(): void {
    const count = this.#filled
    let allDeltas = 0
    let allCounts = 0
    for (let index = 0, before = this.#before; index < count; index++) {
      const entry = this.#entries[index]!
      const delta = entry - before - 1
      before = entry
      this.#deltas[index] = delta
      allDeltas |= delta
      allCounts |= --this.#counts[index]!
    }
    this.#before = this.#entries[count - 1]!
    const deltaBits = bitsOf(allDeltas)
    const countBits = bitsOf(allCounts)
    const { words } = this
    words.reserve(1 + packedWords(count, deltaBits) + packedWords(count, countBits))
    words.words[words.length++] = deltaBits | (countBits << 6) | ((count - 1) << 12)
    pack(this.#deltas, count, deltaBits, words.words, words.length)
    words.length += packedWords(count, deltaBits)
    pack(this.#counts, count, countBits, words.words, words.length)
    words.length += packedWords(count, countBits)
    this.#filled = 0
  }
}
