// Finds the words in the dictionaries of some segments that have a prefix or are spelled similarly, regardless of what
// the caller may see.
import { hasBit } from '../codec/bits.ts'
import {
  cursorFrom,
  type Dictionary,
  type DictionaryCursor,
  type MergedCursor,
  smallestCursor,
  stringAt,
} from '../codec/dictionary.ts'
import { decodeText, encodeText } from '../codec/text-encoding.ts'
import { findTermOrdinals } from '../query/phrase-matches.ts'
import type { LiveSegment } from '../segment/live-segment.ts'
import { type FuzzyMatch, fuzzyMatches } from './fuzzy-matches.ts'

export type WordMatch = { prefix: string } | { near: string; maxEdits: 1 | 2 }

export interface WordCandidate {
  word: string
  edits: number
  /** The terms that stand for the word in one of the segments. */
  terms: string[]
  /** An upper bound of the number of groups that contain one of the terms. */
  groups: number
}

/** The order in which candidates are checked. */
export const compareCandidates = (one: Omit<WordCandidate, 'terms'>, other: Omit<WordCandidate, 'terms'>): number =>
  one.edits - other.edits || other.groups - one.groups || (one.word < other.word ? -1 : 1)

/**
 * Returns the first `limit` candidates in order. Candidates that occur in equally many groups are sorted by their
 * bytes.
 */
export function findWordCandidates(
  segments: readonly LiveSegment[],
  match: WordMatch,
  limit = Infinity,
): WordCandidate[] {
  const found =
    'prefix' in match ? new PrefixWalk(segments, match.prefix).first(limit) : findFuzzyCandidates(segments, match)
  return found.sort(compareCandidates).slice(0, limit)
}

const maxGroupsWithTerm = (segments: readonly LiveSegment[], term: string): number =>
  segments.reduce(
    (sum, live) => findTermOrdinals(live.segment, [term]).reduce((own, it) => own + live.maxGroupsWith(it), sum),
    0,
  )

function findFuzzyCandidates(
  segments: readonly LiveSegment[],
  match: { near: string; maxEdits: 1 | 2 },
): WordCandidate[] {
  const candidates = new Map<string, WordCandidate>()
  for (const { segment } of segments) {
    const matching = (dictionary: Dictionary) => fuzzyMatches(dictionary, match.near, match.maxEdits)
    const { vocabulary } = segment
    const add = ({ text: word, edits }: FuzzyMatch, term: string) => {
      const known = candidates.get(word) ?? { word, edits, terms: [], groups: 0 }
      candidates.set(word, known)
      if (!known.terms.includes(term)) known.terms.push(term)
    }
    for (const it of matching(segment.terms)) if (hasBit(vocabulary.isWord, it.ordinal)) add(it, it.text)
    for (const it of matching(vocabulary.words)) add(it, stringAt(segment.terms, vocabulary.terms[it.ordinal]!))
  }
  const found = [...candidates.values()]
  const sizes = new Map<string, number>()
  const sizeOf = (term: string): number => {
    const size = sizes.get(term) ?? maxGroupsWithTerm(segments, term)
    sizes.set(term, size)
    return size
  }
  for (const it of found) it.groups = it.terms.reduce((sum, term) => sum + sizeOf(term), 0)
  return found.filter((it) => it.groups > 0)
}

interface PrefixTerm {
  name: Buffer
  /** An upper bound of the number of groups that contain the term. */
  groups: number
}

interface PrefixWord {
  name: Buffer
  /** The term that is spelled like the word, if that term is a word itself. */
  own: PrefixTerm | undefined
  /** Other terms that stand for the word. */
  terms: { within: PrefixTerms; ordinal: number }[]
}

/** The terms of a segment with the prefix; their ordinals are consecutive. */
interface PrefixTerms {
  live: LiveSegment
  first: number
  terms: PrefixTerm[]
}

/** A dictionary to walk: the terms of a segment, or its words that differ from their term. */
interface DictionarySource extends MergedCursor {
  within: PrefixTerms
  isTerms: boolean
}

