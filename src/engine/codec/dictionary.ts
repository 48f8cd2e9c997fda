// A sorted list of strings with ordinals, front-coded in blocks of 16: each string omits the prefix that it shares with
// the previous one.
import { ByteReader, GrowableBytes, GrowableUint32s } from './growable-buffer.ts'
import { compareBytes, decodeText } from './text-encoding.ts'

export const BLOCK = 16

/** Takes strings in ascending byte order. */
export class DictionaryWriter {
  readonly bytes = new GrowableBytes()
  readonly blocks = new GrowableUint32s()
  size = 0
  #last = new GrowableBytes()
  #term = new GrowableBytes()

  add(term: Uint8Array): number {
    this.#term.length = 0
    this.#term.append(term)
    return this.#addTerm()
  }

  addText(text: string): number {
    this.#term.length = 0
    this.#term.appendText(text)
    return this.#addTerm()
  }

  #addTerm(): number {
    const term = this.#term
    let shared = 0
    if (this.size % BLOCK === 0) this.blocks.push(this.bytes.length)
    else shared = sharedPrefixLength(this.#last, term)
    this.bytes.appendVarint(shared)
    this.bytes.appendVarint(term.length - shared)
    this.bytes.appendFrom(term, shared)
    this.#term = this.#last
    this.#last = term
    return this.size++
  }
}

function sharedPrefixLength(one: GrowableBytes, other: GrowableBytes): number {
  const length = Math.min(one.length, other.length)
  let at = 0
  while (at < length && one.bytes[at] === other.bytes[at]) at++
  return at
}

export interface Dictionary {
  bytes: Uint8Array
  blocks: Uint32Array
  size: number
}

/** Iterates over the strings, starting at the first string of a block. */
export class DictionaryCursor {
  readonly #dictionary: Dictionary
  readonly #reader: ByteReader
  #buffer = Buffer.allocUnsafe(256)
  length = 0
  /** The length in bytes of the prefix that this string shares with the previous one. */
  sharedLength = 0
  ordinal: number

  constructor(dictionary: Dictionary, block = 0) {
    this.#dictionary = dictionary
    this.ordinal = block * BLOCK - 1
    this.#reader = new ByteReader(dictionary.bytes, dictionary.blocks[block] ?? dictionary.bytes.length)
  }

  next(): boolean {
    if (this.ordinal + 1 >= this.#dictionary.size) return false
    this.ordinal++
    this.sharedLength = this.#reader.readVarint()
    const added = this.#reader.readVarint()
    this.length = this.sharedLength + added
    if (this.length > this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer], this.length * 2)
    this.#buffer.set(this.#reader.readBytes(added), this.sharedLength)
    return true
  }

  /** The bytes are valid until the next call of `next`. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }

  text(): string {
    return decodeText(this.bytes())
  }

  startsWith(bytes: Uint8Array): boolean {
    if (this.length < bytes.length) return false
    for (let at = 0; at < bytes.length; at++) if (this.#buffer[at] !== bytes[at]) return false
    return true
  }

  /**
   * Negative if this string sorts before the other one. Allocates nothing because merges compare millions of strings.
   */
  compareTo(other: DictionaryCursor | Buffer): number {
    const bytes = other instanceof DictionaryCursor ? other.#buffer : other
    const both = Math.min(this.length, other.length)
    for (let at = 0; at < both; at++) {
      const difference = this.#buffer[at]! - bytes[at]!
      if (difference !== 0) return difference
    }
    return this.length - other.length
  }
}

/** A cursor in a merge of several dictionaries. It is open until it has passed its last string. */
export interface MergedCursor {
  cursor: DictionaryCursor
  isOpen: boolean
}

/** Returns the open cursor whose string sorts first. */
export function smallestCursor(inputs: readonly MergedCursor[]): DictionaryCursor | undefined {
  let least: DictionaryCursor | undefined
  for (const { cursor, isOpen } of inputs) {
    if (isOpen && (least === undefined || cursor.compareTo(least) < 0)) least = cursor
  }
  return least
}

