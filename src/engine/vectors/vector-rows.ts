// Vectors as int8 rows in shared memory. A row has the same bytes in memory and in its file.
import { crc32 } from 'node:zlib'
import { type SharedMemory, wasm } from './wasm.ts'

/** Lets a thread scan the rows that another thread writes. */
export interface VectorImage {
  memory: SharedMemory
  dimension: number
  /** The maximum number of rows. */
  capacity: number
}

/**
 * The bytes after the values of a row: the scale, the two words of the content hash, and the CRC-32 of the bytes before
 * it.
 */
const TAIL = 16
const PAGE = 65_536
/** The rows start after one memory page for each scanning thread. */
export const MAX_SCANNERS = 16
export const ROWS_OFFSET = MAX_SCANNERS * PAGE
/** 4 GiB, which is the address space of 32-bit WebAssembly. */
const MAX_PAGES = 65_536
const GROW_PAGES = 64

/** The number of values per row: the dimension, padded with zeros to the width of one SIMD instruction. */
export const paddedDimension = (dimension: number): number => Math.ceil(dimension / 16) * 16
export const vectorRowBytes = (dimension: number): number => paddedDimension(dimension) + TAIL

export function createVectorImage(dimension: number, maxPages = MAX_PAGES): VectorImage {
  const memory = new wasm.Memory({ initial: MAX_SCANNERS, maximum: maxPages, shared: true })
  return { memory, dimension, capacity: Math.floor((maxPages * PAGE - ROWS_OFFSET) / vectorRowBytes(dimension)) }
}

/** Writes rows. There is one writer per index. */
export class VectorRows {
  readonly #image: VectorImage
  readonly #width: number
  readonly #rowBytes: number
  #bytes: Buffer
  #words: Uint32Array

  constructor(image: VectorImage) {
    this.#image = image
    this.#width = paddedDimension(image.dimension)
    this.#rowBytes = vectorRowBytes(image.dimension)
    this.#bytes = Buffer.from(image.memory.buffer)
    this.#words = new Uint32Array(image.memory.buffer)
  }

  /** Grows the memory to hold this many rows. Throws RangeError if that exceeds the capacity. */
  reserve(rows: number): void {
    const { memory, dimension, capacity } = this.#image
    if (rows > capacity) {
      throw new RangeError(`the index is full: it holds at most ${capacity} vectors of dimension ${dimension}`)
    }
    const missing = ROWS_OFFSET + rows * this.#rowBytes - memory.buffer.byteLength
    if (missing <= 0) return
    const isNearEnd = capacity - rows < (GROW_PAGES * PAGE) / this.#rowBytes
    memory.grow(Math.max(isNearEnd ? 1 : GROW_PAGES, Math.ceil(missing / PAGE)))
    this.#bytes = Buffer.from(memory.buffer)
    this.#words = new Uint32Array(memory.buffer)
  }

  write(slot: number, vector: Float32Array, hashHigh: number, hashLow: number): void {
    this.reserve(slot + 1)
    const at = this.#offsetOf(slot)
    const values = new Int8Array(this.#bytes.buffer, at, this.#width)
    const tail = (at + this.#width) >>> 2
    new Float32Array(this.#bytes.buffer, tail * 4, 1)[0] = quantize(vector, values)
    this.#words[tail + 1] = hashHigh
    this.#words[tail + 2] = hashLow
    this.#words[tail + 3] = this.#checksum(at)
  }

  /** The rows in the format of the file. */
  bytes(slot: number, count: number): Buffer {
    const at = this.#offsetOf(slot)
    return this.#bytes.subarray(at, at + count * this.#rowBytes)
  }

  hashHigh(slot: number): number {
    return this.#tailWord(slot, 1)
  }

  hashLow(slot: number): number {
    return this.#tailWord(slot, 2)
  }

  isIntact(slot: number): boolean {
    const at = this.#offsetOf(slot)
    return this.#words[((at + this.#width) >>> 2) + 3] === this.#checksum(at)
  }

  /** A word after the values of the row. */
  #tailWord(slot: number, index: number): number {
    return this.#words[((this.#offsetOf(slot) + this.#width) >>> 2) + index]!
  }

  #offsetOf(slot: number): number {
    return ROWS_OFFSET + slot * this.#rowBytes
  }

  #checksum(at: number): number {
    return crc32(this.#bytes.subarray(at, at + this.#rowBytes - 4))
  }
}

/** Fills `row` and returns the scale that restores the values. */
export function quantize(vector: Float32Array, row: Int8Array | Int16Array): number {
  let most = 0
  for (const value of vector) most = Math.max(most, Math.abs(value))
  const scale = most / 127 || 1
  row.set(vector.map((value) => Math.round(value / scale)))
  return scale
}
