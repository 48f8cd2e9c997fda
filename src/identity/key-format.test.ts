import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEY_PATTERN, newKey, parseKey } from './key-format.ts'

test('a new key has the published form and can be read back', () => {
  const { key, kid, secret } = newKey()
  assert.match(key, KEY_PATTERN)
  assert.deepEqual(parseKey(key), { kid, secret })
})

test('a key with one character changed is no key', () => {
  const { key } = newKey()
  for (let at = 'pharos_'.length; at < key.length; at++) {
    if (key[at] === '_') continue
    const other = key[at] === 'a' ? 'b' : 'a'
    assert.equal(parseKey(key.slice(0, at) + other + key.slice(at + 1)), undefined, `changed at ${at}`)
  }
})

test('a thousand keys are all different', () => {
  const keys = Array.from({ length: 1_000 }, () => newKey())
  assert.equal(new Set(keys.map((it) => it.secret)).size, 1_000)
  assert.equal(new Set(keys.map((it) => it.kid)).size, 1_000)
})

test('what is no key is refused', () => {
  for (const text of ['', 'pharos_', 'Bearer x', 'x'.repeat(10_000), 'pharos_0000000000_0_000000']) {
    assert.equal(parseKey(text), undefined)
  }
})
