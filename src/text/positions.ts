// Where in a text stand the words of a query? Counted in words, not in characters.
import { firstLetters } from './first-letters.ts'
import { formsOf } from './forms.ts'
import type { Language } from './language.ts'
import type { QueryWord } from './query-terms.ts'
import { eachWord } from './words.ts'

/** For each word its places, in order. Words that start together have the same place. */
export function positionsOf(words: readonly QueryWord[], text: string, language: Language): number[][] {
  const places = words.map((): number[] => [])
  const byTerm = new Map<string, number[]>()
  for (const [at, { terms }] of words.entries()) {
    for (const term of terms) byTerm.set(term, [...(byTerm.get(term) ?? []), at])
  }
  const mayStart = firstLetters(byTerm.keys(), language)
  const forms = formsOf(language)
  let place = -1
  let lastStart = -1
  eachWord(text, (start, end, kind) => {
    if (start > lastStart) place++
    lastStart = start
    if (!mayStart(text.charCodeAt(start))) return
    for (const term of forms[kind](text, start, end).terms) {
      for (const at of byTerm.get(term) ?? []) if (places[at]!.at(-1) !== place) places[at]!.push(place)
    }
  })
  return places
}
