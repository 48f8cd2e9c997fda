// Which words does this text hold, and where?
import type { MayStart } from './first-letters.ts'
import { formsOf, type WordForms } from './forms.ts'
import type { Language } from './language.ts'
import { eachWord } from './words.ts'

export interface Token {
  term: string
  /** UTF-16 offsets in the original text, end exclusive. */
  start: number
  end: number
}

/**
 * In order of their start. A word may give several tokens over the same characters ("arrivée"), and a compound gives
 * itself and its parts ("PROJ-123").
 */
export function analyze(text: string, language: Language): Token[] {
  const tokens: Token[] = []
  const forms = formsOf(language)
  eachWord(text, (start, end, kind) => {
    for (const term of forms[kind](text, start, end).terms) tokens.push({ term, start, end })
  })
  return tokens
}

/** The words of several texts, each once. */
export class WordList {
  static #lastId = 0
  readonly id = ++WordList.#lastId
  readonly words: WordForms[] = []
}

/** The terms alone, for an index that keeps no positions. Into `list` go the words that they were made of. */
export function termsOf(text: string, language: Language, list?: WordList): string[] {
  const all: string[] = []
  const forms = formsOf(language)
  eachWord(text, (start, end, kind) => {
    const own = forms[kind](text, start, end)
    for (const term of own.terms) all.push(term)
    // Words that are looked up are remembered, so that a repeated one is the same object.
    if (list === undefined || own.lastText === list.id || own.terms.length === 0) return
    own.lastText = list.id
    list.words.push(own)
  })
  return all
}

/** Every word with what was made of it, or those alone that may start so. */
export function eachForm(
  text: string,
  language: Language,
  visit: (forms: WordForms, written: string) => void,
  mayStart: MayStart = () => true,
): void {
  const forms = formsOf(language)
  eachWord(text, (start, end, kind) => {
    if (mayStart(text.charCodeAt(start))) visit(forms[kind](text, start, end), text.slice(start, end))
  })
}
