// Most words of a text are none of those that are looked for, and their first letter shows it.
import type { Language } from './language.ts'

/**
 * Their stemmers change nothing but the end of a word, so that most words of a text need no look at their forms, which
 * takes half of the time.
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

/** Whether a word that begins with this unit of UTF-16 may have one of the terms. */
export type MayStart = (unit: number) => boolean

/** Letters beyond ASCII may be folded to any other. */
export function firstLetters(terms: Iterable<string>, language: Language): MayStart {
  if (!KEEPS_FIRST_LETTER.has(language)) return () => true
  const letters = new Uint8Array(128)
  for (const term of terms) {
    const [letter = ''] = term
    for (const it of [letter, letter.toUpperCase()]) if (it.charCodeAt(0) < 128) letters[it.charCodeAt(0)] = 1
  }
  return (unit) => unit >= 128 || letters[unit] === 1
}
