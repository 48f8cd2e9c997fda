// A file of fixed-size rows. Its header names the model that computed the vectors.
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

export interface RowFileHeader {
  model: string
  dimension: number
  rows: 'int8' | 'float'
}

export interface RowFile {
  /** The number of complete rows in the file. */
  count(): number
  /** Fills the target with rows from this slot on. Returns false if the file ends before that. */
  read(slot: number, target: Uint8Array): boolean
  write(slot: number, rows: Uint8Array): void
  truncate(count: number): void
  sync(): void
  close(): void
}

const MAGIC = Buffer.from('PharosVe')
const FORMAT = 1
/** Rows start on a page boundary. */
const HEADER_BYTES = 4096
const PREFIX_BYTES = MAGIC.length + 16

/** Creates an empty file. The header is not on disk before `sync`. */
export function createRowFile(path: string, kind: RowFileHeader, rowBytes: number): RowFile {
  const header = encodeHeader(kind)
  const file = openSync(path, 'w+')
  writeFully(file, header, 0)
  return createRowFileHandle(file, rowBytes)
}

export function openRowFile(path: string, mode: 'r' | 'r+', rowBytes: number): RowFile {
  return createRowFileHandle(openSync(path, mode), rowBytes)
}

/** Returns why the file cannot hold rows of this kind, or undefined if it can. */
export function findHeaderMismatch(path: string, header: RowFileHeader): string | undefined {
  if (!existsSync(path)) return `${path} is missing`
  const found = readHeaderBytes(path)
  if (found.equals(encodeHeader(header))) return undefined
  const other = decodeHeader(found)
  if (other === undefined) return `${path} is damaged or not a vector file`
  return `the vectors were computed by ${other.model} with dimension ${other.dimension}, not by ${header.model} with ${header.dimension}`
}

/** Returns undefined if the file is missing or damaged. */
export function readRowFileHeader(path: string): RowFileHeader | undefined {
  if (!existsSync(path)) return undefined
  return decodeHeader(readHeaderBytes(path))
}

function readHeaderBytes(path: string): Buffer {
  const file = openSync(path, 'r')
  const found = Buffer.alloc(HEADER_BYTES)
  readSync(file, found, 0, HEADER_BYTES, 0)
  closeSync(file)
  return found
}

/** Uses the byte order of this machine, so that a file from a machine with the other byte order is rejected. */
function encodeHeader(kind: RowFileHeader): Buffer {
  const json = Buffer.from(JSON.stringify(kind))
  if (PREFIX_BYTES + json.length > HEADER_BYTES) throw new RangeError('the model name is too long')
  const numbers = Uint32Array.of(FORMAT, 0x01020304, json.length, crc32(json))
  return Buffer.concat([MAGIC, Buffer.from(numbers.buffer), json], HEADER_BYTES)
}

function decodeHeader(header: Buffer): RowFileHeader | undefined {
  const [format, , length = 0, crc] = new Uint32Array(
    Uint8Array.from(header.subarray(MAGIC.length, PREFIX_BYTES)).buffer,
  )
  const json = header.subarray(PREFIX_BYTES, PREFIX_BYTES + length)
  if (!header.subarray(0, MAGIC.length).equals(MAGIC) || format !== FORMAT || crc32(json) !== crc) return undefined
  // The checksum has just proved that `encodeHeader` wrote it.
  return JSON.parse(json.toString())
}

function createRowFileHandle(file: number, rowBytes: number): RowFile {
  const offsetOf = (slot: number) => HEADER_BYTES + slot * rowBytes
  return {
    count: () => Math.max(0, Math.floor((fstatSync(file).size - HEADER_BYTES) / rowBytes)),
    read(slot, target) {
      for (let done = 0; done < target.length; ) {
        const found = readSync(file, target, done, target.length - done, offsetOf(slot) + done)
        if (found === 0) return false
        done += found
      }
      return true
    },
    write: (slot, rows) => writeFully(file, rows, offsetOf(slot)),
    truncate: (count) => ftruncateSync(file, offsetOf(count)),
    sync: () => fsyncSync(file),
    close: () => closeSync(file),
  }
}

function writeFully(file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done)
}
