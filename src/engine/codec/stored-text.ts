// The stored text of each passage, in blocks on disk. It is read only for hits and for passages whose text must be
// checked.
import { crc32 } from 'node:zlib'
import { CorruptIndexError } from './corrupt-index-error.ts'
import { ByteReader, GrowableBytes, GrowableUint32s } from './growable-buffer.ts'
import { decodeText } from './text-encoding.ts'

/**
 * A block is read and checked as a whole. Blocks are not compressed: decompressing the blocks of 20 hits was the
 * largest part of a search.
 */
const BLOCK_BYTES = 4 << 10

export class StoredTextWriter {
  readonly #write: (bytes: Uint8Array) => void
  readonly #block = new GrowableBytes()
  readonly firstPassages = new GrowableUint32s()
  readonly crcs = new GrowableUint32s()
  readonly starts: number[] = [0]
  #passages = 0
  #writtenBytes = 0

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write
  }

  add(bytes: Uint8Array): void {
    if (this.#block.length === 0) this.firstPassages.push(this.#passages)
    this.#block.appendVarint(bytes.length)
    this.#block.append(bytes)
    this.#passages++
    if (this.#block.length >= BLOCK_BYTES) this.finish()
  }

  finish(): void {
    if (this.#block.length === 0) return
    // Passes a copy, because the receiver may keep the bytes and the block is reused.
    const bytes = Buffer.from(this.#block.view())
    this.crcs.push(crc32(bytes))
    this.#writtenBytes += bytes.length
    this.starts.push(this.#writtenBytes)
    this.#write(bytes)
    this.#block.length = 0
  }
}

export interface StoredText {
  firstPassages: Uint32Array
  crcs: Uint32Array
  starts: Float64Array
  /** Returns a copy of these bytes of the section. */
  read: (at: number, length: number) => Buffer
}

export function readStoredText(stored: StoredText, passage: number): string {
  const block = findStoredBlock(stored.firstPassages, passage)
  let at = stored.firstPassages[block]!
  for (const bytes of storedTextsInBlock(stored, block)) if (at++ === passage) return decodeText(bytes)
  throw new CorruptIndexError(`passage ${passage} has no stored text`)
}

export function* storedTextsInBlock({ crcs, starts, read }: StoredText, block: number): Generator<Buffer> {
  const start = starts[block]!
  const bytes = read(start, starts[block + 1]! - start)
  if (crc32(bytes) !== crcs[block]) throw new CorruptIndexError(`block ${block} of the stored text is damaged`)
  const reader = new ByteReader(bytes)
  while (reader.offset < bytes.length) {
    const length = reader.readVarint()
    reader.offset += length
    yield bytes.subarray(reader.offset - length, reader.offset)
  }
}

function findStoredBlock(firstPassages: Uint32Array, passage: number): number {
  let low = 0
  let high = firstPassages.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (firstPassages[middle]! <= passage) low = middle
    else high = middle - 1
  }
  return low
}
