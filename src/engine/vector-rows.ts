// Vectors as rows of int8 in memory that threads share, each with the scale that turns it back.
import { type SharedMemory, wasm } from './wasm.ts'

/** What a thread needs to scan the rows that another one writes. */
export interface VectorImage {
  memory: SharedMemory
  dimension: number
}

export const NO_SLOT = 0xffffffff
/** Bytes after the values of a row; its scale is in the first four. */
const TAIL = 16
const PAGE = 65_536
/** The rows start after one page for each thread that may scan. */
export const MAX_SCANNERS = 16
export const ROWS_AT = MAX_SCANNERS * PAGE
const MAX_PAGES = 65_536
const GROW_PAGES = 64

/** Values per row: the dimension, filled up with zeros to what one instruction reads. */
export const widthOf = (dimension: number): number => Math.ceil(dimension / 16) * 16
export const strideOf = (dimension: number): number => widthOf(dimension) + TAIL

/** The one writer of the rows. A row stays where it is for as long as it is used, whatever happens to segments. */
export class VectorRows {
  readonly image: VectorImage
  readonly #freed: number[] = []
  #rows = 0

  constructor(dimension: number) {
    const memory = new wasm.Memory({ initial: MAX_SCANNERS + GROW_PAGES, maximum: MAX_PAGES, shared: true })
    this.image = { memory, dimension }
  }

  add(vector: Float32Array): number {
    const slot = this.#freed.pop() ?? this.#rows++
    const { memory, dimension } = this.image
    const at = ROWS_AT + slot * strideOf(dimension)
    const missing = at + strideOf(dimension) - memory.buffer.byteLength
    if (missing > 0) memory.grow(Math.max(GROW_PAGES, Math.ceil(missing / PAGE)))
    const row = new Int8Array(memory.buffer, at, widthOf(dimension))
    new Float32Array(memory.buffer, at + row.length, 1)[0] = quantize(vector, row)
    return slot
  }

  /** The caller knows that nobody scans the row any longer. */
  free(slot: number): void {
    this.#freed.push(slot)
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
