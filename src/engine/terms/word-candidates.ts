// Finds the words in the dictionaries of some segments that have a prefix or are spelled similarly, regardless of what
// the caller may see.
import { hasBit } from '../codec/bits.ts'
import { cursorFrom, type Dictionary, type DictionaryCursor, smallestCursor, stringAt } from '../codec/dictionary.ts'
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
  const sizes = new Map(found.flatMap((it) => it.terms).map((term) => [term, 0]))
  for (const term of sizes.keys()) sizes.set(term, maxGroupsWithTerm(segments, term))
  for (const it of found) it.groups = it.terms.reduce((sum, term) => sum + sizes.get(term)!, 0)
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
  /** Other terms that stand for the word, by segment and ordinal. */
  terms: { segment: number; ordinal: number }[]
}

/** A dictionary to walk: the terms of a segment, or its words that differ from their term. */
interface DictionarySource {
  at: number
  live: LiveSegment
  isTerms: boolean
  cursor: DictionaryCursor
}

/**
 * Walks all strings with the prefix once, over all segments. Two letters have thousands of matches, so strings are only
 * created for the candidates that are returned.
 */
class PrefixWalk {
  readonly #segments: readonly LiveSegment[]
  readonly #words: PrefixWord[] = []
  /** Per segment, the terms with the prefix; their ordinals are consecutive. */
  readonly #terms: { first: number; terms: PrefixTerm[] }[]
  /** Terms that do not have the prefix although their word does, as with some stems. */
  readonly #termsOutsidePrefix = new Map<string, PrefixTerm>()

  constructor(segments: readonly LiveSegment[], prefix: string) {
    this.#segments = segments
    this.#terms = segments.map(() => ({ first: 0, terms: [] }))
    const start = encodeText(prefix)
    const sources = segments.flatMap((live, at) => openSources(live, at, start))
    const cursors = sources.map((it) => it.cursor)
    const open = cursors.map((it) => it.startsWith(start))
    for (const { at, isTerms, cursor } of sources) if (isTerms) this.#terms[at]!.first = cursor.ordinal
    for (let least = smallestCursor(cursors, open); least !== undefined; least = smallestCursor(cursors, open)) {
      const name = Buffer.from(least.bytes())
      const word: PrefixWord = { name, own: undefined, terms: [] }
      const term: PrefixTerm = { name, groups: 0 }
      for (const [at, source] of sources.entries()) {
        const { cursor } = source
        while (open[at] && cursor.compareTo(name) === 0) {
          this.#addString(source, word, term)
          open[at] = cursor.next() && cursor.startsWith(start)
        }
      }
      if (word.own !== undefined || word.terms.length > 0) this.#words.push(word)
    }
  }

  #addString({ at, live, isTerms, cursor: { ordinal } }: DictionarySource, word: PrefixWord, term: PrefixTerm): void {
    const { vocabulary } = live.segment
    if (!isTerms) {
      word.terms.push({ segment: at, ordinal: vocabulary.terms[ordinal]! })
      return
    }
    term.groups += live.maxGroupsWith(ordinal)
    this.#terms[at]!.terms.push(term)
    if (hasBit(vocabulary.isWord, ordinal)) word.own = term
  }

  /** Returns the candidates unsorted. */
  first(limit: number): WordCandidate[] {
    const groups = Uint32Array.from(this.#words, (it) => sumGroups(this.#termsOf(it)))
    const least = Math.max(1, limit < groups.length ? groups.toSorted()[groups.length - limit]! : 1)
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
    for (const { segment, ordinal } of terms) {
      const { first, terms: prefixTerms } = this.#terms[segment]!
      const term = prefixTerms[ordinal - first] ?? this.#termOutsidePrefix(segment, ordinal)
      if (!found.includes(term)) found.push(term)
    }
    return found
  }

  #termOutsidePrefix(segment: number, ordinal: number): PrefixTerm {
    const text = stringAt(this.#segments[segment]!.segment.terms, ordinal)
    const known = this.#termsOutsidePrefix.get(text)
    if (known !== undefined) return known
    const term = { name: encodeText(text), groups: maxGroupsWithTerm(this.#segments, text) }
    this.#termsOutsidePrefix.set(text, term)
    return term
  }
}

const sumGroups = (terms: readonly PrefixTerm[]): number => terms.reduce((all, it) => all + it.groups, 0)

function openSources(live: LiveSegment, at: number, start: Uint8Array): DictionarySource[] {
  const { terms, vocabulary } = live.segment
  return [terms, vocabulary.words].flatMap((dictionary) => {
    const cursor = cursorFrom(dictionary, start)
    return cursor === undefined ? [] : [{ at, live, isTerms: dictionary === terms, cursor }]
  })
}
