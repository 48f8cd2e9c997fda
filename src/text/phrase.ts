// Parses phrases and finds them in texts. A phrase is a sequence of words without another word in between.
import { createFirstLetterFilter, type FirstLetterFilter } from './first-letter-filter.ts'
import type { Language } from './language.ts'
import { queryWords } from './query-terms.ts'
import { wordFormLookups } from './word-forms.ts'
import { eachWord } from './words.ts'

export interface PhraseWord {
  /** Each of the terms matches the word. */
  terms: readonly string[]
  /** The words that may follow; empty for the last word. */
  next: readonly number[]
}

/**
 * A phrase is a graph, because a compound and its parts are alternative paths: "e-mail address" also matches "email
 * address".
 */
export interface Phrase {
  words: readonly PhraseWord[]
  /** The words with which the phrase may start. */
  first: readonly number[]
}

/** Further words are ignored. */
const MAX_PHRASE_WORDS = 64

/** Returns undefined if the text contains no word. Stop words are kept. */
export function parsePhrase(text: string, languages: readonly Language[]): Phrase | undefined {
  const words = queryWords(text, languages).slice(0, MAX_PHRASE_WORDS)
  if (words.length === 0) return undefined
  const startingAfter = (end: number): number[] => {
    const start = words.find((it) => it.start >= end)?.start
    return [...words.entries()].flatMap(([at, it]) => (it.start === start ? at : []))
  }
  return {
    words: words.map(({ terms, end }) => ({ terms, next: startingAfter(end) })),
    first: startingAfter(0),
  }
}

/** Returns true if the text contains the phrase. The time is linear in the length of the text, whatever it contains. */
export function containsPhrase(phrase: Phrase, text: string, language: Language): boolean {
  const { words, first } = phrase
  const { positions, mayStart } = phraseTerms(phrase)
  const mayMatch = mayStart.get(language) ?? createFirstLetterFilter(positions.keys(), language)
  mayStart.set(language, mayMatch)
  const forms = wordFormLookups(language)
  /** The words found so far, by their end, while no later word has started. */
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
      for (const word of positions.get(term) ?? []) {
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

interface PhraseTerms {
  /** The positions of each term in the phrase. */
  positions: Map<string, number[]>
  /** One filter per language. */
  mayStart: Map<Language, FirstLetterFilter>
}

/** Cached, because a phrase is searched for in many texts. */
const phraseTermsCache = new WeakMap<Phrase, PhraseTerms>()

function phraseTerms(phrase: Phrase): PhraseTerms {
  const before = phraseTermsCache.get(phrase)
  if (before !== undefined) return before
  const positions = new Map<string, number[]>()
  for (const [at, { terms }] of phrase.words.entries()) {
    for (const term of terms) positions.set(term, [...(positions.get(term) ?? []), at])
  }
  const terms = { positions, mayStart: new Map() }
  phraseTermsCache.set(phrase, terms)
  return terms
}
