// The words of a query, analysed once for each language.
import type { Language } from './language.ts'
import { type QueryWord, queryTermsFor } from './query-terms.ts'

export type QueryWordsByLanguage = (language: Language) => readonly QueryWord[]

export function createQueryWords(query: string): QueryWordsByLanguage {
  const cache = new Map<Language, readonly QueryWord[]>()
  return (language) => {
    const words = cache.get(language) ?? queryTermsFor(query, language)
    cache.set(language, words)
    return words
  }
}
