// The dot products of a query with many rows: by WASM SIMD where it runs, else by a plain loop with the same results.
import { readFileSync } from 'node:fs'
import { quantize, ROWS_AT, strideOf, type VectorImage, widthOf } from './vector-rows.ts'
import { wasm } from './wasm.ts'

/** Rows at a time. */
export const DOTS = 4096

export interface Dots {
  /** To be filled with row numbers. */
  slots: Uint32Array
  /** Takes the products with the first `count` rows of `slots`. */
  out: Float32Array
  setQuery(vector: Float32Array): void
  run(count: number): void
}

const PAGE = 65_536
const QUERY_AT = 0
const SLOTS_AT = 8_192
const OUT_AT = SLOTS_AT + DOTS * 4
/** A query of i16 must fit before the slots. */
export const MAX_DIMENSION = (SLOTS_AT - QUERY_AT) / 2

const binary = readFileSync(new URL('./int8-dots.wasm', import.meta.url))

/** Each scanner has a page of its own for what it asks and gets. */
export function createDots(image: VectorImage, scanner: number, mayUseSimd = wasm.validate(binary)): Dots {
  return mayUseSimd ? simdDots(image, scanner) : plainDots(image)
}

function simdDots({ memory, dimension }: VectorImage, scanner: number): Dots {
  const page = scanner * PAGE
  const width = widthOf(dimension)
  const instance = new wasm.Instance(new wasm.Module(binary), { engine: { memory } })
  // The type of what the module exports is known by its source alone.
  const dots = instance.exports.dots as (...places: number[]) => void
  const query = new Int16Array(memory.buffer, page + QUERY_AT, width)
  const out = new Float32Array(memory.buffer, page + OUT_AT, DOTS)
  let queryScale = 1
  return {
    slots: new Uint32Array(memory.buffer, page + SLOTS_AT, DOTS),
    out,
    setQuery(vector) {
      queryScale = quantize(vector, query.fill(0))
    },
    run(count) {
      dots(page + QUERY_AT, ROWS_AT, width, page + SLOTS_AT, count, page + OUT_AT)
      for (let at = 0; at < count; at++) out[at]! *= queryScale
    },
  }
}

function plainDots({ memory, dimension }: VectorImage): Dots {
  const width = widthOf(dimension)
  const stride = strideOf(dimension)
  const query = new Int16Array(width)
  const slots = new Uint32Array(DOTS)
  const out = new Float32Array(DOTS)
  let queryScale = 1
  return {
    slots,
    out,
    setQuery(vector) {
      queryScale = quantize(vector, query.fill(0))
    },
    run(count) {
      const values = new Int8Array(memory.buffer)
      const scales = new Float32Array(memory.buffer)
      for (let at = 0; at < count; at++) {
        const row = ROWS_AT + slots[at]! * stride
        let sum = 0
        for (let index = 0; index < dimension; index++) sum += query[index]! * values[row + index]!
        out[at] = Math.fround(scales[(row + width) >>> 2]! * Math.fround(sum)) * queryScale
      }
    },
  }
}
