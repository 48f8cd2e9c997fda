// Where in a text stand the words of a query?
import { firstLetters } from './first-letters.ts'
import { formsOf } from './forms.ts'
import type { Language } from './language.ts'
import type { QueryWord } from './query-terms.ts'
import { eachWord } from './words.ts'

/** A word of the query in a text. */
export interface Sighting {
  /** Which word of the query. */
  word: number
  /** UTF-16 offsets, end exclusive. */
  start: number
  end: number
  /** Counted in words of the text, not in characters. Words that start together have the same place. */
  place: number
}

/** For texts of one language, one after the other: what the words may look like is found out once. */
export function sighter(words: readonly QueryWord[], language: Language): (text: string) => Sighting[] {
  const byTerm = new Map<string, number[]>()
  for (const [at, { terms }] of words.entries()) {
    for (const term of terms) byTerm.set(term, [...(byTerm.get(term) ?? []), at])
  }
  const mayStart = firstLetters(byTerm.keys(), language)
  const forms = formsOf(language)
  return (text) => {
    const found: Sighting[] = []
    let place = -1
    let lastStart = -1
    eachWord(text, (start, end, kind) => {
      if (start > lastStart) place++
      lastStart = start
      if (!mayStart(text.charCodeAt(start))) return
      for (const term of forms[kind](text, start, end).terms) {
        for (const word of byTerm.get(term) ?? []) found.push({ word, start, end, place })
      }
    })
    return found
  }
}
