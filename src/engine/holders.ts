// Which entries hold a word, or several in a row? As far as the postings can tell: they know no places.
import type { Phrase } from '../text/phrase.ts'
import { bitSet, intersect, setBit, subtract, unite } from './bits.ts'
import { findTerm } from './dictionary.ts'
import { bytesOfText } from './key-text.ts'
import { PostingsCursor } from './postings.ts'
import type { Segment } from './segment.ts'

/** Words of a phrase after these are left to the reading of the text. */
const MAX_WORDS = 16

export interface Holders {
  /** A way through the phrase is one word, and they hold it. */
  sure: Uint32Array
  /** They hold all words of a way, in whatever order. */
  possible: Uint32Array
}

export function holdersOf(segment: Segment, { words, first }: Phrase): Holders {
  const sure = bitSet(segment.meta.entries)
  const possible = bitSet(segment.meta.entries)
  /** Per word, the entries that hold it and a way from it to the end. */
  const ways: Uint32Array[] = []
  for (let at = Math.min(words.length, MAX_WORDS) - 1; at >= 0; at--) {
    const { terms, next } = words[at]!
    ways[at] = entriesWithAny(segment, ordinalsOf(segment, terms))
    if (next.length > 0 && next.every((it) => it < MAX_WORDS)) intersect(ways[at]!, union(next.map((it) => ways[it]!)))
  }
  for (const word of first)
    if (ways[word] !== undefined) unite(words[word]!.next.length === 0 ? sure : possible, ways[word])
  return { sure, possible: subtract(possible, sure) }
}

export const ordinalsOf = ({ terms }: Segment, spellings: readonly string[]): number[] =>
  spellings.map((it) => findTerm(terms, bytesOfText(it))).filter((it) => it >= 0)

/** Deleted entries too. */
export function entriesWithAny(segment: Segment, terms: readonly number[]): Uint32Array {
  const found = bitSet(segment.meta.entries)
  const cursor = new PostingsCursor()
  for (const term of terms) {
    cursor.open(segment.postings, term)
    for (let block = 0; block < cursor.blocks; block++) {
      cursor.unpack(block)
      for (let at = 0; at < cursor.filled; at++) setBit(found, cursor.entries[at]!)
    }
  }
  return found
}

const union = ([first, ...others]: readonly Uint32Array[]): Uint32Array => others.reduce(unite, first!.slice())
