// What an entry looks like to a reader: one text per entry, in blocks on disk, read for hits and candidates only.
import { crc32 } from 'node:zlib'
import { DamageError } from './damage.ts'
import { ByteReader, GrowingBytes, GrowingWords } from './growing.ts'
import { textOfBytes } from './key-text.ts'

/** A block is read and checked whole. Not packed: unpacking the blocks of 20 hits was the largest part of a search. */
const BLOCK_BYTES = 4 << 10

export class StoredTextWriter {
  readonly #write: (bytes: Uint8Array) => void
  readonly #block = new GrowingBytes()
  readonly firstEntries = new GrowingWords()
  readonly crcs = new GrowingWords()
  readonly starts: number[] = [0]
  #entries = 0

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write
  }

  add(bytes: Uint8Array): void {
    if (this.#block.length === 0) this.firstEntries.push(this.#entries)
    this.#block.varint(bytes.length)
    this.#block.append(bytes)
    this.#entries++
    if (this.#block.length >= BLOCK_BYTES) this.finish()
  }

  finish(): void {
    if (this.#block.length === 0) return
    // A copy, because the taker may keep the bytes and the block is used again.
    const bytes = Buffer.from(this.#block.view())
    this.crcs.push(crc32(bytes))
    this.starts.push(this.starts.at(-1)! + bytes.length)
    this.#write(bytes)
    this.#block.length = 0
  }
}

export interface StoredText {
  firstEntries: Uint32Array
  crcs: Uint32Array
  starts: Float64Array
  /** A copy of these bytes of the section. */
  read: (at: number, length: number) => Buffer
}

export function storedText(stored: StoredText, entry: number): string {
  const block = blockWith(stored.firstEntries, entry)
  let at = stored.firstEntries[block]!
  for (const bytes of textsOfBlock(stored, block)) if (at++ === entry) return textOfBytes(bytes)
  throw new DamageError(`entry ${entry} has no stored text`)
}

export function* textsOfBlock({ crcs, starts, read }: StoredText, block: number): Generator<Buffer> {
  const bytes = read(starts[block]!, starts[block + 1]! - starts[block]!)
  if (crc32(bytes) !== crcs[block]) throw new DamageError(`block ${block} of the stored text`)
  const reader = new ByteReader(bytes)
  while (reader.at < bytes.length) {
    const length = reader.varint()
    const start = reader.at
    reader.at += length
    yield bytes.subarray(start, reader.at)
  }
}

function blockWith(firstEntries: Uint32Array, entry: number): number {
  let low = 0
  let high = firstEntries.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (firstEntries[middle]! <= entry) low = middle
    else high = middle - 1
  }
  return low
}
