// Finds the strings of a dictionary within an edit distance of a word.
import { BLOCK, type Dictionary } from '../codec/dictionary.ts'
import { decodeText } from '../codec/text-encoding.ts'
import { EditDistanceTable } from './edit-distance-table.ts'

export interface FuzzyMatch {
  text: string
  ordinal: number
  /** Letters inserted, deleted, replaced, or swapped with their neighbour. */
  edits: number
}

/**
 * Walks the dictionary with one row of distances per letter. Strings that share a prefix share its rows. A prefix that
 * is too far from every prefix of the word rules out all strings that start with it, and most blocks as a whole.
 */
export function* fuzzyMatches(dictionary: Dictionary, word: string, maxEdits: 1 | 2): Generator<FuzzyMatch> {
  const walk = new FuzzyWalk(dictionary, word, maxEdits)
  while (walk.next()) yield { text: walk.text(), ordinal: walk.ordinal, edits: walk.edits }
}

/** Reads the front-coded bytes itself: most strings are passed without being put together. */
class FuzzyWalk {
  readonly #dictionary: Dictionary
  readonly #table: EditDistanceTable
  #at = 0
  #buffer = Buffer.allocUnsafe(256)
  /** The number of leading bytes of the buffer that belong to the last string. */
  #known = 0
  /** The length of the last string in bytes. */
  #length = 0
  /** The length of the prefix of the last string that rules it out, in bytes; infinite if there is none. */
  #deadLength = Infinity
  ordinal = -1

  constructor(dictionary: Dictionary, word: string, maxEdits: 1 | 2) {
    this.#dictionary = dictionary
    this.#table = new EditDistanceTable(word, maxEdits)
  }

  get edits(): number {
    return this.#table.edits
  }

  text(): string {
    return decodeText(this.#buffer.subarray(0, this.#length))
  }

  /** Moves to the next match. Returns false if there is none. */
  next(): boolean {
    const { bytes, size } = this.#dictionary
    while (++this.ordinal < size) {
      const isFirst = this.ordinal % BLOCK === 0
      // Lengths of one byte are read here, because nearly all are and this is most of the work.
      let shared = bytes[this.#at]!
      if (shared < 0x80) this.#at++
      else shared = this.#readVarint()
      let added = bytes[this.#at]!
      if (added < 0x80) this.#at++
      else added = this.#readVarint()
      const start = this.#at
      this.#at = start + added
      if (isFirst) shared = this.#sharedWithLast(start, added)
      if (shared >= this.#deadLength) {
        this.#known = this.#deadLength
        continue
      }
      const from = isFirst ? start : start - shared
      this.#length = isFirst ? added : shared + added
      this.#append(bytes, from, shared)
      this.#deadLength = this.#table.readString(this.#buffer, this.#length, shared)
      if (this.#deadLength < Infinity) this.#passDeadBlocks()
      else if (this.#table.isMatch) return true
    }
    return false
  }

  #readVarint(): number {
    const { bytes } = this.#dictionary
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[this.#at++]!
      value |= (byte & 127) << shift
      if (byte < 0x80) return value
    }
  }

  /** The first string of a block is stored whole, although it shares a prefix with the last string. */
  #sharedWithLast(start: number, length: number): number {
    const { bytes } = this.#dictionary
    const most = Math.min(length, this.#known)
    let shared = 0
    while (shared < most && bytes[start + shared] === this.#buffer[shared]) shared++
    return shared
  }

  /** Copies the string from its byte `shared` on; `from` is where the whole string would start. */
  #append(bytes: Uint8Array, from: number, shared: number): void {
    const length = this.#length
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(2 * length)
      larger.set(this.#buffer)
      this.#buffer = larger
    }
    const buffer = this.#buffer
    for (let index = shared; index < length; index++) buffer[index] = bytes[from + index]!
    this.#known = length
  }

  /** If the next block starts with the dead prefix, so do all strings before it. */
  #passDeadBlocks(): void {
    const { blocks } = this.#dictionary
    const resumeAt = this.#at
    const current = Math.floor(this.ordinal / BLOCK)
    let block = current
    while (block + 1 < blocks.length && this.#startsDead(block + 1)) block++
    this.#at = block === current ? resumeAt : blocks[block]!
    if (block === current) return
    this.ordinal = block * BLOCK - 1
    this.#known = this.#deadLength
  }

  #startsDead(block: number): boolean {
    const { bytes, blocks } = this.#dictionary
    this.#at = blocks[block]! + 1
    if (this.#readVarint() < this.#deadLength) return false
    for (let index = 0; index < this.#deadLength; index++) {
      if (bytes[this.#at + index] !== this.#buffer[index]) return false
    }
    return true
  }
}
