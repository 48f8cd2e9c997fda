// Which strings of a dictionary are spelled almost like a word?
import { type Dictionary, DictionaryCursor } from './dictionary.ts'

export interface Near {
  text: string
  ordinal: number
  /** Letters put in, left out, replaced, or exchanged with their neighbour. */
  edits: number
}

/**
 * Walks the dictionary with one row of distances per letter. The rows of a start that two strings share are reckoned
 * once, and a start that is too far from every start of the word rules out all strings that have it.
 */
export function* nearIn(dictionary: Dictionary, word: string, maxEdits: 1 | 2): Generator<Near> {
  const table = new EditTable(word, maxEdits)
  const cursor = new DictionaryCursor(dictionary)
  while (cursor.next()) {
    if (cursor.shared >= table.deadEnd || !table.isNear(cursor.bytes(), cursor.shared)) continue
    yield { text: cursor.text(), ordinal: cursor.ordinal, edits: table.edits }
  }
}

/** Optimal string alignment, by letters and not by bytes. */
class EditTable {
  readonly #word: Uint32Array
  readonly #maxEdits: number
  /**
   * Row `i` is for the first `i` letters of the string: their distances from the starts of the word that have up to
   * `maxEdits` letters more or fewer. The others are farther than that.
   */
  readonly #rows: Uint8Array[] = []
  /** The letters that have rows, and where each ends in the bytes. */
  readonly #letters: number[] = []
  readonly #ends: number[] = []
  /** Strings that share this many bytes with the one before are ruled out with it. */
  deadEnd = Infinity
  edits = 0

  constructor(word: string, maxEdits: number) {
    this.#word = Uint32Array.from([...word], (letter) => letter.codePointAt(0)!)
    this.#maxEdits = maxEdits
    this.#rows.push(this.#newRow())
    for (let at = 0; at <= Math.min(maxEdits, this.#word.length); at++) this.#rows[0]![at] = at
  }

  /** `shared` bytes are as in the string before. */
  isNear(bytes: Uint8Array, shared: number): boolean {
    this.deadEnd = Infinity
    while (this.#ends.length > 0 && this.#ends.at(-1)! > shared) {
      this.#ends.pop()
      this.#letters.pop()
    }
    for (let at = this.#ends.at(-1) ?? 0; at < bytes.length; ) {
      const width = widthOf(bytes[at]!)
      this.#letters.push(letterAt(bytes, at, width))
      at += width
      this.#ends.push(at)
      if (this.#fill(this.#letters.length) <= this.#maxEdits) continue
      this.deadEnd = at
      return false
    }
    const length = this.#letters.length
    if (Math.abs(length - this.#word.length) > this.#maxEdits) return false
    this.edits = this.#rows[length]![this.#word.length]!
    return this.edits <= this.#maxEdits
  }

  #newRow(): Uint8Array {
    return new Uint8Array(this.#word.length + 1).fill(this.#maxEdits + 1)
  }

  /** The smallest distance in the row and the one before: a later exchange builds on the latter. */
  #fill(row: number): number {
    const word = this.#word
    const most = this.#maxEdits
    const letter = this.#letters[row - 1]!
    const before = this.#rows[row - 1]!
    this.#rows[row] ??= this.#newRow()
    const own = this.#rows[row]!
    let least = most + 1
    for (let at = Math.max(0, row - most); at <= Math.min(word.length, row + most); at++) {
      const edits = at === 0 ? row : this.#cell(row, at, letter, own, before)
      own[at] = Math.min(edits, most + 1)
      least = Math.min(least, edits, before[at]!)
    }
    if (row > most) least = Math.min(least, before[row - most - 1] ?? least)
    return least
  }

  #cell(row: number, at: number, letter: number, own: Uint8Array, before: Uint8Array): number {
    const word = this.#word
    const isSame = word[at - 1] === letter
    const edits = Math.min(own[at - 1]! + 1, before[at]! + 1, before[at - 1]! + (isSame ? 0 : 1))
    if (row < 2 || at < 2 || word[at - 2] !== letter || word[at - 1] !== this.#letters[row - 2]) return edits
    return Math.min(edits, this.#rows[row - 2]![at - 2]! + 1)
  }
}

/** Bytes of the letter that begins so. A byte that begins none, as in strings that are no UTF-8, counts for itself. */
const widthOf = (byte: number): number => (byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf8 ? 4 : 1)

function letterAt(bytes: Uint8Array, at: number, width: number): number {
  if (width === 1) return bytes[at]!
  let letter = bytes[at]! & (0x7f >> width)
  for (let next = at + 1; next < at + width; next++) letter = (letter << 6) | (bytes[next]! & 0x3f)
  return letter
}
