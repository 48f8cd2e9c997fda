import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestKey } from './request-key.ts'

/** The key of a request that holds this value. */
const keyOf = (value: unknown) => requestKey({ access: value } as never)

test('equal values share a key, in any order of their fields', () => {
  assert.equal(keyOf({ a: 1, b: new Set(['x', 'y']) }), keyOf({ b: new Set(['y', 'x']), a: 1 }))
  assert.equal(keyOf(Object.assign(Object.create(null), { a: 1 })), keyOf({ a: 1 }))
})

test('different values never share a key', () => {
  assert.notEqual(keyOf(new Set(['x'])), keyOf(new Set(['y'])))
  assert.notEqual(keyOf({ a: 1 }), keyOf({ a: 2 }))
  assert.notEqual(keyOf(Number.POSITIVE_INFINITY), keyOf(Number.NEGATIVE_INFINITY))
})

test('a value that the key cannot tell apart shares with nothing', () => {
  const groups = new Map([['ann', 'staff']])
  assert.notEqual(keyOf(groups), keyOf(groups))
})
