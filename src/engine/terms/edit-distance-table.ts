// Edit distance by optimal string alignment between one word and many strings, in letters instead of bytes. It is computed
// for all lengths of the word that matter at once, with one bit for each of them.

/** Larger distances are not distinguished. */
const MOST_EDITS = 2
/**
 * A string of `i` letters is compared with the first `i - 2` to `i + 2` letters of the word; all others are farther away.
 * Bit `b` of a set stands for the first `i + b - 2` letters.
 */
const BAND = 2 * MOST_EDITS + 1
const WHOLE_BAND = (1 << BAND) - 1

/**
 * A row belongs to the first `i` letters of a string. It holds one set for each distance: the prefixes of the word that
 * are within no, one and two edits.
 */
const packRow = (none: number, one: number, two: number): number => none | (one << BAND) | (two << (2 * BAND))
const setAt = (row: number, edits: number): number => (row >> (edits * BAND)) & WHOLE_BAND

export class EditDistanceTable {
  readonly #maxEdits: number
  readonly #length: number
  /** The rows of the last string, the letters they end with, and the byte offsets at which these end. */
  readonly #rows: Int32Array
  readonly #letters: Uint16Array
  readonly #ends: Uint32Array
  #count = 0
  readonly #alphabet: WordLetters
  /** Whether the last string is within the distance, and its distance. */
  isMatch = false
  edits = 0

  constructor(word: string, maxEdits: 1 | 2) {
    const letters = Uint32Array.from([...word], (letter) => letter.codePointAt(0)!)
    // A longer string is ruled out by the last of these rows.
    const mostRows = letters.length + MOST_EDITS + 3
    this.#maxEdits = maxEdits
    this.#length = letters.length
    this.#alphabet = new WordLetters(letters, mostRows)
    this.#rows = new Int32Array(mostRows)
    this.#letters = new Uint16Array(mostRows)
    this.#ends = new Uint32Array(mostRows)
    const lengths = this.#alphabet.lengths[0] ?? 0
    this.#rows[0] = packRow(0b00100 & lengths, 0b01100 & lengths, 0b11100 & lengths)
  }

  /**
   * Compares the first `length` bytes, of which the first `shared` equal those of the last string that was read. Returns
   * the length in bytes of the prefix that rules the string out, or infinity.
   */
  readString(bytes: Uint8Array, length: number, shared: number): number {
    this.isMatch = false
    const ends = this.#ends
    let count = this.#count
    while (count > 0 && (ends[count] ?? 0) > shared) count--
    for (let at = ends[count] ?? 0; at < length; ) {
      const first = bytes[at] ?? 0
      const width = first < 0x80 ? 1 : utf8Length(first)
      const letter = width === 1 ? first : decodeLetter(bytes, at, Math.min(length, at + width), width)
      at += width
      this.#letters[++count] = this.#alphabet.indexOf(letter)
      ends[count] = at
      const row = this.#nextRow(count)
      this.#rows[count] = row
      if (setAt(row, this.#maxEdits) !== 0) continue
      this.#count = count
      return at > length ? Infinity : at
    }
    this.#count = count
    this.#compareWhole()
    return Infinity
  }

  #nextRow(count: number): number {
    const { windows, rowsPerLetter, lengths } = this.#alphabet
    const last = this.#rows[count - 1] ?? 0
    const [none, one, two] = [setAt(last, 0), setAt(last, 1), setAt(last, 2)]
    const window = windows[(this.#letters[count] ?? 0) * rowsPerLetter + count] ?? 0
    const same = window >> 1
    // Two letters are swapped where the last one is that of the word before, and the one before it is the word's last.
    let [noneSwapped, oneSwapped] = [0, 0]
    if (count > 1) {
      const before = windows[(this.#letters[count - 1] ?? 0) * rowsPerLetter + count] ?? 0
      const swapped = window & (before >> 1)
      const earlier = this.#rows[count - 2] ?? 0
      noneSwapped = setAt(earlier, 0) & swapped
      oneSwapped = setAt(earlier, 1) & swapped
    }
    // Per edit: a letter more in the string, a replaced one, and a letter more in the word.
    const valid = lengths[count] ?? 0
    const noneNow = none & same & valid
    const oneNow = ((one & same) | (none >> 1) | none | (noneNow << 1) | noneSwapped) & valid
    const twoNow = ((two & same) | (one >> 1) | one | (oneNow << 1) | oneSwapped) & valid
    return packRow(noneNow, oneNow, twoNow)
  }

  #compareWhole(): void {
    const bit = this.#length - this.#count + MOST_EDITS
    if (bit < 0 || bit >= BAND) return
    const row = this.#rows[this.#count] ?? 0
    for (let edits = 0; edits <= this.#maxEdits; edits++) {
      if (((setAt(row, edits) >> bit) & 1) === 0) continue
      this.edits = edits
      this.isMatch = true
      return
    }
  }
}

/** The places of each letter in the word, as seen from each row. */
class WordLetters {
  /**
   * Per letter and row, the prefixes of the band that end with the letter, shifted left by one. The lowest bit is that of
   * the prefix before the band, so that the set of the prefixes whose letter before the last is this one is `window`
   * itself. Letter 0 stands for all letters that the word does not have.
   */
  readonly windows: Uint8Array
  readonly rowsPerLetter: number
  /** Per row, the prefixes of the band that exist. */
  readonly lengths: Uint8Array
  readonly #ascii = new Uint16Array(0x80)
  readonly #others = new Map<number, number>()

  constructor(letters: Uint32Array, rows: number) {
    this.rowsPerLetter = rows
    const distinct = [...new Set(letters)]
    for (const [at, letter] of distinct.entries()) {
      if (letter < 0x80) this.#ascii[letter] = at + 1
      else this.#others.set(letter, at + 1)
    }
    this.windows = new Uint8Array((distinct.length + 1) * rows)
    this.lengths = new Uint8Array(rows)
    for (let row = 0; row < rows; row++) {
      for (let bit = -1; bit < BAND; bit++) {
        const length = row + bit - MOST_EDITS
        if (length < 0 || length > letters.length) continue
        if (bit >= 0) this.lengths[row]! |= 1 << bit
        if (length > 0) this.windows[this.indexOf(letters[length - 1]!) * rows + row]! |= 1 << (bit + 1)
      }
    }
  }

  indexOf(letter: number): number {
    return letter < 0x80 ? this.#ascii[letter]! : (this.#others.get(letter) ?? 0)
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
