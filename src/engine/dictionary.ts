// Sorted strings with ordinals: blocks of 16, each string without the start that it shares with the one before.
import { ByteReader, GrowingBytes, GrowingWords } from './growing.ts'
import { compareBytes, textOfBytes } from './key-text.ts'

const BLOCK = 16

/** Takes strings in ascending order of their bytes. */
export class DictionaryWriter {
  readonly bytes = new GrowingBytes()
  readonly blocks = new GrowingWords()
  size = 0
  #last = new GrowingBytes()
  #term = new GrowingBytes()

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
    else shared = sharedStart(this.#last, term)
    this.bytes.varint(shared)
    this.bytes.varint(term.length - shared)
    this.bytes.appendFrom(term, shared)
    this.#term = this.#last
    this.#last = term
    return this.size++
  }
}

function sharedStart(one: GrowingBytes, other: GrowingBytes): number {
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

/** Walks the strings from an ordinal that starts a block. */
export class DictionaryCursor {
  readonly #dictionary: Dictionary
  readonly #reader: ByteReader
  #buffer = Buffer.allocUnsafe(256)
  length = 0
  /** How much of the string before it this one starts with. */
  shared = 0
  ordinal: number

  constructor(dictionary: Dictionary, block = 0) {
    this.#dictionary = dictionary
    this.ordinal = block * BLOCK - 1
    this.#reader = new ByteReader(dictionary.bytes, dictionary.blocks[block] ?? dictionary.bytes.length)
  }

  next(): boolean {
    if (this.ordinal + 1 >= this.#dictionary.size) return false
    this.ordinal++
    this.shared = this.#reader.varint()
    const added = this.#reader.varint()
    this.length = this.shared + added
    if (this.length > this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer], this.length * 2)
    this.#buffer.set(this.#reader.take(added), this.shared)
    return true
  }

  /** Valid until `next`. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }

  text(): string {
    return textOfBytes(this.bytes())
  }

  startsWith(bytes: Uint8Array): boolean {
    if (this.length < bytes.length) return false
    for (let at = 0; at < bytes.length; at++) if (this.#buffer[at] !== bytes[at]) return false
    return true
  }

  /** Below zero when this string comes before the other. Makes no object: merges compare millions of strings. */
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

/** Of the cursors that are open, one on the string that comes first. */
export function leastOf(cursors: readonly DictionaryCursor[], open: readonly boolean[]): DictionaryCursor | undefined {
  let least: DictionaryCursor | undefined
  for (const [at, cursor] of cursors.entries()) {
    if (open[at] && (least === undefined || cursor.compareTo(least) < 0)) least = cursor
  }
  return least
}

/** The ordinal of a string, or -1. Copies nothing: a query with many labels asks hundreds of times. */
export const findTerm = (dictionary: Dictionary, term: Uint8Array): number =>
  findInBlock(dictionary, blockFor(dictionary, term), term)

/** The ordinals of strings in ascending order of their bytes, or -1: those that begin alike are near each other. */
export function findTerms(dictionary: Dictionary, terms: readonly Uint8Array[]): number[] {
  let block = 0
  return terms.map((term) => {
    const next = block + 1
    if (next < dictionary.blocks.length && compareFirst(dictionary, next, term) <= 0)
      block = blockFor(dictionary, term, 0, next)
    return findInBlock(dictionary, block, term)
  })
}

function findInBlock(dictionary: Dictionary, block: number, term: Uint8Array): number {
  const { bytes, size } = dictionary
  const until = Math.min(size, (block + 1) * BLOCK)
  let at = dictionary.blocks[block]!
  // Bytes that the string before has in common with `term`; all strings before are smaller.
  let matched = 0
  for (let ordinal = block * BLOCK; ordinal < until; ordinal++) {
    const sharedEnd = varintEnd(bytes, at)
    const shared = varintBefore(bytes, at, sharedEnd)
    const start = varintEnd(bytes, sharedEnd)
    const added = varintBefore(bytes, sharedEnd, start)
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

function varintBefore(bytes: Uint8Array, at: number, end: number): number {
  let value = 0
  for (let byte = end - 1; byte >= at; byte--) value = (value << 7) | (bytes[byte]! & 127)
  return value
}

/** The last block whose first string compares to `term` as `most` at most: is not after it, or with -1 is before it. */
function blockFor(dictionary: Dictionary, term: Uint8Array, most = 0, from = 0): number {
  let low = from
  let high = dictionary.blocks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (compareFirst(dictionary, middle, term) <= most) low = middle
    else high = middle - 1
  }
  return low
}

/** Below zero when the first string of the block comes before `term`. */
function compareFirst({ bytes, blocks }: Dictionary, block: number, term: Uint8Array): number {
  const at = blocks[block]! + 1
  const start = varintEnd(bytes, at)
  const length = varintBefore(bytes, at, start)
  const both = Math.min(length, term.length)
  for (let at = 0; at < both; at++) {
    const difference = bytes[start + at]! - term[at]!
    if (difference !== 0) return difference
  }
  return length - term.length
}

export function textAt(dictionary: Dictionary, ordinal: number): string {
  const cursor = new DictionaryCursor(dictionary, Math.floor(ordinal / BLOCK))
  while (cursor.ordinal < ordinal) cursor.next()
  return cursor.text()
}

/** Stands on the first string that is not before `term`; a dictionary may hold it several times. */
export function cursorAt(dictionary: Dictionary, term: Uint8Array): DictionaryCursor | undefined {
  const cursor = new DictionaryCursor(dictionary, blockFor(dictionary, term, -1))
  while (cursor.next()) if (compareBytes(cursor.bytes(), term) >= 0) return cursor
  return undefined
}
