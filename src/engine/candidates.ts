// Which words do the dictionaries of some segments hold that begin so, or are spelled almost so? Whoever may see what.
import { hasBit } from './bits.ts'
import { cursorAt, type Dictionary, type DictionaryCursor, leastOf, textAt } from './dictionary.ts'
import { type Near, nearIn } from './edits.ts'
import { ordinalsOf } from './holders.ts'
import { bytesOfText, textOfBytes } from './key-text.ts'
import type { LiveSegment } from './live-segment.ts'

export type Match = { prefix: string } | { near: string; maxEdits: 1 | 2 }

export interface Candidate {
  word: string
  edits: number
  /** Those that stand for it in one of the segments. */
  terms: string[]
  /** At most as many groups hold one of the terms. */
  groups: number
}

/** The order in which they are worth a look. */
export const compare = (one: Omit<Candidate, 'terms'>, other: Omit<Candidate, 'terms'>): number =>
  one.edits - other.edits || other.groups - one.groups || (one.word < other.word ? -1 : 1)

/** In order, the first `limit` of them; of those that as many groups hold, the first as bytes. */
export function candidatesFor(segments: readonly LiveSegment[], match: Match, limit = Infinity): Candidate[] {
  const found = 'prefix' in match ? new Beginning(segments, match.prefix).first(limit) : near(segments, match)
  return found.sort(compare).slice(0, limit)
}

const sizeOf = (segments: readonly LiveSegment[], term: string): number =>
  segments.reduce(
    (sum, live) => ordinalsOf(live.segment, [term]).reduce((own, it) => own + live.groupsWithAtMost(it), sum),
    0,
  )

function near(segments: readonly LiveSegment[], match: { near: string; maxEdits: 1 | 2 }): Candidate[] {
  const candidates = new Map<string, Candidate>()
  for (const { segment } of segments) {
    const matching = (dictionary: Dictionary) => nearIn(dictionary, match.near, match.maxEdits)
    const { vocabulary } = segment
    const add = ({ text: word, edits }: Near, term: string) => {
      const known = candidates.get(word) ?? { word, edits, terms: [], groups: 0 }
      candidates.set(word, known)
      if (!known.terms.includes(term)) known.terms.push(term)
    }
    for (const it of matching(segment.terms)) if (hasBit(vocabulary.isWord, it.ordinal)) add(it, it.text)
    for (const it of matching(vocabulary.words)) add(it, textAt(segment.terms, vocabulary.terms[it.ordinal]!))
  }
  const found = [...candidates.values()]
  const sizes = new Map(found.flatMap((it) => it.terms).map((term) => [term, 0]))
  for (const term of sizes.keys()) sizes.set(term, sizeOf(segments, term))
  for (const it of found) it.groups = it.terms.reduce((sum, term) => sum + sizes.get(term)!, 0)
  return found.filter((it) => it.groups > 0)
}

interface Term {
  name: Buffer
  /** At most as many groups hold it. */
  groups: number
}

interface Word {
  name: Buffer
  /** The term that is spelled like it, where that is a word. */
  own: Term | undefined
  /** Others that stand for it, by the segment and their ordinal there. */
  terms: { segment: number; ordinal: number }[]
}

/** One of the dictionaries that are walked: the terms of a segment, or the words that are not written as their term. */
interface Source {
  at: number
  live: LiveSegment
  isTerms: boolean
  cursor: DictionaryCursor
}

/**
 * All that begins so, walked once over all segments: there are thousands for two letters, and a string is made only of
 * those that are wanted.
 */
class Beginning {
  readonly #segments: readonly LiveSegment[]
  readonly #words: Word[] = []
  /** Per segment, those of its terms that begin so: they follow each other. */
  readonly #terms: { first: number; terms: Term[] }[]
  /** Terms that begin otherwise, as stems may. */
  readonly #others = new Map<string, Term>()

  constructor(segments: readonly LiveSegment[], prefix: string) {
    this.#segments = segments
    this.#terms = segments.map(() => ({ first: 0, terms: [] }))
    const start = bytesOfText(prefix)
    const sources = segments.flatMap((live, at) => sourcesOf(live, at, start))
    const cursors = sources.map((it) => it.cursor)
    const open = cursors.map((it) => it.startsWith(start))
    for (const { at, isTerms, cursor } of sources) if (isTerms) this.#terms[at]!.first = cursor.ordinal
    for (let least = leastOf(cursors, open); least !== undefined; least = leastOf(cursors, open)) {
      const name = Buffer.from(least.bytes())
      const word: Word = { name, own: undefined, terms: [] }
      const term: Term = { name, groups: 0 }
      for (const [at, source] of sources.entries()) {
        const { cursor } = source
        while (open[at] && cursor.compareTo(name) === 0) {
          this.#take(source, word, term)
          open[at] = cursor.next() && cursor.startsWith(start)
        }
      }
      if (word.own !== undefined || word.terms.length > 0) this.#words.push(word)
    }
  }

  #take({ at, live, isTerms, cursor: { ordinal } }: Source, word: Word, term: Term): void {
    const { vocabulary } = live.segment
    if (!isTerms) {
      word.terms.push({ segment: at, ordinal: vocabulary.terms[ordinal]! })
      return
    }
    term.groups += live.groupsWithAtMost(ordinal)
    this.#terms[at]!.terms.push(term)
    if (hasBit(vocabulary.isWord, ordinal)) word.own = term
  }

  /** Not in order. */
  first(limit: number): Candidate[] {
    const groups = Uint32Array.from(this.#words, (it) => sum(this.#termsOf(it)))
    const least = Math.max(1, limit < groups.length ? groups.toSorted()[groups.length - limit]! : 1)
    const more = this.#words.filter((_, at) => groups[at]! > least)
    const equal = this.#words.filter((_, at) => groups[at] === least)
    return [...more, ...equal.slice(0, limit - more.length)].map((it) => this.#candidate(it))
  }

  #candidate(word: Word): Candidate {
    const terms = this.#termsOf(word)
    return {
      word: textOfBytes(word.name),
      edits: 0,
      terms: terms.map((it) => textOfBytes(it.name)),
      groups: sum(terms),
    }
  }

  #termsOf({ own, terms }: Word): Term[] {
    const found = own === undefined ? [] : [own]
    for (const { segment, ordinal } of terms) {
      const { first, terms: begun } = this.#terms[segment]!
      const term = begun[ordinal - first] ?? this.#other(segment, ordinal)
      if (!found.includes(term)) found.push(term)
    }
    return found
  }

  #other(segment: number, ordinal: number): Term {
    const text = textAt(this.#segments[segment]!.segment.terms, ordinal)
    const known = this.#others.get(text)
    if (known !== undefined) return known
    const term = { name: bytesOfText(text), groups: sizeOf(this.#segments, text) }
    this.#others.set(text, term)
    return term
  }
}

const sum = (terms: readonly Term[]): number => terms.reduce((all, it) => all + it.groups, 0)

function sourcesOf(live: LiveSegment, at: number, start: Uint8Array): Source[] {
  const { terms, vocabulary } = live.segment
  return [terms, vocabulary.words].flatMap((dictionary) => {
    const cursor = cursorAt(dictionary, start)
    return cursor === undefined ? [] : [{ at, live, isTerms: dictionary === terms, cursor }]
  })
}
