// The word that is being typed, if it begins with a sign that asks for suggestions.

export interface SignedWord {
  sign: '@' | '/'
  /** Without the sign. */
  text: string
  from: number
  to: number
}

/** A slash asks only at the begin of the text: elsewhere it is a part of addresses and dates. */
export function wordAtCaret(text: string, caret: number): SignedWord | null {
  let from = caret
  while (from > 0 && !isSpace(text[from - 1])) from -= 1
  const sign = text[from]
  if (from === caret || (sign !== '@' && sign !== '/')) return null
  if (sign === '/' && text.slice(0, from).trim() !== '') return null
  return { sign, text: text.slice(from + 1, caret), from, to: caret }
}

const isSpace = (character: string | undefined): boolean => character === undefined || character.trim() === ''
