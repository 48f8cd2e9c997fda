import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseMerge, type MergeCandidate } from './merge-policy.ts'

const policy = { fanIn: 3, floor: 10, maxPassages: 1_000 }
const segment = (id: number, livePassages: number, passages = livePassages): MergeCandidate => ({
  id,
  livePassages,
  passages,
})

const cases: [string, MergeCandidate[], number[]][] = [
  ['an empty index has nothing to merge', [], []],
  ['too few segments of a size class are not merged', [segment(1, 5), segment(2, 7), segment(3, 100)], []],
  [
    'enough segments of a size class are merged, and a larger one is not',
    [segment(1, 5), segment(2, 7), segment(3, 100), segment(4, 9)],
    [1, 2, 4],
  ],
  ['a segment above half of the limit is not merged', [segment(1, 600), segment(2, 600), segment(3, 600)], []],
  ['a segment with many deleted passages is rewritten', [segment(1, 50, 100)], [1]],
  ['a segment without live passages is removed, however small', [segment(1, 0, 3)], [1]],
]
for (const [name, segments, expected] of cases) {
  test(name, () => assert.deepEqual(chooseMerge(segments, policy), expected))
}
