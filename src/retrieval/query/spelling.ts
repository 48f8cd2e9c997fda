// Suggests corrections for words that occur in no or hardly any document, from words in documents that the subject
// may read.
import type { TextConditions } from '../../domain/search/query.ts'
import type { SpelledWord, SpellingQuery } from '../../search-index/search-index.ts'
import { normalizeAndFold } from '../../text/normalize.ts'
import { isAllCaps, queryTerms } from '../../text/query-terms.ts'
import { PROXIMITY_DEPTH } from '../ranking/proximity.ts'

export interface Correction {
  /** The word as typed; `start` and `end` are its position in the text of the query. */
  word: string
  start: number
  end: number
  correction: string
  /** No document contains the word, so the correction replaces it. Otherwise both words are searched. */
  isUnknown: boolean
}

/** Shorter words have too many similar words. */
const MIN_LETTERS = 4
const MIN_LETTERS_FOR_TWO = 8
/** A word in up to two documents counts as misspelt if a similar word is 20 times as frequent. */
const RARE_DOCUMENTS = 2
const FREQUENCY_RATIO = 20
/** The number of words checked per query; each takes a few milliseconds. */
const MAX_WORDS = 6
const MAX_SUGGESTIONS = 5

/** Words that occur in several of the best results need no check. */
export const spellingQuery = ({ text, phrases = [] }: TextConditions & { text: string }): SpellingQuery => ({
  words: queryTerms(text)
    .filter(({ word }) => isCorrectable(word) && !phrases.some((it) => it.includes(word)))
    .map(({ word, start }) => ({
      word,
      start,
      max_edits: [...word].length >= MIN_LETTERS_FOR_TWO ? 2 : 1,
    })),
  depth: PROXIMITY_DEPTH,
  limit: MAX_WORDS,
  maxDocuments: RARE_DOCUMENTS,
  suggestions: MAX_SUGGESTIONS,
})

export const findCorrections = (spelled: readonly SpelledWord[]): Correction[] =>
  spelled.flatMap(({ word, start, documents, similar }) => {
    // A word in capitals that is known is an abbreviation or a variable.
    if (documents > 0 && isAllCaps(word)) return []
    const own = normalizeAndFold(word)
    const best = similar.find((it) => it.term !== own && it.documents >= Math.max(1, documents * FREQUENCY_RATIO))
    if (best === undefined) return []
    return [{ word, start, end: start + word.length, correction: best.spelling, isUnknown: documents === 0 }]
  })

/** Capitals inside a word indicate a name or code such as "UreH". */
const isCorrectable = (word: string): boolean =>
  /^\p{L}[\p{L}\p{M}'’-]*$/u.test(word) &&
  [...word].length >= MIN_LETTERS &&
  !hasCapitalInside(word) &&
  !/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u.test(word)

function hasCapitalInside(word: string): boolean {
  const first = word.search(/\p{Ll}/u)
  return first >= 0 && /\p{Lu}/u.test(word.slice(first))
}

/** Replaces unknown words, and adds the correction after rare words. */
export const applyCorrections = (text: string, corrections: readonly Correction[]): string =>
  replaceWords(text, corrections, ({ word, correction, isUnknown }) =>
    isUnknown ? correction : `${word} ${correction}`,
  )

/** Replaces the first whole-word occurrence of each corrected word. */
export const correctQuery = (query: string, corrections: readonly Correction[]): string =>
  corrections.reduce((text, { word, correction }) => {
    const whole = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(word)}(?![\\p{L}\\p{N}])`, 'u')
    return text.replace(whole, () => correction)
  }, query)

function replaceWords(text: string, corrections: readonly Correction[], by: (it: Correction) => string): string {
  let result = text
  for (const it of corrections.toSorted((a, b) => b.start - a.start)) {
    result = result.slice(0, it.start) + by(it) + result.slice(it.end)
  }
  return result
}
