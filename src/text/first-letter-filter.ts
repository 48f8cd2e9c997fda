// Rules out most words of a text by their first letter, before their forms are computed.
import type { Language } from './language.ts'

/**
 * The stemmers of these languages change only the end of a word. Elsewhere the forms of every word must be computed,
 * which takes half of the time.
 */
export const KEEPS_FIRST_LETTER: ReadonlySet<Language> = new Set([
  'da',
  'de',
  'en',
  'es',
  'fi',
  'fr',
  'it',
  'no',
  'pt',
  'sv',
])

/** Returns true if a word that starts with this UTF-16 unit may have one of the terms. */
export type FirstLetterFilter = (unit: number) => boolean

/** Letters beyond ASCII always pass, because they may be folded to any other letter. */
export function createFirstLetterFilter(terms: Iterable<string>, language: Language): FirstLetterFilter {
  if (!KEEPS_FIRST_LETTER.has(language)) return () => true
  const letters = new Uint8Array(128)
  for (const term of terms) {
    const [letter = ''] = term
    for (const it of [letter, letter.toUpperCase()]) if (it.charCodeAt(0) < 128) letters[it.charCodeAt(0)] = 1
  }
  return (unit) => unit >= 128 || letters[unit] === 1
}
