// Which words does this text hold, and where?
import { formsOf } from './forms.ts'
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
  eachTerm(text, language, (term, start, end) => tokens.push({ term, start, end }))
  return tokens
}

/** The terms alone, for an index that keeps no positions. */
export function termsOf(text: string, language: Language): string[] {
  const terms: string[] = []
  eachTerm(text, language, (term) => terms.push(term))
  return terms
}

function eachTerm(text: string, language: Language, visit: (term: string, start: number, end: number) => void): void {
  const forms = formsOf(language)
  eachWord(text, (start, end, kind) => {
    for (const term of forms[kind](text.slice(start, end))) visit(term, start, end)
  })
}
