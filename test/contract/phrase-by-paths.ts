// Checks whether a text contains a phrase by following every path through the words of both.
import { analyze } from '../../src/text/analyze.ts'
import type { Language } from '../../src/text/language.ts'
import { queryWords } from '../../src/text/query-terms.ts'

export function holdsByPaths(
  phrase: string,
  languages: readonly Language[],
  text: string,
  language: Language,
): boolean {
  const words = queryWords(phrase, languages)
  const tokens = analyze(text, language)
  const isHeldFrom = (word: (typeof words)[number], token: (typeof tokens)[number]): boolean => {
    if (!word.terms.includes(token.term)) return false
    const rest = startingAfter(words, word.end)
    const following = startingAfter(tokens, token.end)
    return rest.length === 0 || rest.some((next) => following.some((it) => isHeldFrom(next, it)))
  }
  return startingAfter(words, 0).some((word) => tokens.some((token) => isHeldFrom(word, token)))
}

export const hasWord = (text: string, languages: readonly Language[]): boolean => queryWords(text, languages).length > 0

function startingAfter<T extends { start: number }>(all: readonly T[], end: number): T[] {
  const start = all.find((it) => it.start >= end)?.start
  return all.filter((it) => it.start === start)
}
