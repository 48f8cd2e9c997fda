// The words of a query in the texts that were read, looked for once in each: the ranking asks for them, and the snippet.
import type { Language } from '../text/language.ts'
import { type Sighting, sighter } from '../text/positions.ts'
import { type QueryWord, queryTerms } from '../text/query-terms.ts'

export interface Sightings {
  words(language: Language): readonly QueryWord[]
  in(content: string, language: Language): readonly Sighting[]
}

/** For one query. */
export function openSightings(query: string): Sightings {
  const known = new Map<Language, Spoken>()
  const spoken = (language: Language): Spoken => {
    const it = known.get(language) ?? spokenIn(query, language)
    known.set(language, it)
    return it
  }
  return {
    words: (language) => spoken(language).words,
    in(content, language) {
      const { look, seen } = spoken(language)
      const found = seen.get(content) ?? look(content)
      seen.set(content, found)
      return found
    },
  }
}

interface Spoken {
  words: readonly QueryWord[]
  look: (content: string) => Sighting[]
  seen: Map<string, Sighting[]>
}

function spokenIn(query: string, language: Language): Spoken {
  const words = queryTerms(query, [...new Set<Language>(['en', language])])
  return { words, look: sighter(words, language), seen: new Map() }
}
