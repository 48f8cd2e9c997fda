import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '../test/random.ts'
import { ndcg, pairedRandomisation, percentile, recall } from './measures.ts'

const judged = new Map([
  ['a', 2],
  ['b', 1],
  ['c', 0],
])
const cases: [ranking: string[], ndcg: number, recall: number][] = [
  [['a', 'b', 'c'], 1, 1],
  [['b', 'a'], (1 + 2 / Math.log2(3)) / (2 + 1 / Math.log2(3)), 1],
  [['x', 'a'], 2 / Math.log2(3) / (2 + 1 / Math.log2(3)), 0.5],
  [['c', 'x'], 0, 0],
  [[], 0, 0],
]
for (const [ranking, expectedNdcg, expectedRecall] of cases) {
  test(`the ranking [${ranking}] has nDCG ${expectedNdcg.toFixed(3)} and recall ${expectedRecall}`, () => {
    assert.ok(Math.abs(ndcg(ranking, judged, 10) - expectedNdcg) < 1e-12)
    assert.equal(recall(ranking, judged, 100), expectedRecall)
  })
}

test('a hit below the depth does not count', () => {
  assert.equal(ndcg(['x', 'y', 'a'], judged, 2), 0)
  assert.equal(recall(['x', 'y', 'a'], judged, 2), 0)
})

test('a percentile is an observed value', () => {
  const values = [5, 1, 4, 2, 3]
  assert.deepEqual([percentile(values, 0.5), percentile(values, 0.99), percentile(values, 0)], [3, 5, 1])
})

test('a difference that every query has is no chance, and none at all is', () => {
  const low = Array.from({ length: 40 }, (_, at) => at / 100)
  const high = low.map((it) => it + 0.1)
  assert.ok(pairedRandomisation(low, high, 1_000, seeded(1)) < 0.01)
  assert.equal(pairedRandomisation(low, low, 1_000, seeded(1)), 1)
})
