// Which words do people who see only some of the entries find in them, that begin so, or are spelled almost so?
import { bitSet, countBits, hasBit, setBit } from './bits.ts'
import { type Candidate, candidatesFor, compare, type Match } from './candidates.ts'
import { ordinalsOf } from './holders.ts'
import type { LiveSegment, Mask } from './live-segment.ts'
import { type Filter, maskIn, withEntries } from './mask.ts'
import { PostingsCursor } from './postings.ts'
import { groupFrom, groupOf, type Segment } from './segment.ts'
import { storedText } from './stored-text.ts'

export interface WordQuery {
  match: Match
  filter: Filter
  limit: number
  /** The words of a stored text that the term stands for there; the same for the same text. */
  wordsFor(stored: string, language: string, term: string): WrittenWord[]
}

export interface WrittenWord {
  word: string
  spelling: string
}

export interface FoundWord {
  word: string
  /** As it is written most often in what was read; of equals, the first as text. */
  spelling: string
  edits: number
  /** Groups that may be found and hold a term that stands for the word in one of them. */
  groups: number
}

/** Texts read to see whether a term stands for a word. A form that is rarer than that may be missed. */
const TEXTS_PER_TERM = 10
/** How often a word was read, over all its terms, when its spelling is taken for known. */
const ENOUGH = 10
/** 50 terms for a list of ten words. */
const MAX_TEXTS = 500

/**
 * Those with the fewest edits first, then those that most groups hold. The dictionaries know words of all entries, so a
 * word counts only when it has been read in an entry that may be found.
 */
export function findWords(segments: readonly LiveSegment[], query: WordQuery): FoundWord[] {
  const asked = new Asked(segments, query)
  const found: FoundWord[] = []
  /** In order; the counts of `guessed` are too high, those of `counted` may be if there are several terms. */
  let guessed = asked.bestCandidates()
  let isWhole = guessed.length < MAX_BEST
  const counted: (Candidate & { spelling?: string })[] = []
  for (let next = 0; found.length < query.limit; ) {
    // They may find hardly anything of what begins so.
    if (next === guessed.length && !isWhole) {
      guessed = asked.candidates()
      isWhole = true
    }
    const [guess, best] = [guessed[next], counted[0]]
    if (guess !== undefined && (best === undefined || compare(guess, best) <= 0)) {
      next++
      insert(counted, { ...guess, groups: asked.groupsWith(guess.terms) })
      continue
    }
    counted.shift()
    if (best === undefined) break
    const { word, edits, groups, spelling } = best
    if (spelling !== undefined) found.push({ word, spelling, edits, groups })
    else if (groups > 0) insert(counted, ...asked.seen(best))
  }
  return found
}

type Ordered = Parameters<typeof compare>[0]

function insert<C extends Ordered>(ordered: C[], ...more: C[]): void {
  for (const own of more) {
    let at = ordered.length
    while (at > 0 && compare(own, ordered[at - 1]!) < 0) at--
    ordered.splice(at, 0, own)
  }
}

interface Searched {
  live: LiveSegment
  mask: Required<Mask>
  /** All groups of the segment may be found, and none is deleted. */
  hidesNone: boolean
}

/** What has been read so far of the texts that hold a term. */
interface Reading {
  /** Per word that the term stands for, how often it is spelled how. */
  spellingsOf: Map<string, Map<string, number>>
  /** Reads another; false when there is none, or enough have been read. */
  more(): boolean
}

/** One query, with what it has found out about terms. */
class Asked {
  readonly #segments: readonly Searched[]
  readonly #query: WordQuery
  readonly #readings = new Map<string, Reading>()
  readonly #cursor = new PostingsCursor()
  #textsLeft = MAX_TEXTS

