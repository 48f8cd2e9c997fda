// The words of a query as texts of each language have them, taken apart once.
import type { Language } from '../text/language.ts'
import { type QueryWord, queryTermsIn } from '../text/query-terms.ts'

export type WordsIn = (language: Language) => readonly QueryWord[]

export function wordsOfQuery(query: string): WordsIn {
  const known = new Map<Language, readonly QueryWord[]>()
  return (language) => {
    const words = known.get(language) ?? queryTermsIn(query, language)
    known.set(language, words)
    return words
  }
}
