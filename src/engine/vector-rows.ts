// Vectors as rows of int8 in memory that threads share. A row lies in its file as it lies in memory.
import { crc32 } from 'node:zlib'
import { type SharedMemory, wasm } from './wasm.ts'

/** What a thread needs to scan the rows that another one writes. */
export interface VectorImage {
  memory: SharedMemory
  dimension: number
  /** How many rows there may be. */
  capacity: number
}

export const NO_SLOT = 0xffffffff
/** Bytes after the values of a row: its scale, the two words of its mark, and the CRC-32 of all before. */
const TAIL = 16
const PAGE = 65_536
/** The rows start after one page for each thread that may scan. */
export const MAX_SCANNERS = 16
export const ROWS_AT = MAX_SCANNERS * PAGE
/** 4 GiB: what an address of WebAssembly reaches. */
const MAX_PAGES = 65_536
const GROW_PAGES = 64

/** Values per row: the dimension, filled up with zeros to what one instruction reads. */
export const widthOf = (dimension: number): number => Math.ceil(dimension / 16) * 16
export const strideOf = (dimension: number): number => widthOf(dimension) + TAIL

export function createVectorImage(dimension: number, maxPages = MAX_PAGES): VectorImage {
  const memory = new wasm.Memory({ initial: MAX_SCANNERS, maximum: maxPages, shared: true })
  return { memory, dimension, capacity: Math.floor((maxPages * PAGE - ROWS_AT) / strideOf(dimension)) }
}

/** Where the one writer of the rows writes them. */
export class VectorRows {
  readonly #image: VectorImage
  readonly #width: number
  readonly #stride: number
  #bytes: Buffer
  #words: Uint32Array

  constructor(image: VectorImage) {
    this.#image = image
    this.#width = widthOf(image.dimension)
    this.#stride = strideOf(image.dimension)
    this.#bytes = Buffer.from(image.memory.buffer)
    this.#words = new Uint32Array(image.memory.buffer)
  }

  /** Makes room for so many rows in all. Throws RangeError when there is none. */
  reserve(rows: number): void {
    const { memory, dimension, capacity } = this.#image
    if (rows > capacity) {
      throw new RangeError(`the index takes no more vectors: ${capacity} of ${dimension} values are the most it holds`)
    }
    const missing = ROWS_AT + rows * this.#stride - memory.buffer.byteLength
    if (missing <= 0) return
    const isNearEnd = capacity - rows < (GROW_PAGES * PAGE) / this.#stride
    memory.grow(Math.max(isNearEnd ? 1 : GROW_PAGES, Math.ceil(missing / PAGE)))
    this.#bytes = Buffer.from(memory.buffer)
    this.#words = new Uint32Array(memory.buffer)
  }

  write(slot: number, vector: Float32Array, markHigh: number, markLow: number): void {
    this.reserve(slot + 1)
    const at = this.#at(slot)
    const values = new Int8Array(this.#bytes.buffer, at, this.#width)
    const tail = (at + this.#width) >>> 2
    new Float32Array(this.#bytes.buffer, tail * 4, 1)[0] = quantize(vector, values)
    this.#words[tail + 1] = markHigh
    this.#words[tail + 2] = markLow
    this.#words[tail + 3] = this.#checksum(at)
  }

  /** The rows as they lie in the file. */
  bytes(slot: number, count: number): Buffer {
    const at = this.#at(slot)
    return this.#bytes.subarray(at, at + count * this.#stride)
  }

  markHigh(slot: number): number {
    return this.#words[((this.#at(slot) + this.#width) >>> 2) + 1]!
  }

  markLow(slot: number): number {
    return this.#words[((this.#at(slot) + this.#width) >>> 2) + 2]!
  }

  isWhole(slot: number): boolean {
    const at = this.#at(slot)
    return this.#words[((at + this.#width) >>> 2) + 3] === this.#checksum(at)
  }

  #at(slot: number): number {
    return ROWS_AT + slot * this.#stride
  }

  #checksum(at: number): number {
    return crc32(this.#bytes.subarray(at, at + this.#stride - 4))
  }
}

/** Fills `row` and gives the scale that turns it back. */
export function quantize(vector: Float32Array, row: Int8Array | Int16Array): number {
  let most = 0
  for (const value of vector) most = Math.max(most, Math.abs(value))
  const scale = most / 127 || 1
  for (let at = 0; at < vector.length; at++) row[at] = Math.round(vector[at]! / scale)
  return scale
}
