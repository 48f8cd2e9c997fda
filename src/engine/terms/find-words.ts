// Prefix and fuzzy word lookup, restricted to the passages that the caller may see.
import type { Language } from '../../text/language.ts'
import { countBits, createBitSet, hasBit, setBit } from '../codec/bits.ts'
import { PostingsCursor } from '../codec/postings.ts'
import { readStoredText } from '../codec/stored-text.ts'
import { type Filter, filterMask, withPassages } from '../query/filter-mask.ts'
import { findTermOrdinals } from '../query/phrase-matches.ts'
import type { FilterMask, LiveSegment } from '../segment/live-segment.ts'
import { findGroupFrom, findGroupOfPassage, languageOfGroup, passagesEndOf, type Segment } from '../segment/segment.ts'
import { compareCandidates, findWordCandidates, type WordCandidate, type WordMatch } from './word-candidates.ts'

export interface WordQuery {
  match: WordMatch
  filter: Filter
  limit: number
  /** Returns the words of a stored text that the term stands for. Must return the same for the same text. */
  wordsFor(stored: string, language: Language, term: string): WrittenWord[]
}

export interface WrittenWord {
  word: string
  spelling: string
}

export interface FoundWord {
  word: string
  /** The most frequent spelling in the texts that were read. Equal counts are resolved by text order. */
  spelling: string
  edits: number
  /** The number of visible groups that contain a term which stands for the word in one of them. */
  groups: number
}

/**
 * The number of texts read to check whether a term stands for a word. A form that is rarer than that may be missed: with
 * a prefix another word takes its place, but a misspelt word would find nothing.
 */
const TEXTS_PER_TERM = { prefix: 10, near: 50 }
/** A word's spelling is considered known after this many occurrences, over all its terms. */
const ENOUGH = 10
/** Enough for 50 terms, which a list of ten words needs. */
const MAX_TEXTS = 500

/**
 * Returns the words with the fewest edits first, then those that occur in most groups. The dictionaries contain the
 * words of all passages, so a word counts only after it was read in a visible passage.
 */
export function findWords(segments: readonly LiveSegment[], query: WordQuery): FoundWord[] {
  const lookup = new WordLookup(segments, query)
  const found: FoundWord[] = []
  /**
   * Both lists are sorted. The counts in `estimated` are upper bounds; those in `counted` may be too, if a word has
   * several terms.
   */
  let estimated = lookup.bestCandidates()
  let isWhole = estimated.length < MAX_BEST
  const counted: (WordCandidate & { spelling?: string })[] = []
  for (let next = 0; found.length < query.limit; ) {
    // The caller may see hardly any of the words with this prefix.
    if (next === estimated.length && !isWhole) {
      estimated = lookup.candidates()
      isWhole = true
    }
    const [estimate, best] = [estimated[next], counted[0]]
    if (estimate !== undefined && (best === undefined || compareCandidates(estimate, best) <= 0)) {
      next++
      insertSorted(counted, { ...estimate, groups: lookup.groupsWith(estimate.terms) })
      continue
    }
    counted.shift()
    if (best === undefined) break
    const { word, edits, groups, spelling } = best
    if (spelling !== undefined) found.push({ word, spelling, edits, groups })
    else if (groups > 0) insertSorted(counted, ...lookup.verified(best))
  }
  return found
}

type RankedCandidate = Parameters<typeof compareCandidates>[0]

function insertSorted<C extends RankedCandidate>(ordered: C[], ...readNext: C[]): void {
  for (const own of readNext) {
    const before = ordered.findLastIndex((it) => compareCandidates(own, it) >= 0)
    ordered.splice(before + 1, 0, own)
  }
}

interface SearchedSegment {
  live: LiveSegment
  mask: Required<FilterMask>
  /** True if every group of the segment is visible and none is deleted. */
  isUnrestricted: boolean
}

