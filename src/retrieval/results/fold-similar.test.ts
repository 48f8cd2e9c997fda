import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RetrievalResult } from '../retrieve.ts'
import { foldSimilar } from './fold-similar.ts'

const TEXT =
  'Travel is paid for by the company if your manager approved it before. Send all receipts within thirty days please, or nothing can be refunded.'

function resultOf(id: string, title: string, content: string): RetrievalResult {
  const document = { id, title, semantic_identifier: title } as RetrievalResult['document']
  const chunk = { chunk_ind: 0, content, link: null }
  return {
    document,
    chunk,
    snippet: { text: content, highlights: [] },
    table: null,
    score: 1,
    passages: [],
    explanation: null,
  }
}
const folded = (results: readonly RetrievalResult[]) =>
  foldSimilar(results).map((it) => [it.document.id, it.similar.map((copy) => copy.document.id)])

test('copies with the same title and nearly the same text are folded into the best of them', () => {
  const results = [
    resultOf('a', 'Travel', TEXT),
    resultOf('b', 'Leave', TEXT),
    resultOf('c', ' travel ', TEXT.replace('please', 'thanks')),
    resultOf('d', 'Travel', TEXT),
  ]
  assert.deepEqual(folded(results), [
    ['a', ['c', 'd']],
    ['b', []],
  ])
})

test('the same title with another text stays a result of its own', () => {
  assert.deepEqual(folded([resultOf('a', 'Minutes', TEXT), resultOf('b', 'Minutes', 'Nobody came to the meeting.')]), [
    ['a', []],
    ['b', []],
  ])
})

test('passages without words are not folded', () => {
  assert.deepEqual(folded([resultOf('a', 'Scan', '…'), resultOf('b', 'Scan', '…')]).length, 2)
})

test('a thousand results of one title are folded in linear time', () => {
  const started = performance.now()
  foldSimilar(
    Array.from({ length: 1_000 }, (_, at) => resultOf(`${at}`, 'Log', `${at} `.repeat(500) + TEXT.slice(at % 90))),
  )
  assert.ok(performance.now() - started < 5_000)
})
