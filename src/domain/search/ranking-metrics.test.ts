import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndcg, percentile, rankBiasedDifference, rankingOverlap } from './ranking-metrics.ts'

const judged = new Map([
  ['a', 2],
  ['b', 1],
  ['c', 0],
])
const GAINS: [ranking: string[], expected: number][] = [
  [['a', 'b', 'c'], 1],
  [['b', 'a'], (1 + 2 / Math.log2(3)) / (2 + 1 / Math.log2(3))],
  [['x', 'a'], 2 / Math.log2(3) / (2 + 1 / Math.log2(3))],
  [['c', 'x'], 0],
  [[], 0],
]
for (const [ranking, expected] of GAINS) {
  test(`the ranking [${ranking}] has nDCG ${expected.toFixed(3)}`, () => {
    assert.ok(Math.abs(ndcg(ranking, judged, 10) - expected) < 1e-12)
  })
}

test('a hit below the depth adds no gain', () => assert.equal(ndcg(['x', 'y', 'a'], judged, 2), 0))

test('a percentile is an observed value', () => {
  const values = [5, 1, 4, 2, 3]
  assert.deepEqual([percentile(values, 0.5), percentile(values, 0.99), percentile(values, 0)], [3, 5, 1])
})

const SHARED: [one: string, other: string, depth: number, expected: number][] = [
  ['', '', 10, 1],
  ['abc', 'cab', 10, 1],
  ['abc', 'xyz', 10, 0],
  ['abc', '', 10, 0],
  ['ab', 'abcd', 10, 0.5],
  ['abx', 'aby', 2, 1],
]
for (const [one, other, depth, expected] of SHARED) {
  test(`"${one}" and "${other}" share ${expected} of the first ${depth}`, () => {
    assert.equal(rankingOverlap([...one], [...other], depth), expected)
    assert.equal(rankingOverlap([...other], [...one], depth), expected)
  })
}

test('the difference ranges from 0 to 1, and the top weighs more', () => {
  const difference = (one: string, other: string) => rankBiasedDifference([...one], [...other], 10)
  assert.ok(Math.abs(difference('abcd', 'abcd')) < 1e-12)
  assert.equal(difference('abcd', 'wxyz'), 1)
  assert.ok(difference('abcd', 'bacd') > difference('abcd', 'abdc'))
  assert.ok(difference('abcd', 'abdc') > 0)
})
