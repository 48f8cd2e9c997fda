// The two vector files of an index: int8 rows, which are loaded into memory, and the original floats, which are read to
// rescore the best candidates. A float row ends with its content hash and the CRC-32 of the bytes before it.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import {
  createRowFile,
  findHeaderMismatch,
  openRowFile,
  type RowFile,
  type RowFileHeader,
  readRowFileHeader,
} from './row-file.ts'
import { vectorRowBytes } from './vector-rows.ts'

const TAIL_WORDS = 4

export interface VectorFiles {
  rows: RowFile
  floats: RowFile
  /** Why older vectors were dropped, if there were any. */
  dropReason: string | undefined
}

export const floatRowBytes = (dimension: number): number => (dimension + TAIL_WORDS) * 4

const rowsPath = (dir: string) => join(dir, 'vectors.rows')
export const floatsPath = (dir: string): string => join(dir, 'vectors.floats')

/** Replaces files of another model, and files in another format, with empty ones. */
export function openVectorFiles(dir: string, model: string, dimension: number): VectorFiles {
  const kinds = [
    { path: rowsPath(dir), kind: { model, dimension, rows: 'int8' as const }, rowBytes: vectorRowBytes(dimension) },
    { path: floatsPath(dir), kind: { model, dimension, rows: 'float' as const }, rowBytes: floatRowBytes(dimension) },
  ] as const
  const wereThere = kinds.some(({ path }) => existsSync(path))
  const mismatches = kinds.map(({ path, kind }) => findHeaderMismatch(path, kind)).filter((it) => it !== undefined)
  if (mismatches.length > 0) removeVectorFiles(dir)
  const open = ({ path, kind, rowBytes }: (typeof kinds)[number]) =>
    mismatches.length > 0 ? createRowFile(path, kind, rowBytes) : openRowFile(path, 'r+', rowBytes)
  return { rows: open(kinds[0]), floats: open(kinds[1]), dropReason: wereThere ? mismatches[0] : undefined }
}

/** The header of the vectors in the folder, or undefined if none can be read. */
export const readVectorHeader = (dir: string): RowFileHeader | undefined => readRowFileHeader(rowsPath(dir))

/** Returns true if there were any. */
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

  set(vector: Float32Array, hashHigh: number, hashLow: number): void {
    this.#floats.set(vector)
    const tail = this.#floats.length
    this.#words[tail] = hashHigh
    this.#words[tail + 1] = hashLow
    this.#words[tail + 2] = this.#checksum()
  }

  /** Returns undefined if the row is damaged or belongs to another text. The next call reuses the array. */
  get(hashHigh: number, hashLow: number): Float32Array | undefined {
    const tail = this.#floats.length
    const isSame = this.#words[tail] === hashHigh && this.#words[tail + 1] === hashLow
    return isSame && this.#words[tail + 2] === this.#checksum() ? this.#floats : undefined
  }

  #checksum(): number {
    return crc32(this.bytes.subarray(0, (this.#floats.length + 2) * 4))
  }
}

export interface FloatReader {
  /**
   * Returns undefined if the row is damaged, cannot be read, or belongs to another text. The next call reuses the
   * array.
   */
  read(slot: number, hashHigh: number, hashLow: number): Float32Array | undefined
}

export function createFloatReader(floats: Pick<RowFile, 'read'>, dimension: number): FloatReader {
  const row = new FloatRow(dimension)
  return {
    read(slot, hashHigh, hashLow) {
      return tryRead(floats, slot, row.bytes) ? row.get(hashHigh, hashLow) : undefined
    },
  }
}

export function tryRead(file: Pick<RowFile, 'read'>, slot: number, target: Uint8Array): boolean {
  try {
    return file.read(slot, target)
  } catch (error) {
    // A bad disk sector costs the vectors on it, not the search.
    if (error instanceof Error && 'code' in error && error.code === 'EIO') return false
    throw error
  }
}
