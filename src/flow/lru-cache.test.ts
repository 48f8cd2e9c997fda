import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLruCache } from './lru-cache.ts'

const held = (cache: { get(key: string): unknown }, keys: string) =>
  [...keys].filter((it) => cache.get(it) !== undefined)

test('the least recently used entry is removed first, and reading counts as a use', () => {
  const cache = createLruCache<string, number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.get('a')
  cache.set('c', 3)
  assert.deepEqual(held(cache, 'abc'), ['a', 'c'])
})

test('writing counts as a use and replaces the value', () => {
  const cache = createLruCache<string, number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('a', 3)
  cache.set('c', 4)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [3, undefined, 4])
})

test('a value is created once while it is kept', () => {
  const cache = createLruCache<string, number>(2)
  let created = 0
  const look = (key: string) => cache.getOrCreate(key, () => ++created)
  assert.deepEqual([look('a'), look('b'), look('a'), look('c'), look('b')], [1, 2, 1, 3, 4])
})

test('a value may be undefined', () => {
  const cache = createLruCache<string, undefined>(2)
  let created = 0
  const look = () => cache.getOrCreate('a', () => void created++)
  look()
  look()
  assert.equal(created, 1)
})

test('the limit applies to the sum of the weights, also after replacing, deleting and clearing', () => {
  const cache = createLruCache<string, string>(10, (it) => it.length)
  cache.set('a', '12345')
  cache.set('b', '12345')
  cache.set('a', '1')
  cache.set('c', '1234')
  assert.deepEqual(held(cache, 'abc'), ['a', 'b', 'c'])
  cache.delete('b')
  cache.set('d', '12345')
  assert.deepEqual(held(cache, 'abcd'), ['a', 'c', 'd'])
  cache.clear()
  cache.set('e', '1234567890')
  assert.deepEqual(held(cache, 'abcde'), ['e'])
})

test('a value that alone exceeds the limit is not kept', () => {
  const cache = createLruCache<string, string>(3, (it) => it.length)
  cache.set('a', '1')
  cache.set('b', '1234')
  assert.deepEqual(held(cache, 'ab'), [])
})
