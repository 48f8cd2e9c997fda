// Reads the postings of a term: block by block, or those of one entry.
import { packedWords, unpack } from './bits.ts'
import { BLOCK } from './postings-writer.ts'

export interface PostingsTable {
  words: Uint32Array
  sizes: Uint32Array
  /** Groups per term. */
  groups: Uint32Array
  starts: Uint32Array
  blockLast: Uint32Array
  blockStart: Uint32Array
  blockBound: Float32Array
  lengths: Uint16Array | Uint32Array
  b: number
  referenceLength: number
}

/** Made once and opened for one term after another, because making its arrays costs more than reading a short term. */
export class PostingsCursor {
  readonly entries = new Uint32Array(BLOCK)
  readonly counts = new Uint32Array(BLOCK)
  /** Postings in the block that is unpacked. */
  filled = 0
  /** The first block that can hold an entry of the window. */
  block = 0
  blocks = 0
  #unpacked = -1
  #table!: PostingsTable
  #first = 0
  #isShort = false
  #shortBound = 0
  #shortLast = 0

  open(table: PostingsTable, term: number): void {
    const size = table.sizes[term]!
    this.#table = table
    this.#first = table.starts[term]!
    this.#isShort = size <= BLOCK
    this.blocks = Math.ceil(size / BLOCK)
    this.block = 0
    this.#unpacked = -1
    if (this.#isShort) this.#openShort()
  }

  lastOf(block: number): number {
    return this.#isShort ? this.#shortLast : this.#table.blockLast[this.#first + block]!
  }

  /** At least `count / (1 - b + b * length / referenceLength)` of every posting in the block. */
  boundOf(block: number): number {
    return this.#isShort ? this.#shortBound : this.#table.blockBound[this.#first + block]!
  }

  /** Moves `block` to the window that starts at `from`; false when the term has no entry there or after. */
  moveTo(from: number): boolean {
    while (this.block < this.blocks && this.lastOf(this.block) < from) this.block++
    return this.block < this.blocks
  }

  /** The highest bound of the blocks that reach into the window, 0 if none does; needs `moveTo(from)`. */
  boundUntil(until: number): number {
    let bound = 0
    for (let block = this.block; block < this.blocks; block++) {
      if (block > 0 && this.lastOf(block - 1) >= until - 1) break
      bound = Math.max(bound, this.boundOf(block))
    }
    return bound
  }

  unpack(block: number): void {
    if (block === this.#unpacked) return
    const { blockStart } = this.#table
    this.#unpackAt(
      this.#isShort ? this.#first : blockStart[this.#first + block]!,
      block === 0 ? -1 : this.lastOf(block - 1),
    )
    this.#unpacked = block
  }

  /** The block at or after `block` that holds `entry` if any does. */
  blockOf(entry: number): number {
    let block = this.block
    while (block < this.blocks && this.lastOf(block) < entry) block++
    return block
  }

  /** How often the entry holds the term. The entry lies in the window or after it. */
  countAt(entry: number): number {
    const block = this.blockOf(entry)
    if (block === this.blocks) return 0
    this.unpack(block)
    const index = this.indexOf(entry)
    return index < this.filled && this.entries[index] === entry ? this.counts[index]! : 0
  }

  /** Of the unpacked block, the first posting that is not before `entry`. */
  indexOf(entry: number): number {
    let low = 0
    let high = this.filled
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.entries[middle]! < entry) low = middle + 1
      else high = middle
    }
    return low
  }

  #openShort(): void {
    this.#unpackAt(this.#first, -1)
    this.#unpacked = 0
    const { lengths, b, referenceLength } = this.#table
    this.#shortLast = this.entries[this.filled - 1]!
    this.#shortBound = 0
    for (let index = 0; index < this.filled; index++) {
      const fill = this.counts[index]! / (1 - b + (b * lengths[this.entries[index]!]!) / referenceLength)
      if (fill > this.#shortBound) this.#shortBound = fill
    }
  }

  #unpackAt(at: number, before: number): void {
    const { words } = this.#table
    const { entries, counts } = this
    const header = words[at]!
    const deltaBits = header & 63
    const countBits = (header >>> 6) & 63
    const count = (header >>> 12) + 1
    unpack(words, at + 1, deltaBits, count, entries)
    unpack(words, at + 1 + packedWords(count, deltaBits), countBits, count, counts)
    for (let index = 0, entry = before; index < count; index++) {
      entry += entries[index]! + 1
      entries[index] = entry
      counts[index]!++
    }
    this.filled = count
  }
}
