// Finds the words of a query in texts.
import { createFirstLetterFilter } from './first-letter-filter.ts'
import type { Language } from './language.ts'
import type { QueryWord } from './query-terms.ts'
import { wordFormLookups } from './word-forms.ts'
import { eachWord } from './words.ts'

/** An occurrence of a query word in a text. */
export interface TermMatch {
  /** The index of the query word. */
  word: number
  /** UTF-16 offsets; the end is exclusive. */
  start: number
  end: number
  /** The position counted in words of the text. Words with the same start have the same position. */
  position: number
}

/** Returns a function for texts of one language. The terms of the query words in that language are computed once. */
export function createTermMatcher(words: readonly QueryWord[], language: Language): (text: string) => TermMatch[] {
  const byTerm = new Map<string, number[]>()
  for (const [at, { terms }] of words.entries()) {
    for (const term of terms) byTerm.set(term, [...(byTerm.get(term) ?? []), at])
  }
  const mayStart = createFirstLetterFilter(byTerm.keys(), language)
  const forms = wordFormLookups(language)
  return (text) => {
    const found: TermMatch[] = []
    let position = -1
    let lastStart = -1
    eachWord(text, (start, end, kind) => {
      if (start > lastStart) position++
      lastStart = start
      if (!mayStart(text.charCodeAt(start))) return
      for (const term of forms[kind](text, start, end).terms) {
        for (const word of byTerm.get(term) ?? []) found.push({ word, start, end, position })
      }
    })
    return found
  }
}
