import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseMerge, type Weighed } from './merge-policy.ts'

const policy = { fanIn: 3, floor: 10, maxEntries: 1_000 }
const segment = (id: number, liveEntries: number, entries = liveEntries): Weighed => ({ id, liveEntries, entries })

const cases: [string, Weighed[], number[]][] = [
  ['nothing to merge in an empty index', [], []],
  ['too few of a size wait', [segment(1, 5), segment(2, 7), segment(3, 100)], []],
  [
    'enough of a size are merged, the large one stays',
    [segment(1, 5), segment(2, 7), segment(3, 100), segment(4, 9)],
    [1, 2, 4],
  ],
  ['a segment above half of the limit is left alone', [segment(1, 600), segment(2, 600), segment(3, 600)], []],
  ['a segment with many deleted entries is rewritten', [segment(1, 50, 100)], [1]],
  ['a segment with nothing live is taken away, however small', [segment(1, 0, 3)], [1]],
]
for (const [name, segments, expected] of cases) {
  test(name, () => assert.deepEqual(chooseMerge(segments, policy), expected))
}
