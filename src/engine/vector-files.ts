// The two files of an index's vectors: int8 rows, read into memory when it opens, and the floats as they came, read for
// the few that are weighed exactly. A float row ends with its mark and the CRC-32 of all before.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { createRowFile, faultOf, kindOf, openRowFile, type RowFile, type RowKind } from './row-file.ts'
import { strideOf } from './vector-rows.ts'

const TAIL_WORDS = 4

export interface VectorFiles {
  rows: RowFile
  floats: RowFile
  /** Why older vectors were left behind, if there were any. */
  loss: string | undefined
}

export const floatRowBytes = (dimension: number): number => (dimension + TAIL_WORDS) * 4

const rowsPath = (dir: string) => join(dir, 'vectors.rows')
export const floatsPath = (dir: string): string => join(dir, 'vectors.floats')

/** Files of another model, and what is not such a file, give way to empty ones. */
export function openVectorFiles(dir: string, model: string, dimension: number): VectorFiles {
  const kinds = [
    { path: rowsPath(dir), kind: { model, dimension, rows: 'int8' as const }, rowBytes: strideOf(dimension) },
    { path: floatsPath(dir), kind: { model, dimension, rows: 'float' as const }, rowBytes: floatRowBytes(dimension) },
  ] as const
  const wereThere = kinds.some(({ path }) => existsSync(path))
  const faults = kinds.map(({ path, kind }) => faultOf(path, kind)).filter((it) => it !== undefined)
  if (faults.length > 0) removeVectorFiles(dir)
  const [rows, floats] = kinds.map(({ path, kind, rowBytes }) =>
    faults.length > 0 ? createRowFile(path, kind, rowBytes) : openRowFile(path, 'r+', rowBytes),
  )
  return { rows: rows!, floats: floats!, loss: wereThere ? faults[0] : undefined }
}

/** What the vectors in the folder were made by; undefined where there are none that could be read. */
export const vectorKindIn = (dir: string): RowKind | undefined => kindOf(rowsPath(dir))

/** Whether there were any. */
export function removeVectorFiles(dir: string): boolean {
  const paths = [rowsPath(dir), floatsPath(dir)].filter((path) => existsSync(path))
  for (const path of paths) rmSync(path)
  return paths.length > 0
}

export class FloatRow {
  readonly bytes: Buffer
  readonly #words: Uint32Array
  readonly #floats: Float32Array

  constructor(dimension: number) {
    const buffer = new ArrayBuffer(floatRowBytes(dimension))
    this.bytes = Buffer.from(buffer)
    this.#words = new Uint32Array(buffer)
    this.#floats = new Float32Array(buffer, 0, dimension)
  }

  set(vector: Float32Array, markHigh: number, markLow: number): void {
    this.#floats.set(vector)
    const tail = this.#floats.length
    this.#words[tail] = markHigh
    this.#words[tail + 1] = markLow
    this.#words[tail + 2] = this.#checksum()
  }

  /** Undefined when the row is damaged or another text's. The next call uses the array again. */
  get(markHigh: number, markLow: number): Float32Array | undefined {
    const tail = this.#floats.length
    const isSame = this.#words[tail] === markHigh && this.#words[tail + 1] === markLow
    return isSame && this.#words[tail + 2] === this.#checksum() ? this.#floats : undefined
  }

  #checksum(): number {
    return crc32(this.bytes.subarray(0, (this.#floats.length + 2) * 4))
  }
}

export interface FloatReader {
  /** Undefined when the row is damaged, cannot be read, or is another text's. The next call uses the array again. */
  read(slot: number, markHigh: number, markLow: number): Float32Array | undefined
}

export function floatReader(floats: Pick<RowFile, 'read'>, dimension: number): FloatReader {
  const row = new FloatRow(dimension)
  return {
    read(slot, markHigh, markLow) {
      return isRead(floats, slot, row.bytes) ? row.get(markHigh, markLow) : undefined
    },
  }
}

export function isRead(file: Pick<RowFile, 'read'>, slot: number, target: Uint8Array): boolean {
  try {
    return file.read(slot, target)
  } catch (error) {
    // A bad spot of the disk costs the vectors on it, not the search.
    if ((error as NodeJS.ErrnoException).code === 'EIO') return false
    throw error
  }
}