  constructor(segments: readonly LiveSegment[], query: WordQuery) {
    this.#segments = segments.map((live) => {
      const mask = withEntries(live, maskIn(live, query.filter))
      return { live, mask, hidesNone: countBits(mask.groups) === live.segment.meta.groups }
    })
    this.#query = query
  }

  /** The first `MAX_BEST` of them: whoever may see what, the same for all as long as nothing changes. */
  bestCandidates(): readonly Candidate[] {
    const [first] = this.#segments
    if (first === undefined) return []
    const lists = listed.get(first.live) ?? new Map<string, readonly Candidate[]>()
    listed.set(first.live, lists)
    const states = this.#segments.map(({ live }) => [live.segment.id, live.deletedGroups])
    const name = JSON.stringify([this.#query.match, states])
    const known = lists.get(name)
    if (known !== undefined) return known
    const found = this.candidates(MAX_BEST)
    if (lists.size >= MAX_LISTS) lists.clear()
    lists.set(name, found)
    return found
  }

  candidates(limit?: number): Candidate[] {
    const segments = this.#segments.map((it) => it.live)
    return candidatesFor(segments, this.#query.match, limit)
  }

  groupsWith(terms: readonly string[]): number {
    return this.#segments.reduce((sum, it) => sum + this.#holdersOf(it, terms), 0)
  }

  /** Whoever types on asks for the same terms again. */
  #holdersOf({ live, mask: { entries, holders }, hidesNone }: Searched, terms: readonly string[]): number {
    const ordinals = ordinalsOf(live.segment, terms)
    if (ordinals.length === 1 && hidesNone) return live.segment.postings.groups[ordinals[0]!]!
    const postings = ordinals.reduce((sum, it) => sum + live.segment.postings.sizes[it]!, 0)
    if (postings < MIN_POSTINGS) return countGroups(live, ordinals, entries, this.#cursor)
    const key = ordinals.join()
    const known = holders.get(key)
    if (known !== undefined) return known
    const count = countGroups(live, ordinals, entries, this.#cursor)
    if (holders.size >= MAX_HOLDERS) holders.clear()
    holders.set(key, count)
    return count
  }

  /** With the terms that stand for the word in a text that was read, if one does. */
  seen({ word, edits, terms }: Candidate): (Candidate & { spelling: string })[] {
    const spellings = new Map<string, number>()
    let times = 0
    const seen = terms.filter((term) => {
      const { spellingsOf, more } = this.#reading(term)
      const here = () => [...(spellingsOf.get(word)?.values() ?? [])].reduce((sum, it) => sum + it, 0)
      while ((here() === 0 || times + here() < ENOUGH) && more());
      times += here()
      for (const [spelling, count] of spellingsOf.get(word) ?? [])
        spellings.set(spelling, count + (spellings.get(spelling) ?? 0))
      return here() > 0
    })
    const [best] = [...spellings].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    if (best === undefined) return []
    return [{ word, edits, terms: seen, groups: this.groupsWith(seen), spelling: best[0] }]
  }

  #reading(term: string): Reading {
    const known = this.#readings.get(term) ?? this.#newReading(term)
    this.#readings.set(term, known)
    return known
  }

  #newReading(term: string): Reading {
    const spellingsOf = new Map<string, Map<string, number>>()
    const texts = this.#textsWith(term)
    return {
      spellingsOf,
      more() {
        const { value, done } = texts.next()
        for (const { word, spelling } of value ?? []) {
          const spellings = spellingsOf.get(word) ?? new Map<string, number>()
          spellingsOf.set(word, spellings.set(spelling, (spellings.get(spelling) ?? 0) + 1))
        }
        return !done
      },
    }
  }

  #writtenIn(segment: Segment, entry: number, term: string): WrittenWord[] {
    const known = read.get(segment) ?? new Map<string, WrittenWord[]>()
    read.set(segment, known)
    const place = `${entry} ${term}`
    const remembered = known.get(place)
    if (remembered !== undefined) return remembered
    const language = segment.meta.languages[segment.languages[groupOf(segment, entry)]!]!
    const words = this.#query.wordsFor(storedText(segment.stored, entry), language, term)
    if (known.size >= MAX_READ) known.clear()
    known.set(place, words)
    return words
  }

  *#textsWith(term: string): Generator<WrittenWord[], undefined> {
    let left = TEXTS_PER_TERM
    for (const { live, mask } of this.#segments) {
      const { segment } = live
      for (const entry of entriesWith(live, term, mask.entries)) {
        if (left-- === 0 || this.#textsLeft === 0) return
        this.#textsLeft--
        yield this.#writtenIn(segment, entry, term)
      }
    }
  }
}

/** Words that are kept of a prefix, and prefixes, as long as the first segment lives. */
const MAX_BEST = 128
const MAX_LISTS = 256
const listed = new WeakMap<LiveSegment, Map<string, readonly Candidate[]>>()

/** Counts that are kept for a mask, each of so many postings that it is worth its place. */
const MAX_HOLDERS = 4_096
const MIN_POSTINGS = 256

/** Of a segment, what some of its texts hold: they never change. */
const MAX_READ = 8_192
const read = new WeakMap<Segment, Map<string, WrittenWord[]>>()

function* entriesWith({ segment }: LiveSegment, term: string, mask: Uint32Array): Generator<number> {
  const cursor = new PostingsCursor()
  for (const ordinal of ordinalsOf(segment, [term])) {
    cursor.open(segment.postings, ordinal)
    for (let block = 0; block < cursor.blocks; block++) {
      cursor.unpack(block)
      for (let at = 0; at < cursor.filled; at++) if (hasBit(mask, cursor.entries[at]!)) yield cursor.entries[at]!
    }
  }
}

/** Groups that may be found and hold one of the terms. */
function countGroups(
  { segment }: LiveSegment,
  terms: readonly number[],
  mask: Uint32Array,
  cursor: PostingsCursor,
): number {
  const counted = terms.length > 1 ? bitSet(segment.meta.groups) : undefined
  let count = 0
  for (const term of terms) {
    let group = 0
    let until = 0
    cursor.open(segment.postings, term)
    for (let block = 0; block < cursor.blocks; block++) {
      cursor.unpack(block)
      for (let at = 0; at < cursor.filled; at++) {
        const entry = cursor.entries[at]!
        if (entry < until || !hasBit(mask, entry)) continue
        group = groupFrom(segment, group, entry)
        until = segment.groupStarts[group + 1]!
        if (counted !== undefined && hasBit(counted, group)) continue
        if (counted !== undefined) setBit(counted, group)
        count++
      }
    }
  }
  return count
}
