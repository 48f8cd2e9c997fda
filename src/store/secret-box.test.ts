import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { secretBox } from './secret-box.ts'

const box = secretBox('a secret key of the operator')

test('what is sealed can be opened at its place', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, place) => {
      assert.equal(box.open(box.seal(plain, place), place), plain)
    }),
  )
})

test('no other place opens it', () => {
  const sealed = box.seal('secret', 'tool/1/custom_headers')
  assert.throws(() => box.open(sealed, 'tool/2/custom_headers'))
})

test('no flipped bit goes unnoticed', () => {
  const [version, id, nonce, body] = box.seal('secret', 'here').split('.') as [string, string, string, string]
  const bytes = Buffer.from(body, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    assert.throws(() => box.open([version, id, nonce, flipped.toString('base64url')].join('.'), 'here'))
  }
})

test('another key does not open it, and says so', () => {
  const sealed = box.seal('secret', 'here')
  assert.throws(() => secretBox('some other key of the operator').open(sealed, 'here'), /another SECRET_KEY/)
})

test('the same secret sealed twice looks different', () => {
  assert.notEqual(box.seal('secret', 'here'), box.seal('secret', 'here'))
})