/** The part read so far of the texts that contain a term. */
interface SpellingSample {
  /** Per word that the term stands for, the count of each spelling. */
  spellingsOf: Map<string, Map<string, number>>
  /** Reads another text. Returns false if there is none or enough have been read. */
  readNext(): boolean
}

/** One query and what it has learned about terms. */
class WordLookup {
  readonly #segments: readonly SearchedSegment[]
  readonly #query: WordQuery
  readonly #samples = new Map<string, SpellingSample>()
  readonly #cursor = new PostingsCursor()
  #textsLeft = MAX_TEXTS

  constructor(segments: readonly LiveSegment[], query: WordQuery) {
    this.#segments = segments.map((live) => {
      const mask = withPassages(live, filterMask(live, query.filter))
      return { live, mask, isUnrestricted: countBits(mask.groups) === live.segment.meta.groups }
    })
    this.#query = query
  }

  /**
   * The first `MAX_BEST` candidates. They do not depend on what the caller may see and are cached until the index
   * changes.
   */
  bestCandidates(): readonly WordCandidate[] {
    const [first] = this.#segments
    if (first === undefined) return []
    const lists = candidateCache.get(first.live) ?? new Map<string, readonly WordCandidate[]>()
    candidateCache.set(first.live, lists)
    const states = this.#segments.map(({ live }) => [live.segment.id, live.deletedGroups])
    const name = JSON.stringify([this.#query.match, states])
    const known = lists.get(name)
    if (known !== undefined) return known
    const found = this.candidates(MAX_BEST)
    if (lists.size >= MAX_LISTS) lists.clear()
    lists.set(name, found)
    return found
  }

  candidates(limit?: number): WordCandidate[] {
    const segments = this.#segments.map((it) => it.live)
    return findWordCandidates(segments, this.#query.match, limit)
  }

  groupsWith(terms: readonly string[]): number {
    return this.#segments.reduce((sum, it) => sum + this.#countGroupsIn(it, terms), 0)
  }

  /** Counts are cached because search-as-you-type repeats the same terms. */
  #countGroupsIn(
    { live, mask: { passages, groupCounts }, isUnrestricted }: SearchedSegment,
    terms: readonly string[],
  ): number {
    const ordinals = findTermOrdinals(live.segment, terms)
    const [first] = ordinals
    if (first !== undefined && ordinals.length === 1 && isUnrestricted) return live.segment.postings.groupCounts[first]!
    const postings = ordinals.reduce((sum, it) => sum + live.countPostings(it), 0)
    if (postings < MIN_POSTINGS) return countGroupsWithTerms(live, ordinals, passages, this.#cursor)
    const key = ordinals.join()
    const known = groupCounts.get(key)
    if (known !== undefined) return known
    const count = countGroupsWithTerms(live, ordinals, passages, this.#cursor)
    if (groupCounts.size >= MAX_COUNTS) groupCounts.clear()
    groupCounts.set(key, count)
    return count
  }

  /**
   * Returns the candidate with those of its terms that stand for the word in a text that was read; empty if there is
   * none.
   */
  verified({ word, edits, terms }: WordCandidate): (WordCandidate & { spelling: string })[] {
    const spellings = new Map<string, number>()
    let times = 0
    const seen = terms.filter((term) => {
      const { spellingsOf, readNext } = this.#sampleOf(term)
      const here = () => [...(spellingsOf.get(word)?.values() ?? [])].reduce((sum, it) => sum + it, 0)
      while ((here() === 0 || times + here() < ENOUGH) && readNext());
      times += here()
      for (const [spelling, count] of spellingsOf.get(word) ?? [])
        spellings.set(spelling, count + (spellings.get(spelling) ?? 0))
      return here() > 0
    })
    const [best] = [...spellings].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    if (best === undefined) return []
    return [{ word, edits, terms: seen, groups: this.groupsWith(seen), spelling: best[0] }]
  }

  #sampleOf(term: string): SpellingSample {
    const known = this.#samples.get(term) ?? this.#startSample(term)
    this.#samples.set(term, known)
    return known
  }

  #startSample(term: string): SpellingSample {
    const spellingsOf = new Map<string, Map<string, number>>()
    const texts = this.#readTextsWith(term)
    return {
      spellingsOf,
      readNext() {
        const { value, done } = texts.next()
        for (const { word, spelling } of value ?? []) {
          const spellings = spellingsOf.get(word) ?? new Map<string, number>()
          spellingsOf.set(word, spellings.set(spelling, (spellings.get(spelling) ?? 0) + 1))
        }
        return !done
      },
    }
  }

  #wordsInText(segment: Segment, passage: number, term: string): WrittenWord[] {
    const known = writtenWordsCache.get(segment) ?? new Map<string, WrittenWord[]>()
    writtenWordsCache.set(segment, known)
    const key = `${passage} ${term}`
    const remembered = known.get(key)
    if (remembered !== undefined) return remembered
    const language = languageOfGroup(segment, findGroupOfPassage(segment, passage))
    const words = this.#query.wordsFor(readStoredText(segment.stored, passage), language, term)
    if (known.size >= MAX_READ) known.clear()
    known.set(key, words)
    return words
  }

  *#readTextsWith(term: string): Generator<WrittenWord[], undefined> {
    let left = 'prefix' in this.#query.match ? TEXTS_PER_TERM.prefix : TEXTS_PER_TERM.near
    for (const { live, mask } of this.#segments) {
      const { segment } = live
      for (const passage of passagesWithTerm(live, term, mask.passages)) {
        if (left-- === 0 || this.#textsLeft === 0) return
        this.#textsLeft--
        yield this.#wordsInText(segment, passage, term)
      }
    }
  }
}

