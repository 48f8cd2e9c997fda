// Finds the strings of a dictionary within an edit distance of a word.
import { type Dictionary, DictionaryCursor } from '../codec/dictionary.ts'

export interface FuzzyMatch {
  text: string
  ordinal: number
  /** Letters inserted, deleted, replaced, or swapped with their neighbour. */
  edits: number
}

/**
 * Walks the dictionary with one row of distances per letter. Strings that share a prefix share its rows, and a prefix
 * that is too far from every prefix of the word rules out all strings that start with it.
 */
export function* fuzzyMatches(dictionary: Dictionary, word: string, maxEdits: 1 | 2): Generator<FuzzyMatch> {
  const table = new EditDistanceTable(word, maxEdits)
  const cursor = new DictionaryCursor(dictionary)
  while (cursor.next()) {
    if (cursor.sharedLength >= table.deadPrefixLength || !table.isWithinDistance(cursor.bytes(), cursor.sharedLength))
      continue
    yield { text: cursor.text(), ordinal: cursor.ordinal, edits: table.edits }
  }
}

/** Edit distance by optimal string alignment, in letters instead of bytes. */
class EditDistanceTable {
  readonly #word: Uint32Array
  readonly #maxEdits: number
  /**
   * Row `i` belongs to the first `i` letters of the string. It holds their distances from those prefixes of the word
   * that are up to `maxEdits` letters longer or shorter; all others are farther away.
   */
  readonly #rows: Uint8Array[] = []
  /** The letters that have rows, and the byte offset at which each of them ends. */
  readonly #letters: number[] = []
  readonly #ends: number[] = []
  /** Strings that share this many bytes with the previous string are ruled out together with it. */
  deadPrefixLength = Infinity
  edits = 0

  constructor(word: string, maxEdits: number) {
    this.#word = Uint32Array.from([...word], (letter) => letter.codePointAt(0)!)
    this.#maxEdits = maxEdits
    const first = this.#newRow()
    for (let at = 0; at <= Math.min(maxEdits, this.#word.length); at++) first[at] = at
    this.#rows.push(first)
  }

  /** The first `shared` bytes equal those of the previous string. */
  isWithinDistance(bytes: Uint8Array, shared: number): boolean {
    this.deadPrefixLength = Infinity
    while (this.#ends.length > 0 && this.#ends.at(-1)! > shared) {
      this.#ends.pop()
      this.#letters.pop()
    }
    for (let at = this.#ends.at(-1) ?? 0; at < bytes.length; ) {
      const width = utf8Length(bytes[at]!)
      const letter = decodeLetter(bytes, at, width)
      this.#letters.push(letter)
      at += width
      this.#ends.push(at)
      if (this.#fillRow(this.#letters.length, letter) <= this.#maxEdits) continue
      this.deadPrefixLength = at
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

  /**
   * Returns the smallest distance in this row and the previous one, because a later swap builds on the previous row.
   */
  #fillRow(row: number, letter: number): number {
    const word = this.#word
    const most = this.#maxEdits
    const before = this.#rows[row - 1]!
    const own = this.#rows[row] ?? this.#newRow()
    this.#rows[row] = own
    let least = most + 1
    for (let at = Math.max(0, row - most); at <= Math.min(word.length, row + most); at++) {
      const edits = at === 0 ? row : this.#computeCell(row, at, letter, own, before)
      own[at] = Math.min(edits, most + 1)
      least = Math.min(least, edits, before[at]!)
    }
    if (row > most) least = Math.min(least, before[row - most - 1] ?? least)
    return least
  }

  #computeCell(row: number, at: number, letter: number, own: Uint8Array, before: Uint8Array): number {
    const word = this.#word
    const isSame = word[at - 1] === letter
    const edits = Math.min(own[at - 1]! + 1, before[at]! + 1, before[at - 1]! + (isSame ? 0 : 1))
    if (row < 2 || at < 2 || word[at - 2] !== letter || word[at - 1] !== this.#letters[row - 2]) return edits
    return Math.min(edits, this.#rows[row - 2]![at - 2]! + 1)
  }
}

/**
 * The length of the letter that starts with this byte. A byte that starts no letter, as in strings that are not UTF-8,
 * counts as one letter.
 */
const utf8Length = (byte: number): number => (byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf8 ? 4 : 1)

function decodeLetter(bytes: Uint8Array, at: number, width: number): number {
  if (width === 1) return bytes[at]!
  let letter = bytes[at]! & (0x7f >> width)
  for (let next = at + 1; next < at + width; next++) letter = (letter << 6) | (bytes[next]! & 0x3f)
  return letter
}
