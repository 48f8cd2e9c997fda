import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '../test/random.ts'
import { pairedRandomisation, recall } from './statistics.ts'

const judged = new Map([
  ['a', 2],
  ['b', 1],
  ['c', 0],
])
const cases: [ranking: string[], recall: number][] = [
  [['a', 'b', 'c'], 1],
  [['b', 'a'], 1],
  [['x', 'a'], 0.5],
  [['c', 'x'], 0],
  [[], 0],
]
for (const [ranking, expected] of cases) {
  test(`the ranking [${ranking}] has recall ${expected}`, () => assert.equal(recall(ranking, judged, 100), expected))
}

test('a hit below the depth does not count', () => assert.equal(recall(['x', 'y', 'a'], judged, 2), 0))

test('a difference in every query is significant, and no difference is not', () => {
  const low = Array.from({ length: 40 }, (_, at) => at / 100)
  const high = low.map((it) => it + 0.1)
  assert.ok(pairedRandomisation(low, high, 1_000, seeded(1)) < 0.01)
  assert.equal(pairedRandomisation(low, low, 1_000, seeded(1)), 1)
})
