// The terms a word is indexed and looked for by.
import { fold, normalized } from './fold.ts'
import type { Language } from './language.ts'
import { stemsOf } from './stem.ts'
import { WordCache } from './word-cache.ts'
import type { WordKind } from './words.ts'

export interface WordForms {
  terms: readonly string[]
  /** The whole word, without case and accents, as a person would type it. */
  word: string
  /** The text in which it was seen last, so that `termsOf` lists it once. */
  lastText: number
}

/** UTF-16 units. What is longer is cut: nobody looks for it by its end. */
const MAX_TERM = 64
/** Words remembered over all languages, about 20 MB; then it starts again. */
const MAX_CACHED = 1 << 17

type Cache = WordCache<WordForms>
type FormsAt = (text: string, start: number, end: number) => WordForms

const caches = new Map<string, Cache>()
let cached = 0

/** Look-ups that remember; take them once per text. */
export const formsOf = (language: Language): Record<WordKind, FormsAt> => ({
  word: formsIn(language, 'word'),
  exact: formsIn(language, 'exact'),
  dense: formsIn(language, 'dense'),
})

export function formsIn(language: Language, kind: WordKind): FormsAt {
  const key = `${language} ${kind}`
  const cache = caches.get(key) ?? new WordCache()
  caches.set(key, cache)
  return (text, start, end) => cache.find(text, start, end) ?? remembered(cache, text.slice(start, end), language, kind)
}

function remembered(cache: Cache, word: string, language: Language, kind: WordKind): WordForms {
  const own = detached(word.slice(0, 2 * MAX_TERM))
  const forms = wordForms(own, language, kind)
  if (own.length < word.length) return forms
  if (cached >= MAX_CACHED) {
    for (const it of caches.values()) it.clear()
    cached = 0
  }
  cache.add(own, forms)
  cached++
  return forms
}

/** A slice keeps the whole text it was cut from in memory; this copy does not. */
const detached = (word: string): string => (word.length < 13 ? word : word.split('').join(''))

function wordForms(word: string, language: Language, kind: WordKind): WordForms {
  const plain = normalized(word)
  if (kind === 'exact') return unchanged(cut(fold(acronym(plain) ?? plain)))
  const letters = plain.replace(/[^\p{L}\p{M}\p{N}+#]/gu, '')
  if (!/[\p{L}\p{N}]/u.test(letters)) return NOTHING
  const isNoWordForm = kind === 'dense' || letters.length > MAX_TERM || /[\p{N}+#]/u.test(letters)
  if (isNoWordForm) return unchanged(cut(fold(letters)))
  return { terms: [...new Set(stemsOf(letters, language))], word: fold(letters), lastText: 0 }
}

const NOTHING: WordForms = { terms: [], word: '', lastText: 0 }
const unchanged = (word: string): WordForms => ({ terms: [word], word, lastText: 0 })

/** "U.S.A." is written "USA" as often. */
const acronym = (word: string): string | undefined =>
  /^\p{L}(\.\p{L})+$/u.test(word) ? word.replaceAll('.', '') : undefined

function cut(term: string): string {
  if (term.length <= MAX_TERM) return term
  const isInsideCharacter = /[\ud800-\udbff]/.test(term[MAX_TERM - 1]!)
  return term.slice(0, isInsideCharacter ? MAX_TERM - 1 : MAX_TERM)
}
