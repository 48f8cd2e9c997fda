// Dot products of a query vector with many rows, by WASM SIMD if it is available, else by a plain loop with the same
// results.
import { readFileSync } from 'node:fs'
import { paddedDimension, quantize, ROWS_OFFSET, type VectorImage, vectorRowBytes } from './vector-rows.ts'
import { wasm } from './wasm.ts'

/** The number of rows per batch. */
export const MAX_BATCH = 4096

export interface DotProducts {
  /** The caller fills in slots. */
  slots: Uint32Array
  /** Receives the products of the first `count` slots. */
  out: Float32Array
  setQuery(vector: Float32Array): void
  run(count: number): void
}

const PAGE = 65_536
const QUERY_AT = 0
const SLOTS_AT = 8_192
const OUT_AT = SLOTS_AT + MAX_BATCH * 4
/** A query of 16-bit integers must fit before the slots. */
export const MAX_DIMENSION = (SLOTS_AT - QUERY_AT) / 2

const binary = readFileSync(new URL('./int8-dots.wasm', import.meta.url))

/** Each scanner has its own memory page for queries and results. */
export function createDotProducts(
  image: VectorImage,
  scanner: number,
  mayUseSimd = wasm.validate(binary),
): DotProducts {
  return mayUseSimd ? simdDotProducts(image, scanner) : plainDotProducts(image)
}

function simdDotProducts({ memory, dimension }: VectorImage, scanner: number): DotProducts {
  const page = scanner * PAGE
  const width = paddedDimension(dimension)
  const instance = new wasm.Instance(new wasm.Module(binary), { engine: { memory } })
  // The module's export has the signature that `int8-dots.wat` declares.
  const dots = instance.exports.dots as (...addresses: number[]) => void
  const query = new Int16Array(memory.buffer, page + QUERY_AT, width)
  const out = new Float32Array(memory.buffer, page + OUT_AT, MAX_BATCH)
  let queryScale = 1
  return {
    slots: new Uint32Array(memory.buffer, page + SLOTS_AT, MAX_BATCH),
    out,
    setQuery(vector) {
      queryScale = quantize(vector, query.fill(0))
    },
    run(count) {
      dots(page + QUERY_AT, ROWS_OFFSET, width, page + SLOTS_AT, count, page + OUT_AT)
      for (let at = 0; at < count; at++) out[at]! *= queryScale
    },
  }
}

function plainDotProducts({ memory, dimension }: VectorImage): DotProducts {
  const width = paddedDimension(dimension)
  const stride = vectorRowBytes(dimension)
  const query = new Int16Array(width)
  const slots = new Uint32Array(MAX_BATCH)
  const out = new Float32Array(MAX_BATCH)
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
        const row = ROWS_OFFSET + slots[at]! * stride
        let sum = 0
        for (let index = 0; index < dimension; index++) sum += query[index]! * values[row + index]!
        out[at] = Math.fround(scales[(row + width) >>> 2]! * Math.fround(sum)) * queryScale
      }
    },
  }
}