/** Limits of the candidate cache: words per prefix, and prefixes. It lives as long as the first segment. */
const MAX_BEST = 128
const MAX_LISTS = 256
const candidateCache = new WeakMap<LiveSegment, Map<string, readonly WordCandidate[]>>()

/** The number of cached counts per mask, and the number of postings from which a count is worth caching. */
const MAX_COUNTS = 4_096
const MIN_POSTINGS = 256

/** The number of texts per segment whose words are cached. Stored texts never change. */
const MAX_READ = 8_192
const writtenWordsCache = new WeakMap<Segment, Map<string, WrittenWord[]>>()

function* passagesWithTerm({ segment }: LiveSegment, term: string, mask: Uint32Array): Generator<number> {
  const cursor = new PostingsCursor()
  for (const ordinal of findTermOrdinals(segment, [term])) {
    cursor.open(segment.postings, ordinal)
    for (let block = 0; block < cursor.blocks; block++) {
      cursor.unpack(block)
      for (let at = 0; at < cursor.unpackedCount; at++) {
        const passage = cursor.passages[at]!
        if (hasBit(mask, passage)) yield passage
      }
    }
  }
}

/** Counts the visible groups that contain one of the terms. */
function countGroupsWithTerms(
  { segment }: LiveSegment,
  terms: readonly number[],
  mask: Uint32Array,
  cursor: PostingsCursor,
): number {
  const counted = terms.length > 1 ? createBitSet(segment.meta.groups) : undefined
  let count = 0
  for (const term of terms) {
    let group = 0
    let until = 0
    cursor.open(segment.postings, term)
    for (let block = 0; block < cursor.blocks; block++) {
      cursor.unpack(block)
      for (let at = 0; at < cursor.unpackedCount; at++) {
        const passage = cursor.passages[at]!
        if (passage < until || !hasBit(mask, passage)) continue
        group = findGroupFrom(segment, group, passage)
        until = passagesEndOf(segment, group)
        if (counted !== undefined && hasBit(counted, group)) continue
        if (counted !== undefined) setBit(counted, group)
        count++
      }
    }
  }
  return count
}
