import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zip } from './zip.ts'

test('items of equal places lie side by side', () => {
  assert.deepEqual(zip(['a', 'b'], [1, undefined]), [
    ['a', 1],
    ['b', undefined],
  ])
})

test('lists of different lengths are refused', () => {
  assert.throws(() => zip(['a'], []), RangeError)
  assert.throws(() => zip([], ['a']), RangeError)
})