/**
 * Walks all strings with the prefix once, over all segments. Two letters have thousands of matches, so strings are only
 * created for the candidates that are returned.
 */
class PrefixWalk {
  readonly #segments: readonly LiveSegment[]
  readonly #words: PrefixWord[] = []
  /** Terms that do not have the prefix although their word does, as with some stems. */
  readonly #termsOutsidePrefix = new Map<string, PrefixTerm>()

  constructor(segments: readonly LiveSegment[], prefix: string) {
    this.#segments = segments
    const start = encodeText(prefix)
    const sources = segments.flatMap((live) => openSources(live, start))
    for (let least = smallestCursor(sources); least !== undefined; least = smallestCursor(sources)) {
      const name = Buffer.from(least.bytes())
      const word: PrefixWord = { name, own: undefined, terms: [] }
      const term: PrefixTerm = { name, groups: 0 }
      for (const source of sources) {
        const { cursor } = source
        while (source.isOpen && cursor.compareTo(name) === 0) {
          addString(source, word, term)
          source.isOpen = cursor.next() && cursor.startsWith(start)
        }
      }
      if (word.own !== undefined || word.terms.length > 0) this.#words.push(word)
    }
  }

  /** Returns the candidates unsorted. */
  first(limit: number): WordCandidate[] {
    const groups = Uint32Array.from(this.#words, (it) => sumGroups(this.#termsOf(it)))
    const least = Math.max(1, (limit < groups.length ? groups.toSorted().at(-limit) : undefined) ?? 1)
    const more = this.#words.filter((_, at) => groups[at]! > least)
    const equal = this.#words.filter((_, at) => groups[at] === least)
    return [...more, ...equal.slice(0, limit - more.length)].map((it) => this.#toCandidate(it))
  }

  #toCandidate(word: PrefixWord): WordCandidate {
    const terms = this.#termsOf(word)
    return {
      word: decodeText(word.name),
      edits: 0,
      terms: terms.map((it) => decodeText(it.name)),
      groups: sumGroups(terms),
    }
  }

  #termsOf({ own, terms }: PrefixWord): PrefixTerm[] {
    const found = own === undefined ? [] : [own]
    for (const { within, ordinal } of terms) {
      const term = within.terms[ordinal - within.first] ?? this.#termOutsidePrefix(within.live, ordinal)
      if (!found.includes(term)) found.push(term)
    }
    return found
  }

  #termOutsidePrefix({ segment }: LiveSegment, ordinal: number): PrefixTerm {
    const text = stringAt(segment.terms, ordinal)
    const known = this.#termsOutsidePrefix.get(text)
    if (known !== undefined) return known
    const term = { name: encodeText(text), groups: maxGroupsWithTerm(this.#segments, text) }
    this.#termsOutsidePrefix.set(text, term)
    return term
  }
}

function addString(
  { within, isTerms, cursor: { ordinal } }: DictionarySource,
  word: PrefixWord,
  term: PrefixTerm,
): void {
  const { live } = within
  const { vocabulary } = live.segment
  if (!isTerms) {
    word.terms.push({ within, ordinal: vocabulary.terms[ordinal]! })
    return
  }
  term.groups += live.maxGroupsWith(ordinal)
  within.terms.push(term)
  if (hasBit(vocabulary.isWord, ordinal)) word.own = term
}

const sumGroups = (terms: readonly PrefixTerm[]): number => terms.reduce((all, it) => all + it.groups, 0)

function openSources(live: LiveSegment, start: Uint8Array): DictionarySource[] {
  const { terms, vocabulary } = live.segment
  const firstTerm = cursorFrom(terms, start)
  const firstWord = cursorFrom(vocabulary.words, start)
  const within: PrefixTerms = { live, first: firstTerm?.ordinal ?? 0, terms: [] }
  const open = (cursor: DictionaryCursor | undefined, isTerms: boolean): DictionarySource[] =>
    cursor === undefined ? [] : [{ within, isTerms, cursor, isOpen: cursor.startsWith(start) }]
  return [...open(firstTerm, true), ...open(firstWord, false)]
}