/** Returns the ordinal of a string, or -1. Copies nothing: a query with many labels calls this hundreds of times. */
export const findOrdinal = (dictionary: Dictionary, term: Uint8Array): number =>
  findInBlock(dictionary, findBlock(dictionary, term), term)

/**
 * Returns the ordinals of strings that are sorted by their bytes, or -1 for a missing one. Each lookup starts where the
 * previous one ended.
 */
export function findOrdinals(dictionary: Dictionary, terms: readonly Uint8Array[]): number[] {
  let block = 0
  return terms.map((term) => {
    const next = block + 1
    if (next < dictionary.blocks.length && compareFirstString(dictionary, next, term) <= 0)
      block = findBlock(dictionary, term, 0, next)
    return findInBlock(dictionary, block, term)
  })
}

function findInBlock(dictionary: Dictionary, block: number, term: Uint8Array): number {
  const { bytes, size } = dictionary
  const until = Math.min(size, (block + 1) * BLOCK)
  let at = dictionary.blocks[block]!
  // The number of bytes that the previous string shares with `term`; every previous string sorts before `term`.
  let matched = 0
  for (let ordinal = block * BLOCK; ordinal < until; ordinal++) {
    const sharedEnd = varintEnd(bytes, at)
    const shared = decodeVarint(bytes, at, sharedEnd)
    const start = varintEnd(bytes, sharedEnd)
    const added = decodeVarint(bytes, sharedEnd, start)
    at = start + added
    if (shared > matched) continue
    if (shared < matched) return -1
    while (matched < term.length && matched < shared + added && bytes[start + matched - shared] === term[matched])
      matched++
    if (matched === shared + added) {
      if (matched === term.length) return ordinal
    } else if (matched === term.length || bytes[start + matched - shared]! > term[matched]!) return -1
  }
  return -1
}

function varintEnd(bytes: Uint8Array, at: number): number {
  let end = at
  while (bytes[end]! > 127) end++
  return end + 1
}

function decodeVarint(bytes: Uint8Array, at: number, end: number): number {
  let value = 0
  for (let byte = end - 1; byte >= at; byte--) value = (value << 7) | (bytes[byte]! & 127)
  return value
}

/**
 * Returns the last block whose first string compares to `term` with at most `most`: 0 accepts an equal string, -1 only
 * a smaller one.
 */
function findBlock(dictionary: Dictionary, term: Uint8Array, most = 0, from = 0): number {
  let low = from
  let high = dictionary.blocks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (compareFirstString(dictionary, middle, term) <= most) low = middle
    else high = middle - 1
  }
  return low
}

/** Negative if the first string of the block sorts before `term`. */
function compareFirstString({ bytes, blocks }: Dictionary, block: number, term: Uint8Array): number {
  const at = blocks[block]! + 1
  const start = varintEnd(bytes, at)
  const length = decodeVarint(bytes, at, start)
  const both = Math.min(length, term.length)
  for (let at = 0; at < both; at++) {
    const difference = bytes[start + at]! - term[at]!
    if (difference !== 0) return difference
  }
  return length - term.length
}

export function stringAt(dictionary: Dictionary, ordinal: number): string {
  const cursor = new DictionaryCursor(dictionary, Math.floor(ordinal / BLOCK))
  while (cursor.ordinal < ordinal) cursor.next()
  return cursor.text()
}

/**
 * Returns a cursor at the first string that does not sort before `term`. A dictionary may hold a string several times.
 */
export function cursorFrom(dictionary: Dictionary, term: Uint8Array): DictionaryCursor | undefined {
  const cursor = new DictionaryCursor(dictionary, findBlock(dictionary, term, -1))
  while (cursor.next()) if (compareBytes(cursor.bytes(), term) >= 0) return cursor
  return undefined
}
