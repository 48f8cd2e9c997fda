// Computes the terms by which a word is indexed and searched.

import type { Language } from './language.ts'
import { foldDiacritics, normalizeWord } from './normalize.ts'
import { stemWord } from './stem.ts'
import { WordCache } from './word-cache.ts'
import type { WordKind } from './words.ts'

export interface WordForms {
  terms: readonly string[]
  /** The whole word without case and accents, as a person would type it. */
  word: string
  /** The id of the last `WordList` to which the word was added, so that `extractTerms` adds it once. */
  lastListId: number
}

/** The maximum length of a term in UTF-16 units. Longer words are truncated because nobody searches for their ends. */
const MAX_TERM = 64
/** The number of cached words over all languages, about 20 MB. When it is reached, the caches are cleared. */
const MAX_CACHED = 1 << 17

type WordFormsCache = WordCache<WordForms>
type LookUpForms = (text: string, start: number, end: number) => WordForms

const caches = new Map<string, WordFormsCache>()
let cached = 0

/** Returns cached lookups. Call this once per text. */
export const wordFormLookups = (language: Language): Record<WordKind, LookUpForms> => ({
  word: wordFormLookup(language, 'word'),
  exact: wordFormLookup(language, 'exact'),
  dense: wordFormLookup(language, 'dense'),
})

export function wordFormLookup(language: Language, kind: WordKind): LookUpForms {
  const key = `${language} ${kind}`
  const cache = caches.get(key) ?? new WordCache()
  caches.set(key, cache)
  return (text, start, end) =>
    cache.find(text, start, end) ?? computeAndCache(cache, text.slice(start, end), language, kind)
}

function computeAndCache(cache: WordFormsCache, word: string, language: Language, kind: WordKind): WordForms {
  const own = copyString(word.slice(0, 2 * MAX_TERM))
  const forms = computeWordForms(own, language, kind)
  if (own.length < word.length) return forms
  if (cached >= MAX_CACHED) {
    for (const it of caches.values()) it.clear()
    cached = 0
  }
  cache.add(own, forms)
  cached++
  return forms
}

/** A slice would keep the whole text in memory; this copy does not. */
const copyString = (word: string): string => (word.length < 13 ? word : word.split('').join(''))

function computeWordForms(word: string, language: Language, kind: WordKind): WordForms {
  const plain = normalizeWord(word)
  if (kind === 'exact') return singleForm(truncateTerm(foldDiacritics(joinAcronym(plain) ?? plain)))
  const letters = plain.replace(/[^\p{L}\p{M}\p{N}+#]/gu, '')
  if (!/[\p{L}\p{N}]/u.test(letters)) return NOTHING
  if (kind === 'dense') return singleForm(truncateTerm(withoutLongVowel(foldDiacritics(letters))))
  const isNoWordForm = letters.length > MAX_TERM || /[\p{N}+#]/u.test(letters)
  if (isNoWordForm) return singleForm(truncateTerm(foldDiacritics(letters)))
  return { terms: [...new Set(stemWord(letters, language))], word: foldDiacritics(letters), lastListId: 0 }
}

const NOTHING: WordForms = { terms: [], word: '', lastListId: 0 }
const singleForm = (word: string): WordForms => ({ terms: [word], word, lastListId: 0 })

/** "サーバー" is also written "サーバ". In words of three letters, the mark is part of the word. */
const withoutLongVowel = (word: string): string => (/^[ァ-ヺー]{3,}ー$/u.test(word) ? word.slice(0, -1) : word)

/** "U.S.A." is also written "USA". */
const joinAcronym = (word: string): string | undefined =>
  /^\p{L}(\.\p{L})+$/u.test(word) ? word.replaceAll('.', '') : undefined

function truncateTerm(term: string): string {
  if (term.length <= MAX_TERM) return term
  const isInsideCharacter = /[\ud800-\udbff]/.test(term.charAt(MAX_TERM - 1))
  return term.slice(0, isInsideCharacter ? MAX_TERM - 1 : MAX_TERM)
}
