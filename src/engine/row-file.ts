// A file of rows of one size, behind a header that says by which model the vectors in them were made.
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

export interface RowKind {
  model: string
  dimension: number
  rows: 'int8' | 'float'
}

export interface RowFile {
  /** Whole rows that the file has. */
  count(): number
  /** Fills the target from this row on, or gives false when the file ends before. */
  read(slot: number, target: Uint8Array): boolean
  write(slot: number, rows: Uint8Array): void
  truncate(count: number): void
  sync(): void
  close(): void
}

const MAGIC = Buffer.from('PharosVe')
const FORMAT = 1
/** Rows start at a page of the disk. */
const HEADER_BYTES = 4096
const PREFIX_BYTES = MAGIC.length + 16

/** An empty file. Its header has not reached the disk before `sync`. */
export function createRowFile(path: string, kind: RowKind, rowBytes: number): RowFile {
  const header = headerOf(kind)
  const file = openSync(path, 'w+')
  writeFully(file, header, 0)
  return rowFile(file, rowBytes)
}

export function openRowFile(path: string, mode: 'r' | 'r+', rowBytes: number): RowFile {
  return rowFile(openSync(path, mode), rowBytes)
}

/** Why the file does not hold rows of this kind; undefined when it does. */
export function faultOf(path: string, kind: RowKind): string | undefined {
  if (!existsSync(path)) return `${path} is missing`
  const found = headerBytes(path)
  if (found.equals(headerOf(kind))) return undefined
  const other = readHeader(found)
  if (other === undefined) return `${path} is damaged or not ours`
  return `the vectors were made by ${other.model} with ${other.dimension} values, not by ${kind.model} with ${kind.dimension}`
}

/** Undefined where there is no such file, or it is damaged. */
export function kindOf(path: string): RowKind | undefined {
  if (!existsSync(path)) return undefined
  return readHeader(headerBytes(path))
}

function headerBytes(path: string): Buffer {
  const file = openSync(path, 'r')
  const found = Buffer.alloc(HEADER_BYTES)
  readSync(file, found, 0, HEADER_BYTES, 0)
  closeSync(file)
  return found
}

/** Numbers as this machine writes them, so that a file of a machine with the other order is not misread. */
function headerOf(kind: RowKind): Buffer {
  const json = Buffer.from(JSON.stringify(kind))
  if (PREFIX_BYTES + json.length > HEADER_BYTES) throw new RangeError('the name of the model is too long')
  const numbers = Uint32Array.of(FORMAT, 0x01020304, json.length, crc32(json))
  return Buffer.concat([MAGIC, Buffer.from(numbers.buffer), json], HEADER_BYTES)
}

function readHeader(header: Buffer): RowKind | undefined {
  const [format, , length = 0, crc] = new Uint32Array(
    Uint8Array.from(header.subarray(MAGIC.length, PREFIX_BYTES)).buffer,
  )
  const json = header.subarray(PREFIX_BYTES, PREFIX_BYTES + length)
  if (!header.subarray(0, MAGIC.length).equals(MAGIC) || format !== FORMAT || crc32(json) !== crc) return undefined
  // The checksum has just shown that `headerOf` wrote it.
  return JSON.parse(json.toString()) as RowKind
}

function rowFile(file: number, rowBytes: number): RowFile {
  const placeOf = (slot: number) => HEADER_BYTES + slot * rowBytes
  return {
    count: () => Math.max(0, Math.floor((fstatSync(file).size - HEADER_BYTES) / rowBytes)),
    read(slot, target) {
      for (let done = 0; done < target.length; ) {
        const found = readSync(file, target, done, target.length - done, placeOf(slot) + done)
        if (found === 0) return false
        done += found
      }
      return true
    },
    write: (slot, rows) => writeFully(file, rows, placeOf(slot)),
    truncate: (count) => ftruncateSync(file, placeOf(count)),
    sync: () => fsyncSync(file),
    close: () => closeSync(file),
  }
}

function writeFully(file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done)
}
