// Splits a text into words and turns them into terms.
import type { FirstLetterFilter } from './first-letter-filter.ts'
import type { Language } from './language.ts'
import { type WordForms, wordFormLookups } from './word-forms.ts'
import { eachWord } from './words.ts'

/**
 * Raised with every change of the terms that texts give. An index with the terms of another version serves until one with
 * these terms has been built beside it.
 */
export const ANALYSIS_VERSION = 2

export interface Token {
  term: string
  /** UTF-16 offsets in the original text; the end is exclusive. */
  start: number
  end: number
}

/**
 * Returns the tokens in order of their start. A word may produce several tokens over the same characters ("arrivée"),
 * and a compound produces itself and its parts ("PROJ-123").
 */
export function analyze(text: string, language: Language): Token[] {
  const tokens: Token[] = []
  const forms = wordFormLookups(language)
  eachWord(text, (start, end, kind) => {
    for (const term of forms[kind](text, start, end).terms) tokens.push({ term, start, end })
  })
  return tokens
}

/** The distinct words of several texts. */
export class WordList {
  static #lastId = 0
  readonly id = ++WordList.#lastId
  readonly words: WordForms[] = []
}

/** Returns the terms only, for an index without positions. Adds to `list` the words from which they were made. */
export function extractTerms(text: string, language: Language, list?: WordList): string[] {
  const all: string[] = []
  const forms = wordFormLookups(language)
  eachWord(text, (start, end, kind) => {
    const own = forms[kind](text, start, end)
    for (const term of own.terms) all.push(term)
    // Word forms are cached, so a repeated word is the same object.
    if (list === undefined || own.lastListId === list.id || own.terms.length === 0) return
    own.lastListId = list.id
    list.words.push(own)
  })
  return all
}

/**
 * Visits every word with its forms and its spelling in the text, or only the words that pass the first-letter filter.
 */
export function eachWordForm(
  text: string,
  language: Language,
  visit: (forms: WordForms, written: string) => void,
  mayStart: FirstLetterFilter = () => true,
): void {
  const forms = wordFormLookups(language)
  eachWord(text, (start, end, kind) => {
    if (mayStart(text.charCodeAt(start))) visit(forms[kind](text, start, end), text.slice(start, end))
  })
}
