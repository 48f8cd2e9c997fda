// A segment is one file, which is written once and checked completely when it is opened.
//
// header, stored, forward, resident sections, table (JSON), trailer (address and checksum of the table, magic)
import { closeSync, fstatSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { CorruptIndexError } from '../codec/corrupt-index-error.ts'
import {
  alignTo8,
  type ByteRange,
  DISK_SECTIONS,
  type DiskSection,
  layOutSections,
  type Sections,
  type SegmentMeta,
  type StoredSegmentImage,
} from '../codec/layout.ts'
import { isOutOfFiles } from './out-of-files.ts'

const MAGIC = Buffer.from('PharosSg')
export const FORMAT = 3
/** Written in the byte order of this machine, so that a file from a machine with the other byte order is rejected. */
const HEADER = Buffer.concat([MAGIC, Buffer.from(Uint32Array.of(FORMAT, 0x01020304).buffer)])
const TRAILER_BYTES = 24
const CHUNK = 4 << 20
const BUFFERED = 1 << 20

interface CheckedByteRange extends ByteRange {
  crc: number
}
interface SegmentTable {
  meta: SegmentMeta
  disk: Record<DiskSection, CheckedByteRange>
  /** Offsets are relative to the start of the resident part. */
  sections: Record<string, CheckedByteRange>
  resident: ByteRange
}

export class SegmentFileWriter {
  readonly path: string
  readonly #onWrite: (bytes: number) => void
  readonly #file: number
  #isOpen = true
  #offset = 0
  #buffered: Uint8Array[] = []
  #bufferedBytes = 0
  readonly #disk: Record<DiskSection, CheckedByteRange> = {
    stored: { at: 0, bytes: 0, crc: 0 },
    forward: { at: 0, bytes: 0, crc: 0 },
  }

  constructor(path: string, onWrite: (bytes: number) => void = () => {}) {
    this.path = path
    this.#onWrite = onWrite
    this.#file = openSync(path, 'w')
    this.#write(HEADER)
  }

  /** All of `stored` must be appended before `forward`. The caller must not reuse the bytes. */
  append(section: DiskSection, bytes: Uint8Array): void {
    const range = this.#disk[section]
    if (section === 'stored' && this.#disk.forward.bytes > 0)
      throw new RangeError('stored text must be appended before the forward index')
    if (range.bytes === 0) range.at = this.#offset
    range.crc = crc32(bytes, range.crc)
    range.bytes += bytes.length
    this.#write(bytes)
  }

  /** When the last step returns, the file is on disk, but its directory entry may not be. */
  *finish(id: number, meta: SegmentMeta, sections: Sections): Generator<void, StoredSegmentImage> {
    const laidOut = layOutSections(sections)
    const resident = Buffer.from(laidOut.buffer)
    const table: SegmentTable = {
      meta,
      disk: this.#disk,
      sections: {},
      resident: { at: this.#offset, bytes: resident.length },
    }
    for (const [name, range] of Object.entries(laidOut.sections)) {
      table.sections[name] = { ...range, crc: sectionChecksum(resident, range) }
    }
    for (let at = 0; at < resident.length; at += CHUNK) {
      this.#write(resident.subarray(at, at + CHUNK))
      yield
    }
    const json = Buffer.from(JSON.stringify(table))
    const trailer = Buffer.alloc(TRAILER_BYTES)
    trailer.writeDoubleLE(this.#offset, 0)
    trailer.writeUInt32LE(json.length, 8)
    trailer.writeUInt32LE(crc32(json), 12)
    MAGIC.copy(trailer, 16)
    this.#write(json)
    this.#write(trailer)
    this.#flush()
    fsyncSync(this.#file)
    this.#close()
    return { id, meta, ...laidOut, disk: this.#disk, path: this.path }
  }

  /** Closes and removes the file. */
  abandon(): void {
    this.#close()
    rmSync(this.path, { force: true })
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#file)
    this.#isOpen = false
  }

  #write(bytes: Uint8Array): void {
    this.#buffered.push(bytes)
    this.#bufferedBytes += bytes.length
    this.#offset += bytes.length
    this.#onWrite(bytes.length)
    if (this.#bufferedBytes > BUFFERED) this.#flush()
  }

  #flush(): void {
    for (const bytes of this.#buffered) {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at, bytes.length - at)
    }
    this.#buffered = []
    this.#bufferedBytes = 0
  }
}

/** Reads a segment and verifies every byte of it. Throws `CorruptIndexError` if it differs from what was written. */
export function readSegment(id: number, path: string): StoredSegmentImage {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (isOutOfFiles(error)) throw error
    throw new CorruptIndexError(`${path} cannot be opened`, { cause: error })
  }
  try {
    const table = readTable(file, path)
    const buffer = new SharedArrayBuffer(table.resident.bytes)
    const resident = Buffer.from(buffer)
    readFully(file, resident, table.resident.at, path)
    for (const [name, range] of Object.entries(table.sections)) {
      if (sectionChecksum(resident, range) !== range.crc)
        throw new CorruptIndexError(`${path}: section ${name} is damaged`)
    }
    for (const name of DISK_SECTIONS) verifyDiskSection(file, table.disk[name], `${path}: section ${name}`)
    return { id, meta: table.meta, buffer, sections: table.sections, disk: table.disk, path }
  } finally {
    closeSync(file)
  }
}

/** Includes the padding after the section, so that every byte of the file is checked. */
const sectionChecksum = (resident: Buffer, { at, bytes }: ByteRange): number =>
  crc32(resident.subarray(at, alignTo8(at + bytes)))

function readTable(file: number, path: string): SegmentTable {
  const { size } = fstatSync(file)
  if (size < HEADER.length + TRAILER_BYTES) throw new CorruptIndexError(`${path} is too short`)
  const header = readFully(file, Buffer.alloc(HEADER.length), 0, path)
  const trailer = readFully(file, Buffer.alloc(TRAILER_BYTES), size - TRAILER_BYTES, path)
  if (!header.equals(HEADER) || !trailer.subarray(16).equals(MAGIC)) {
    throw new CorruptIndexError(`${path} is not a complete segment of format ${FORMAT}`)
  }
  const at = trailer.readDoubleLE(0)
  const length = trailer.readUInt32LE(8)
  if (at + length + TRAILER_BYTES !== size) throw new CorruptIndexError(`${path} has no table`)
  const json = readFully(file, Buffer.alloc(length), at, path)
  if (crc32(json) !== trailer.readUInt32LE(12)) throw new CorruptIndexError(`${path}: the table is damaged`)
  // The checksum has just proved that these are the bytes that `finish` wrote.
  return JSON.parse(json.toString())
}

function verifyDiskSection(file: number, { at, bytes, crc }: CheckedByteRange, name: string): void {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, bytes))
  let found = 0
  for (let from = 0; from < bytes; from += chunk.length) {
    const part = readFully(file, chunk.subarray(0, Math.min(chunk.length, bytes - from)), at + from, name)
    found = crc32(part, found)
  }
  if (found !== crc) throw new CorruptIndexError(`${name} is damaged`)
}

function readFully(file: number, target: Buffer, at: number, name: string): Buffer {
  for (let done = 0; done < target.length; ) {
    const count = readSync(file, target, done, target.length - done, at + done)
    if (count === 0) throw new CorruptIndexError(`${name} is truncated`)
    done += count
  }
  return target
}
