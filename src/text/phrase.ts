// Words that stand next to each other in this order: which are they, and does a text hold them so?
import { eachTerm } from './analyze.ts'
import type { Language } from './language.ts'
import { queryWords } from './query-terms.ts'

export interface PhraseWord {
  /** Any of them is the word. */
  terms: readonly string[]
  /** The words that may follow; none after the last. */
  next: readonly number[]
}

/** A compound and its parts are ways through the same phrase: "e-mail address" is "email address" as well. */
export interface Phrase {
  words: readonly PhraseWord[]
  /** The words it may start with. */
  first: readonly number[]
}

/** What comes after so many words is left out. */
const MAX_PHRASE_WORDS = 64

/** None when the text holds no word. Stop words count like others. */
export function phraseOf(text: string, languages: readonly Language[]): Phrase | undefined {
  const words = queryWords(text, languages).slice(0, MAX_PHRASE_WORDS)
  if (words.length === 0) return undefined
  const startingAfter = (end: number): number[] => {
    const start = words.find((it) => it.start >= end)?.start
    return [...words.keys()].filter((at) => words[at]!.start === start)
  }
  return {
    words: words.map(({ terms, end }) => ({ terms, next: startingAfter(end) })),
    first: startingAfter(0),
  }
}

/** Between two words of the phrase there is no other word. Takes time in proportion to the text, whatever it holds. */
export function holdsPhrase({ words, first }: Phrase, text: string, language: Language): boolean {
  const byTerm = placesOf(words)
  /** Words that were found, by where they end, as long as nothing has started after them. */
  const found = new Map<number, Set<number>>()
  const expected = new Set(first)
  let start = -1
  let isHeld = false
  eachTerm(text, language, (term, termStart, end) => {
    if (isHeld) return
    if (termStart > start) {
      start = termStart
      if (expected.size > first.length || found.size > 0) expectAt(start)
    }
    for (const word of byTerm.get(term) ?? []) {
      if (!expected.has(word)) continue
      if (words[word]!.next.length === 0) isHeld = true
      found.set(end, (found.get(end) ?? new Set()).add(word))
    }
  })
  return isHeld

  function expectAt(at: number): void {
    expected.clear()
    for (const word of first) expected.add(word)
    for (const [end, ended] of found) {
      if (end > at) continue
      found.delete(end)
      for (const word of ended) for (const next of words[word]!.next) expected.add(next)
    }
  }
}

const known = new WeakMap<readonly PhraseWord[], Map<string, number[]>>()

/** Where in the phrase each term stands. Many texts are asked for the same phrase. */
function placesOf(words: readonly PhraseWord[]): Map<string, number[]> {
  const before = known.get(words)
  if (before !== undefined) return before
  const places = new Map<string, number[]>()
  for (const [at, { terms }] of words.entries()) {
    for (const term of terms) places.set(term, [...(places.get(term) ?? []), at])
  }
  known.set(words, places)
  return places
}
