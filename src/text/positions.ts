// Where in a text stand the words of a query? Counted in words, not in characters.
import { formsOf } from './forms.ts'
import type { Language } from './language.ts'
import { KEEPS_FIRST_LETTER } from './phrase.ts'
import type { QueryWord } from './query-terms.ts'
import { eachWord } from './words.ts'

/** For each word its places, in order. Words that start together have the same place. */
export function positionsOf(words: readonly QueryWord[], text: string, language: Language): number[][] {
  const places = words.map((): number[] => [])
  const byTerm = new Map<string, number[]>()
  for (const [at, { terms }] of words.entries()) {
    for (const term of terms) byTerm.set(term, [...(byTerm.get(term) ?? []), at])
  }
  const mayMatch = KEEPS_FIRST_LETTER.has(language) ? firstLetters(byTerm.keys()) : () => true
  const forms = formsOf(language)
  let place = -1
  let lastStart = -1
  eachWord(text, (start, end, kind) => {
    if (start > lastStart) place++
    lastStart = start
    if (!mayMatch(text.charCodeAt(start))) return
    for (const term of forms[kind](text, start, end).terms) {
      for (const at of byTerm.get(term) ?? []) if (places[at]!.at(-1) !== place) places[at]!.push(place)
    }
  })
  return places
}

/** Letters beyond ASCII may be folded to any other. */
function firstLetters(terms: Iterable<string>): (unit: number) => boolean {
  const letters = new Uint8Array(128)
  for (const term of terms) {
    const unit = term.charCodeAt(0)
    if (unit >= 128) continue
    for (const letter of [term[0]!.toLowerCase(), term[0]!.toUpperCase()]) letters[letter.charCodeAt(0)] = 1
  }
  return (unit) => unit >= 128 || letters[unit] === 1
}
