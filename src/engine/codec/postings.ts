// Reads the postings of a term, either block by block or for a single passage.
import { packedLength, unpack } from './bits.ts'
import { BLOCK } from './postings-writer.ts'

export interface PostingsTable {
  packed: Uint32Array
  passageCounts: Uint32Array
  /** The number of groups per term. */
  groupCounts: Uint32Array
  starts: Uint32Array
  blockLast: Uint32Array
  blockStart: Uint32Array
  blockBound: Float32Array
  lengths: Uint16Array | Uint32Array
  b: number
  referenceLength: number
}

/**
 * A cursor is created once and opened for one term after another: allocating its arrays costs more than reading a short
 * term.
 */
export class PostingsCursor {
  readonly passages = new Uint32Array(BLOCK)
  readonly frequencies = new Uint32Array(BLOCK)
  /** The number of postings in the unpacked block. */
  unpackedCount = 0
  /** The first block that can contain a passage of the window. */
  block = 0
  blocks = 0
  #unpackedBlock = -1
  #table!: PostingsTable
  #start = 0
  #isShort = false
  #shortBound = 0
  #shortLast = 0

  open(table: PostingsTable, term: number): void {
    const size = table.passageCounts[term]!
    this.#table = table
    this.#start = table.starts[term]!
    this.#isShort = size <= BLOCK
    this.blocks = Math.ceil(size / BLOCK)
    this.block = 0
    this.#unpackedBlock = -1
    if (this.#isShort) this.#openShort()
  }

  lastPassageOf(block: number): number {
    return this.#isShort ? this.#shortLast : this.#table.blockLast[this.#start + block]!
  }

  /** An upper bound of `count / (1 - b + b * length / referenceLength)` over the postings of the block. */
  boundOf(block: number): number {
    return this.#isShort ? this.#shortBound : this.#table.blockBound[this.#start + block]!
  }

  /** Moves `block` to the window that starts at `from`. Returns false if the term has no passage at or after `from`. */
  advanceTo(from: number): boolean {
    while (this.block < this.blocks && this.lastPassageOf(this.block) < from) this.block++
    return this.block < this.blocks
  }

  /**
   * The highest bound of the blocks that overlap the window, or 0 if there is none. `advanceTo(from)` must be called
   * first.
   */
  boundUntil(until: number): number {
    let bound = 0
    for (let block = this.block; block < this.blocks; block++) {
      if (block > 0 && this.lastPassageOf(block - 1) >= until - 1) break
      bound = Math.max(bound, this.boundOf(block))
    }
    return bound
  }

  unpack(block: number): void {
    if (block === this.#unpackedBlock) return
    const { blockStart } = this.#table
    this.#unpackBlock(
      this.#isShort ? this.#start : blockStart[this.#start + block]!,
      block === 0 ? -1 : this.lastPassageOf(block - 1),
    )
    this.#unpackedBlock = block
  }

  /** The first block from `block` on that can contain the passage. */
  blockFor(passage: number): number {
    let block = this.block
    while (block < this.blocks && this.lastPassageOf(block) < passage) block++
    return block
  }

  /** The frequency of the term in the passage, which must lie in the window or after it. */
  frequencyAt(passage: number): number {
    const block = this.blockFor(passage)
    if (block === this.blocks) return 0
    this.unpack(block)
    const index = this.firstIndexFrom(passage)
    return index < this.unpackedCount && this.passages[index] === passage ? this.frequencies[index]! : 0
  }

  /** The index of the first posting in the unpacked block whose passage is not before `passage`. */
  firstIndexFrom(passage: number): number {
    let low = 0
    let high = this.unpackedCount
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.passages[middle]! < passage) low = middle + 1
      else high = middle
    }
    return low
  }

  #openShort(): void {
    this.#unpackBlock(this.#start, -1)
    this.#unpackedBlock = 0
    const { lengths, b, referenceLength } = this.#table
    this.#shortLast = this.passages[this.unpackedCount - 1]!
    this.#shortBound = 0
    for (let index = 0; index < this.unpackedCount; index++) {
      const fill = this.frequencies[index]! / (1 - b + (b * lengths[this.passages[index]!]!) / referenceLength)
      if (fill > this.#shortBound) this.#shortBound = fill
    }
  }

  #unpackBlock(at: number, before: number): void {
    const { packed } = this.#table
    const { passages, frequencies } = this
    const header = packed[at]!
    const deltaBits = header & 63
    const countBits = (header >>> 6) & 63
    const count = (header >>> 12) + 1
    unpack(packed, at + 1, deltaBits, count, passages)
    unpack(packed, at + 1 + packedLength(count, deltaBits), countBits, count, frequencies)
    for (let index = 0, passage = before; index < count; index++) {
      passage += passages[index]! + 1
      passages[index] = passage
      frequencies[index]!++
    }
    this.unpackedCount = count
  }
}
