// One segment, one file: written once, checked as a whole when it is opened.
//
// header | stored | forward | resident sections | table (JSON) | trailer: where the table is, its checksum, magic
import { closeSync, fstatSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { DamageError } from './damage.ts'
import {
  aligned,
  DISK_SECTIONS,
  type DiskSection,
  lay,
  type Place,
  type Sections,
  type SegmentImage,
  type SegmentMeta,
} from './layout.ts'

const MAGIC = Buffer.from('PharosSg')
export const FORMAT = 3
/** Written as this machine writes numbers, so that a file of a machine with the other order is not misread. */
const HEADER = Buffer.concat([MAGIC, Buffer.from(Uint32Array.of(FORMAT, 0x01020304).buffer)])
const TRAILER_BYTES = 24
const CHUNK = 4 << 20
const BUFFERED = 1 << 20

interface Checked extends Place {
  crc: number
}
interface Table {
  meta: SegmentMeta
  disk: Record<DiskSection, Checked>
  /** Places count from the start of the resident part. */
  sections: Record<string, Checked>
  resident: Place
}

export class SegmentFileWriter {
  readonly path: string
  readonly #onWrite: (bytes: number) => void
  readonly #file: number
  #isOpen = true
  #at = 0
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  readonly #disk: Record<DiskSection, Checked> = {
    stored: { at: 0, bytes: 0, crc: 0 },
    forward: { at: 0, bytes: 0, crc: 0 },
  }

  constructor(path: string, onWrite: (bytes: number) => void = () => {}) {
    this.path = path
    this.#onWrite = onWrite
    this.#file = openSync(path, 'w')
    this.#write(HEADER)
  }

  /** All of `stored` comes before the first of `forward`. The bytes are not used again by the caller. */
  append(section: DiskSection, bytes: Uint8Array): void {
    const place = this.#disk[section]
    if (section === 'stored' && this.#disk.forward.bytes > 0) throw new RangeError('stored text comes first')
    if (place.bytes === 0) place.at = this.#at
    place.crc = crc32(bytes, place.crc)
    place.bytes += bytes.length
    this.#write(bytes)
  }

  /** The file has reached the disk when the last step returns; its folder has not. */
  *finish(id: number, meta: SegmentMeta, sections: Sections): Generator<void, SegmentImage> {
    const laid = lay(sections)
    const resident = Buffer.from(laid.buffer)
    const table: Table = { meta, disk: this.#disk, sections: {}, resident: { at: this.#at, bytes: resident.length } }
    for (const [name, place] of Object.entries(laid.sections)) {
      table.sections[name] = { ...place, crc: checksumOf(resident, place) }
    }
    for (let at = 0; at < resident.length; at += CHUNK) {
      this.#write(resident.subarray(at, at + CHUNK))
      yield
    }
    const json = Buffer.from(JSON.stringify(table))
    const trailer = Buffer.alloc(TRAILER_BYTES)
    trailer.writeDoubleLE(this.#at, 0)
    trailer.writeUInt32LE(json.length, 8)
    trailer.writeUInt32LE(crc32(json), 12)
    MAGIC.copy(trailer, 16)
    this.#write(json)
    this.#write(trailer)
    this.#flush()
    fsyncSync(this.#file)
    this.#close()
    return { id, meta, ...laid, disk: this.#disk, path: this.path }
  }

  /** Leaves no trace. */
  abandon(): void {
    this.#close()
    rmSync(this.path, { force: true })
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#file)
    this.#isOpen = false
  }

  #write(bytes: Uint8Array): void {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    this.#at += bytes.length
    this.#onWrite(bytes.length)
    if (this.#waitingBytes > BUFFERED) this.#flush()
  }

  #flush(): void {
    for (const bytes of this.#waiting) {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at, bytes.length - at)
    }
    this.#waiting = []
    this.#waitingBytes = 0
  }
}

/** Reads a segment and checks every byte of it. Throws `DamageError` when it is not as it was written. */
export function readSegment(id: number, path: string): SegmentImage {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    throw new DamageError(`${path} cannot be opened`, { cause: error })
  }
  try {
    const table = readTable(file, path)
    const buffer = new SharedArrayBuffer(table.resident.bytes)
    const resident = Buffer.from(buffer)
    readFully(file, resident, table.resident.at, path)
    for (const [name, place] of Object.entries(table.sections)) {
      if (checksumOf(resident, place) !== place.crc) throw new DamageError(`${path}: section ${name}`)
    }
    for (const name of DISK_SECTIONS) checkOnDisk(file, table.disk[name], `${path}: section ${name}`)
    return { id, meta: table.meta, buffer, sections: table.sections, disk: table.disk, path }
  } finally {
    closeSync(file)
  }
}

/** With the gap after the section, so that no byte of the file goes unchecked. */
const checksumOf = (resident: Buffer, { at, bytes }: Place): number => crc32(resident.subarray(at, aligned(at + bytes)))

function readTable(file: number, path: string): Table {
  const { size } = fstatSync(file)
  if (size < HEADER.length + TRAILER_BYTES) throw new DamageError(`${path} is too short`)
  const header = readFully(file, Buffer.alloc(HEADER.length), 0, path)
  const trailer = readFully(file, Buffer.alloc(TRAILER_BYTES), size - TRAILER_BYTES, path)
  if (!header.equals(HEADER) || !trailer.subarray(16).equals(MAGIC)) {
    throw new DamageError(`${path} is not a whole segment of format ${FORMAT}`)
  }
  const at = trailer.readDoubleLE(0)
  const length = trailer.readUInt32LE(8)
  if (at + length + TRAILER_BYTES !== size) throw new DamageError(`${path} has no table`)
  const json = readFully(file, Buffer.alloc(length), at, path)
  if (crc32(json) !== trailer.readUInt32LE(12)) throw new DamageError(`${path}: its table`)
  // The checksum has just shown that these are the bytes that `finish` wrote.
  return JSON.parse(json.toString()) as Table
}

function checkOnDisk(file: number, { at, bytes, crc }: Checked, name: string): void {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, bytes))
  let found = 0
  for (let from = 0; from < bytes; from += chunk.length) {
    const part = readFully(file, chunk.subarray(0, Math.min(chunk.length, bytes - from)), at + from, name)
    found = crc32(part, found)
  }
  if (found !== crc) throw new DamageError(name)
}

function readFully(file: number, target: Buffer, at: number, name: string): Buffer {
  for (let done = 0; done < target.length; ) {
    const count = readSync(file, target, done, target.length - done, at + done)
    if (count === 0) throw new DamageError(`${name} ends too early`)
    done += count
  }
  return target
}
