// Finds the passages that contain a word or may contain a phrase, as far as the postings can tell: they have no
// positions.
import type { Phrase } from '../../text/phrase.ts'
import { createBitSet, intersectInto, setBit, subtractInto, unionInto } from '../codec/bits.ts'
import { findOrdinal } from '../codec/dictionary.ts'
import { PostingsCursor } from '../codec/postings.ts'
import { encodeText } from '../codec/text-encoding.ts'
import type { Segment } from '../segment/segment.ts'

/** Later words of a phrase are only checked when the text is read. */
const MAX_WORDS = 16

export interface PhraseMatches {
  /** One path through the phrase is a single word, and these passages contain it. */
  certain: Uint32Array
  /** These passages contain all words of a path, in any order. */
  possible: Uint32Array
}

export function matchPhrase(segment: Segment, { words, first }: Phrase): PhraseMatches {
  const certain = createBitSet(segment.meta.entries)
  const possible = createBitSet(segment.meta.entries)
  /** Per word, the passages that contain it and the rest of a path to the end. */
  const ways: Uint32Array[] = []
  for (const [at, { terms, next }] of [...words.entries()].slice(0, MAX_WORDS).reverse()) {
    const own = passagesWithAnyTerm(segment, findTermOrdinals(segment, terms))
    const rests = next.flatMap((it) => ways[it] ?? [])
    // A rest that is too long to look up is not required.
    const isLookedUp = next.length > 0 && rests.length === next.length
    ways[at] = isLookedUp ? intersectInto(own, rests.reduce(unionInto, createBitSet(segment.meta.entries))) : own
  }
  for (const word of first) {
    const own = ways[word]
    if (own !== undefined) unionInto(words[word]?.next.length === 0 ? certain : possible, own)
  }
  return { certain, possible: subtractInto(possible, certain) }
}

export const findTermOrdinals = ({ terms }: Segment, spellings: readonly string[]): number[] =>
  spellings.map((it) => findOrdinal(terms, encodeText(it))).filter((it) => it >= 0)

/** Includes deleted passages. */
export function passagesWithAnyTerm(segment: Segment, terms: readonly number[]): Uint32Array {
  const found = createBitSet(segment.meta.entries)
  const cursor = new PostingsCursor()
  for (const term of terms) {
    cursor.open(segment.postings, term)
    for (let block = 0; block < cursor.blocks; block++) {
      cursor.unpack(block)
      for (let at = 0; at < cursor.unpackedCount; at++) setBit(found, cursor.passages[at]!)
    }
  }
  return found
}
