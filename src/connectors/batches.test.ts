import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchesOf } from './batches.ts'

test('a list is cut into batches that name their last item', () => {
  assert.deepEqual(
    [...batchesOf([1, 2, 3, 4, 5], 2)],
    [
      { batch: [1, 2], last: 2 },
      { batch: [3, 4], last: 4 },
      { batch: [5], last: 5 },
    ],
  )
  assert.deepEqual([...batchesOf([], 2)], [])
})
