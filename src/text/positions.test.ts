import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Language } from './language.ts'
import { sighter } from './positions.ts'
import { queryTerms } from './query-terms.ts'

const CASES: [query: string, text: string, language: Language, places: number[][]][] = [
  ['red fox', 'The red fox saw foxes.', 'en', [[1], [2, 4]]],
  ['red fox', 'nothing of it', 'en', [[], []]],
  ['état', 'Les ETATS et l’état', 'fr', [[1, 4]]],
  ['PROJ-123', 'see PROJ-123 now', 'en', [[1], [1], [2]]],
  ['新宿', '東京都庁は新宿にあります', 'ja', [[3]]],
]
for (const [query, text, language, places] of CASES) {
  test(`"${query}" stands in "${text}" at ${JSON.stringify(places)}`, () => {
    const words = queryTerms(query, [language])
    const seen = sighter(words, language)(text)
    const placesOf = (word: number) => seen.filter((it) => it.word === word).map((it) => it.place)
    assert.deepEqual(
      words.map((_, at) => [...new Set(placesOf(at))]),
      places,
    )
  })
}
