// The conditions of a query on words, as every index understands them.
import type { Query, TextConditions } from '../domain/query.ts'
import type { Language } from '../text/language.ts'
import { type Phrase, phraseOf } from '../text/phrase.ts'

export type WordConditions = Record<'phrases' | 'required' | 'excluded' | 'titleWords', Phrase[]>

/** What holds no word is no condition. */
export function wordConditionsOf(query: TextConditions, languages: readonly Language[]): WordConditions {
  const phrases = (texts: readonly string[] = []) =>
    texts.map((it) => phraseOf(it, languages)).filter((it) => it !== undefined)
  return {
    phrases: phrases(query.phrases),
    required: phrases(query.required),
    excluded: phrases(query.excluded),
    titleWords: phrases(query.titleWords),
  }
}

/** Whether a query without words asks for all that meets its conditions, and not for nothing. */
export const isListed = ({ filters, sort }: Query, conditions: WordConditions): boolean =>
  sort === 'newest' ||
  Object.values(filters).some((it) => it !== undefined) ||
  Object.values(conditions).some((it) => it.length > 0)
