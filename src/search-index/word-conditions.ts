// The word conditions of a query, parsed in the same way for every index.
import type { Query, TextConditions } from '../domain/search/query.ts'
import type { Language } from '../text/language.ts'
import { type Phrase, parsePhrase } from '../text/phrase.ts'

export type WordConditions = Record<'phrases' | 'required' | 'excluded' | 'titleWords', Phrase[]>

/** A text without a word is not a condition. */
export function parseWordConditions(query: TextConditions, languages: readonly Language[]): WordConditions {
  const phrases = (texts: readonly string[] = []) =>
    texts.map((it) => parsePhrase(it, languages)).filter((it) => it !== undefined)
  return {
    phrases: phrases(query.phrases),
    required: phrases(query.required),
    excluded: phrases(query.excluded),
    titleWords: phrases(query.titleWords),
  }
}

/**
 * Returns true if a query without search words asks for everything that meets its conditions, rather than for nothing.
 */
export const isListQuery = ({ filters, sort }: Query, conditions: WordConditions): boolean =>
  sort === 'newest' ||
  Object.values(filters).some((it) => it !== undefined) ||
  Object.values(conditions).some((it) => it.length > 0)
