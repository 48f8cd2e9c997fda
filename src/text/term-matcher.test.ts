import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Language } from './language.ts'
import { queryTerms } from './query-terms.ts'
import { createTermMatcher } from './term-matcher.ts'

const CASES: [query: string, text: string, language: Language, positions: number[][]][] = [
  ['red fox', 'The red fox saw foxes.', 'en', [[1], [2, 4]]],
  ['red fox', 'nothing of it', 'en', [[], []]],
  ['état', 'Les ETATS et l’état', 'fr', [[1, 4]]],
  ['PROJ-123', 'see PROJ-123 now', 'en', [[1], [1], [2]]],
  ['新宿', '東京都庁は新宿にあります', 'ja', [[3]]],
]
for (const [query, text, language, positions] of CASES) {
  test(`"${query}" occurs in "${text}" at ${JSON.stringify(positions)}`, () => {
    const words = queryTerms(query, [language])
    const seen = createTermMatcher(words, language)(text)
    const placesOf = (word: number) => seen.filter((it) => it.word === word).map((it) => it.position)
    assert.deepEqual(
      words.map((_, at) => [...new Set(placesOf(at))]),
      positions,
    )
  })
}
