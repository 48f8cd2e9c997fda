import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashSecret, isSecret, KEY_PATTERN, newKey, parseKey } from './key-format.ts'

const KINDS = [
  ['api_key', 'pharos_'],
  ['pat', 'pharos_pat_'],
] as const

for (const [kind, prefix] of KINDS) {
  test(`a new ${kind} has the published form and can be read back`, () => {
    const { key, kid, secret } = newKey(kind)
    assert.ok(key.startsWith(`${prefix}${kid}_`))
    assert.match(key, KEY_PATTERN)
    assert.deepEqual(parseKey(key), { kind, kid, secret })
  })

  test(`of a ${kind} its ends are shown, and nothing of its secret`, () => {
    const { key, kid, display } = newKey(kind)
    assert.equal(display, `${prefix}${kid}_********${key.slice(-4)}`)
  })

  test(`a ${kind} with one character changed is no key`, () => {
    const { key } = newKey(kind)
    for (let at = prefix.length; at < key.length; at++) {
      if (key[at] === '_') continue
      const other = key[at] === 'a' ? 'b' : 'a'
      assert.equal(parseKey(key.slice(0, at) + other + key.slice(at + 1)), undefined, `changed at ${at}`)
    }
  })
}

test('a key of one kind cannot be respelt as one of the other', () => {
  assert.equal(parseKey(newKey('api_key').key.replace('pharos_', 'pharos_pat_')), undefined)
  assert.equal(parseKey(newKey('pat').key.replace('pharos_pat_', 'pharos_')), undefined)
})

test('a thousand keys are all different', () => {
  const keys = Array.from({ length: 1_000 }, () => newKey('api_key'))
  assert.equal(new Set(keys.map((it) => it.secret)).size, 1_000)
  assert.equal(new Set(keys.map((it) => it.kid)).size, 1_000)
})

test('a secret is known by its hash, and no other is', () => {
  const { secret } = newKey('api_key')
  assert.equal(isSecret(secret, hashSecret(secret)), true)
  assert.equal(isSecret(newKey('api_key').secret, hashSecret(secret)), false)
})

test('what is no key is refused', () => {
  for (const text of ['', 'pharos_', 'pharos_pat_', 'Bearer x', 'x'.repeat(10_000), 'pharos_0000000000_0_000000']) {
    assert.equal(parseKey(text), undefined)
  }
})
