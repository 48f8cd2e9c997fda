// Writes the postings of each term, passage numbers and term frequencies, in blocks of 128.
import { bitWidth, pack, packedLength } from './bits.ts'
import { GrowableUint32s } from './growable-buffer.ts'

export const BLOCK = 128

/** The parameters from which a block's upper bound is computed; see "Bounds" in `docs/engine.md`. */
export interface BoundParameters {
  b: number
  /** About the average passage length of the index. Bounds are tightest when it is exact. */
  referenceLength: number
}

/** Values per passage. */
export interface PassageStats {
  lengths: ArrayLike<number>
  groups: ArrayLike<number>
}

/**
 * A term with up to 128 postings has one block, addressed directly. A longer term has a table with one row per block:
 * the last passage, the address and the upper bound.
 */
export class PostingsWriter {
  readonly packed = new GrowableUint32s()
  /** The number of postings per term. */
  readonly passageCounts = new GrowableUint32s()
  /** The number of groups per term. */
  readonly groupCounts = new GrowableUint32s()
  /** Per term, the address of its block in `packed`, or of its first row in the table. */
  readonly starts = new GrowableUint32s()
  readonly blockLast = new GrowableUint32s()
  readonly blockStart = new GrowableUint32s()
  readonly #bounds = new GrowableUint32s()
  readonly #boundsAsFloat = new Float32Array(1)
  readonly #boundsAsBits = new Uint32Array(this.#boundsAsFloat.buffer)
  readonly #parameters: BoundParameters
  readonly #stats: PassageStats
  readonly #passages = new Uint32Array(BLOCK)
  readonly #frequencies = new Uint32Array(BLOCK)
  readonly #deltas = new Uint32Array(BLOCK)
  #blockSize = 0
  #passageCount = 0
  #groupCount = 0
  #lastGroup = -1
  #previousPassage = -1
  #termStart = 0

  constructor(parameters: BoundParameters, passages: PassageStats) {
    this.#parameters = parameters
    this.#stats = passages
  }

  /** The passages of a term come in ascending order; `frequency` is at least 1. */
  add(passage: number, frequency: number): void {
    if (this.#blockSize === BLOCK) {
      if (this.#passageCount === BLOCK) this.#termStart = this.blockLast.length
      this.#writeTableRow()
    }
    this.#passages[this.#blockSize] = passage
    this.#frequencies[this.#blockSize++] = frequency
    this.#passageCount++
    const group = this.#stats.groups[passage]!
    if (group === this.#lastGroup) return
    this.#lastGroup = group
    this.#groupCount++
  }

  endTerm(): void {
    if (this.#passageCount <= BLOCK) {
      this.#termStart = this.packed.length
      this.#writeBlock()
    } else {
      this.#writeTableRow()
    }
    this.passageCounts.push(this.#passageCount)
    this.groupCounts.push(this.#groupCount)
    this.starts.push(this.#termStart)
    this.#passageCount = 0
    this.#groupCount = 0
    this.#lastGroup = -1
    this.#previousPassage = -1
  }

  bounds(): Uint32Array {
    return this.#bounds.view()
  }

  #writeTableRow(): void {
    this.blockStart.push(this.packed.length)
    this.blockLast.push(this.#passages[this.#blockSize - 1]!)
    this.#boundsAsFloat[0] = this.#computeBound() * (1 + 2 ** -22)
    this.#bounds.push(this.#boundsAsBits[0]!)
    this.#writeBlock()
  }

  #computeBound(): number {
    const { b, referenceLength } = this.#parameters
    let best = 0
    for (let index = 0; index < this.#blockSize; index++) {
      const length = this.#stats.lengths[this.#passages[index]!]!
      const fill = this.#frequencies[index]! / (1 - b + (b * length) / referenceLength)
      if (fill > best) best = fill
    }
    return best
  }

  #writeBlock(): void {
    const count = this.#blockSize
    let allDeltas = 0
    let allCounts = 0
    for (let index = 0, before = this.#previousPassage; index < count; index++) {
      const passage = this.#passages[index]!
      const delta = passage - before - 1
      before = passage
      this.#deltas[index] = delta
      allDeltas |= delta
      allCounts |= --this.#frequencies[index]!
    }
    this.#previousPassage = this.#passages[count - 1]!
    const deltaBits = bitWidth(allDeltas)
    const countBits = bitWidth(allCounts)
    const { packed } = this
    packed.reserve(1 + packedLength(count, deltaBits) + packedLength(count, countBits))
    packed.values[packed.length++] = deltaBits | (countBits << 6) | ((count - 1) << 12)
    pack(this.#deltas, count, deltaBits, packed.values, packed.length)
    packed.length += packedLength(count, deltaBits)
    pack(this.#frequencies, count, countBits, packed.values, packed.length)
    packed.length += packedLength(count, countBits)
    this.#blockSize = 0
  }
}
