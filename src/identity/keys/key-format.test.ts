import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey, hashSecret, KEY_PATTERN, matchesSecret, parseKey } from './key-format.ts'

const KINDS = [
  ['api_key', 'pharos_'],
  ['pat', 'pharos_pat_'],
  ['call_token', 'pharos_call_'],
] as const

for (const [kind, prefix] of KINDS) {
  test(`a new ${kind} has the published form and can be read back`, () => {
    const { key, kid, secret } = generateKey(kind)
    assert.ok(key.startsWith(`${prefix}${kid}_`))
    assert.match(key, KEY_PATTERN)
    assert.deepEqual(parseKey(key), { kind, kid, secret })
  })

  test(`the display form of a ${kind} shows its ends and nothing of its secret`, () => {
    const { key, kid, display } = generateKey(kind)
    assert.equal(display, `${prefix}${kid}_********${key.slice(-4)}`)
  })

  test(`a ${kind} with one changed character is invalid`, () => {
    const { key } = generateKey(kind)
    for (let at = prefix.length; at < key.length; at++) {
      if (key[at] === '_') continue
      const other = key[at] === 'a' ? 'b' : 'a'
      assert.equal(parseKey(key.slice(0, at) + other + key.slice(at + 1)), undefined, `changed at ${at}`)
    }
  })
}

test('changing the prefix of a key does not make a valid key of the other kind', () => {
  assert.equal(parseKey(generateKey('api_key').key.replace('pharos_', 'pharos_pat_')), undefined)
  assert.equal(parseKey(generateKey('pat').key.replace('pharos_pat_', 'pharos_')), undefined)
})

test('a thousand keys are all different', () => {
  const keys = Array.from({ length: 1_000 }, () => generateKey('api_key'))
  assert.equal(new Set(keys.map((it) => it.secret)).size, 1_000)
  assert.equal(new Set(keys.map((it) => it.kid)).size, 1_000)
})

test('a secret is recognised by its hash, and other secrets are not', () => {
  const { secret } = generateKey('api_key')
  assert.equal(matchesSecret(secret, hashSecret(secret)), true)
  assert.equal(matchesSecret(generateKey('api_key').secret, hashSecret(secret)), false)
})

test('a text that is not a key is refused', () => {
  for (const text of ['', 'pharos_', 'pharos_pat_', 'Bearer x', 'x'.repeat(10_000), 'pharos_0000000000_0_000000']) {
    assert.equal(parseKey(text), undefined)
  }
})
