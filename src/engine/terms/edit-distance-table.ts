// Edit distance by optimal string alignment between one word and many strings, in letters instead of bytes.

export class EditDistanceTable {
  readonly #word: Uint32Array
  readonly #maxEdits: number
  /** The length of a row. */
  readonly #width: number
  /**
   * Row `i` belongs to the first `i` letters of the string. It holds their distances from those prefixes of the word
   * that are up to `maxEdits` letters longer or shorter; all others are farther away.
   */
  readonly #rows: Uint8Array
  /** The letters that have rows, and the byte offset at which each of them ends. */
  readonly #letters: Uint32Array
  readonly #ends: Uint32Array
  #count = 0
  /** Whether the last string is within the distance, and its distance. */
  isMatch = false
  edits = 0

  constructor(word: string, maxEdits: number) {
    this.#word = Uint32Array.from([...word], (letter) => letter.codePointAt(0)!)
    this.#maxEdits = maxEdits
    this.#width = this.#word.length + 1
    // A longer string is ruled out by the last of these rows.
    const mostRows = this.#word.length + maxEdits + 3
    this.#rows = new Uint8Array(mostRows * this.#width).fill(maxEdits + 1)
    this.#letters = new Uint32Array(mostRows)
    this.#ends = new Uint32Array(mostRows)
    for (let at = 0; at <= Math.min(maxEdits, this.#word.length); at++) this.#rows[at] = at
  }

  /**
   * Compares the first `length` bytes, of which the first `shared` equal those of the last string that was read. Returns
   * the length in bytes of the prefix that rules the string out, or infinity.
   */
  readString(bytes: Uint8Array, length: number, shared: number): number {
    this.isMatch = false
    while (this.#count > 0 && this.#ends[this.#count - 1]! > shared) this.#count--
    for (let at = this.#count === 0 ? 0 : this.#ends[this.#count - 1]!; at < length; ) {
      const first = bytes[at]!
      const width = first < 0x80 ? 1 : utf8Length(first)
      const letter = width === 1 ? first : decodeLetter(bytes, at, Math.min(length, at + width), width)
      at += width
      this.#letters[this.#count] = letter
      this.#ends[this.#count] = at
      this.#count++
      if (this.#fillRow(this.#count, letter) > this.#maxEdits) return at > length ? Infinity : at
    }
    if (Math.abs(this.#count - this.#word.length) > this.#maxEdits) return Infinity
    this.edits = this.#rows[this.#count * this.#width + this.#word.length]!
    this.isMatch = this.edits <= this.#maxEdits
    return Infinity
  }

  /**
   * Returns the smallest distance in this row and the previous one, because a later swap builds on the previous row.
   */
  #fillRow(row: number, letter: number): number {
    const rows = this.#rows
    const word = this.#word
    const tooMany = this.#maxEdits + 1
    const own = row * this.#width
    const before = own - this.#width
    const from = Math.max(0, row - this.#maxEdits)
    const until = Math.min(word.length, row + this.#maxEdits)
    const previous = row < 2 ? -1 : this.#letters[row - 2]!
    let least = from === 0 || from > this.#width ? tooMany : Math.min(tooMany, rows[before + from - 1]!)
    for (let at = from; at <= until; at++) {
      const above = rows[before + at]!
      let edits = row
      if (at > 0) {
        const diagonal = rows[before + at - 1]!
        if (word[at - 1] === letter) edits = diagonal
        else {
          // The cell to the left is outside the band at its first cell.
          const left = at === from ? tooMany : rows[own + at - 1]!
          edits = (left < above ? (left < diagonal ? left : diagonal) : above < diagonal ? above : diagonal) + 1
          if (at > 1 && row > 1 && word[at - 2] === letter && word[at - 1] === previous) {
            const swapped = rows[before - this.#width + at - 2]! + 1
            if (swapped < edits) edits = swapped
          }
        }
      }
      if (edits > tooMany) edits = tooMany
      rows[own + at] = edits
      if (edits < least) least = edits
      if (above < least) least = above
    }
    return least
  }
}

/**
 * The length of the letter that starts with this byte. A byte that starts no letter, as in strings that are not UTF-8,
 * counts as one letter.
 */
const utf8Length = (byte: number): number => (byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf8 ? 4 : 1)

/** In a string that is not UTF-8, the last letter may lack bytes. */
function decodeLetter(bytes: Uint8Array, at: number, until: number, width: number): number {
  let letter = bytes[at]! & (0x7f >> width)
  for (let next = at + 1; next < until; next++) letter = (letter << 6) | (bytes[next]! & 0x3f)
  return letter
}
