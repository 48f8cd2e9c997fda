// Words that stand next to each other in this order: which are they, and does a text hold them so?
import { firstLetters, type MayStart } from './first-letters.ts'
import { formsOf } from './forms.ts'
import type { Language } from './language.ts'
import { queryWords } from './query-terms.ts'
import { eachWord } from './words.ts'

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
export function holdsPhrase(phrase: Phrase, text: string, language: Language): boolean {
  const { words, first } = phrase
  const { places, mayStart } = termsOf(phrase)
  const mayMatch = mayStart.get(language) ?? firstLetters(places.keys(), language)
  mayStart.set(language, mayMatch)
  const forms = formsOf(language)
  /** Words that were found, by where they end, as long as nothing has started after them. */
  const found = new Map<number, Set<number>>()
  const expected = new Set(first)
  let start = -1
  let isHeld = false
  eachWord(text, (wordStart, end, kind) => {
    if (isHeld) return
    const isPassed = wordStart > start && (expected.size > first.length || found.size > 0)
    if (!isPassed && !mayMatch(text.charCodeAt(wordStart))) return
    const { terms } = forms[kind](text, wordStart, end)
    if (terms.length === 0) return
    if (wordStart > start) {
      start = wordStart
      if (isPassed) expectAt(start)
    }
    for (const term of terms) {
      for (const word of places.get(term) ?? []) {
        if (!expected.has(word)) continue
        if (words[word]!.next.length === 0) isHeld = true
        found.set(end, (found.get(end) ?? new Set()).add(word))
      }
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

interface Terms {
  /** Where in the phrase each term stands. */
  places: Map<string, number[]>
  /** By language. */
  mayStart: Map<Language, MayStart>
}

/** Many texts are asked for the same phrase. */
const known = new WeakMap<Phrase, Terms>()

function termsOf(phrase: Phrase): Terms {
  const before = known.get(phrase)
  if (before !== undefined) return before
  const places = new Map<string, number[]>()
  for (const [at, { terms }] of phrase.words.entries()) {
    for (const term of terms) places.set(term, [...(places.get(term) ?? []), at])
  }
  const terms = { places, mayStart: new Map() }
  known.set(phrase, terms)
  return terms
}
