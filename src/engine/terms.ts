// Which terms of the index begin so, or are spelled almost so?
import { cursorAt, DictionaryCursor } from './dictionary.ts'
import { bytesOfText } from './key-text.ts'
import type { LiveSegment } from './live-segment.ts'

export interface FoundTerm {
  term: string
  /** Live entries that hold it. */
  entries: number
  /** Letters put in, left out, replaced, or exchanged with their neighbour. */
  edits: number
}

/** Those that most entries hold come first, of equals by name. */
export function termsWithPrefix(segments: readonly LiveSegment[], prefix: string, limit: number): FoundTerm[] {
  const counts = new Map<string, number>()
  const bytes = bytesOfText(prefix)
  for (const live of segments) {
    let cursor = cursorAt(live.segment.terms, bytes)
    while (cursor?.bytes().subarray(0, bytes.length).equals(bytes)) {
      add(counts, cursor.text(), live.entriesWith(cursor.ordinal))
      if (!cursor.next()) cursor = undefined
    }
  }
  return best(
    [...counts].map(([term, entries]) => ({ term, entries, edits: 0 })),
    limit,
  )
}

/** Those with the fewest edits come first, of equals those that most entries hold. */
export function termsNear(segments: readonly LiveSegment[], word: string, maxEdits: 1 | 2, limit: number): FoundTerm[] {
  const counts = new Map<string, number>()
  const edits = new Map<string, number>()
  for (const live of segments) {
    for (const { term, ordinal, distance } of nearIn(live, word, maxEdits)) {
      add(counts, term, live.entriesWith(ordinal))
      edits.set(term, distance)
    }
  }
  return best(
    [...counts].map(([term, entries]) => ({ term, entries, edits: edits.get(term)! })),
    limit,
  )
}

const add = (counts: Map<string, number>, term: string, entries: number) =>
  counts.set(term, (counts.get(term) ?? 0) + entries)

const best = (terms: FoundTerm[], limit: number): FoundTerm[] =>
  terms
    .filter((it) => it.entries > 0)
    .sort((a, b) => a.edits - b.edits || b.entries - a.entries || (a.term < b.term ? -1 : 1))
    .slice(0, limit)

/**
 * Walks the dictionary with one row of distances per letter. The rows of a start that two terms share are reckoned once,
 * and a start that is too far from every start of the word rules out all terms that have it.
 */
function* nearIn({ segment }: LiveSegment, word: string, maxEdits: number) {
  const table = new EditTable(word, maxEdits)
  const cursor = new DictionaryCursor(segment.terms)
  /** Bytes of the term before that already rule it out. */
  let deadEnd = Infinity
  while (cursor.next()) {
    if (cursor.shared >= deadEnd) continue
    const term = cursor.text()
    const letters = table.compare(term)
    deadEnd = letters === undefined ? Infinity : Buffer.byteLength([...term].slice(0, letters).join(''))
    if (letters === undefined && table.distance <= maxEdits) {
      yield { term, ordinal: cursor.ordinal, distance: table.distance }
    }
  }
}

/** Optimal string alignment, by letters and not by UTF-16 units. */
class EditTable {
  readonly #word: string[]
  readonly #maxEdits: number
  /** Row `i` is for the first `i` letters of the term: its distances from each start of the word. */
  readonly #rows: Uint16Array[]
  #letters: string[] = []
  distance = 0

  constructor(word: string, maxEdits: number) {
    this.#word = [...word]
    this.#maxEdits = maxEdits
    this.#rows = [Uint16Array.from({ length: this.#word.length + 1 }, (_, at) => at)]
  }

  /** How many letters rule the term out, if any do; else `distance` is known. */
  compare(term: string): number | undefined {
    const letters = [...term]
    let row = 0
    while (row < this.#letters.length && letters[row] === this.#letters[row]) row++
    this.#letters = letters
    while (row < letters.length) {
      row++
      if (this.#fill(row) <= this.#maxEdits) continue
      this.#letters = letters.slice(0, row)
      return row
    }
    this.distance = this.#rows[letters.length]![this.#word.length]!
    return undefined
  }

  /** The smallest distance in the row and the one before: a later exchange builds on the latter. */
  #fill(row: number): number {
    const word = this.#word
    const letter = this.#letters[row - 1]!
    const before = this.#rows[row - 1]!
    this.#rows[row] ??= new Uint16Array(word.length + 1)
    const own = this.#rows[row]!
    own[0] = row
    let least = row
    for (let at = 1; at <= word.length; at++) {
      const isSame = word[at - 1] === letter
      let edits = Math.min(own[at - 1]! + 1, before[at]! + 1, before[at - 1]! + (isSame ? 0 : 1))
      if (row > 1 && at > 1 && word[at - 2] === letter && word[at - 1] === this.#letters[row - 2]) {
        edits = Math.min(edits, this.#rows[row - 2]![at - 2]! + 1)
      }
      own[at] = edits
      least = Math.min(least, edits)
    }
    return Math.min(least, ...before)
  }
}
