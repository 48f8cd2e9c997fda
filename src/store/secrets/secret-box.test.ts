import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createKeyRing, deriveSecretKey } from './key-ring.ts'
import { createSecretBox } from './secret-box.ts'

const keyOf = (text: string) => deriveSecretKey(text, 'SECRET_KEY')
const OLD = keyOf('a secret key of the operator')
const NEW = keyOf('another secret key of the operator')
const box = createSecretBox(createKeyRing([], OLD))
const HERE = 'tool/1/custom_headers'

test('a sealed secret can be opened at its location', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (plain, id) => {
      const place = `credential/${id}/credential_json` as const
      assert.equal(box.open(box.seal(plain, place), place), plain)
    }),
  )
})

test('no other row or column opens it', () => {
  const sealed = box.seal('secret', HERE)
  for (const place of ['tool/2/custom_headers', 'credential/1/credential_json'] as const)
    assert.throws(() => box.open(sealed, place))
})

test('a flipped bit is noticed in the text, the nonce and the key id', () => {
  const parts = box.seal('secret', HERE).split('.')
  for (const at of [1, 2, 3]) {
    const bytes = Buffer.from(parts[at]!, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      assert.throws(() => box.open(parts.with(at, flipped.toString('base64url')).join('.'), HERE))
    }
  }
})

test('parts of two secrets do not form a third, and a truncated one is invalid', () => {
  const [one, other] = [box.seal('one', HERE).split('.'), box.seal('other', HERE).split('.')]
  assert.throws(() => box.open(one.with(2, other[2]!).join('.'), HERE))
  const body = Buffer.from(one[3]!, 'base64url')
  for (let length = 0; length < body.length; length++) {
    assert.throws(() => box.open(one.with(3, body.subarray(0, length).toString('base64url')).join('.'), HERE))
  }
})

for (const text of ['', 'secret', '{"token":"plain"}', 'v1', 'v0.a.b.c', 'v2.a.b.c']) {
  test(`"${text}" was never sealed and is not returned as a secret`, () => {
    assert.throws(() => box.open(text, HERE))
  })
}

test('another key does not open it, and the error does not reveal the secret', () => {
  const sealed = box.seal('secret', HERE)
  assert.throws(
    () => createSecretBox(createKeyRing([], NEW)).open(sealed, HERE),
    /^Error: the secret at tool\/1\/custom_headers was sealed with another SECRET_KEY$/,
  )
})

test('a ring opens with every key and seals with the newest', () => {
  const both = createSecretBox(createKeyRing([OLD], NEW))
  assert.equal(both.open(box.seal('secret', HERE), HERE), 'secret')
  assert.equal(both.seal('secret', HERE).split('.')[1], NEW.kid)
})

test('an added key seals from then on; a removed one opens nothing', () => {
  const ring = createKeyRing([], OLD)
  const growing = createSecretBox(ring)
  const old = growing.seal('secret', HERE)
  ring.add(NEW)
  assert.equal(growing.seal('secret', HERE).split('.')[1], NEW.kid)
  assert.equal(growing.open(old, HERE), 'secret')
  ring.remove(OLD.kid)
  assert.throws(() => growing.open(old, HERE), /another SECRET_KEY/)
})

test('equal texts are equal keys from any origin, and a repeated key counts once', () => {
  assert.equal(deriveSecretKey('a secret key of the operator', 'file').kid, OLD.kid)
  assert.deepEqual(
    createKeyRing([OLD, NEW], OLD)
      .list()
      .map((it) => it.kid),
    [NEW.kid, OLD.kid],
  )
})

test('the same secret sealed twice looks different', () => {
  assert.notEqual(box.seal('secret', HERE), box.seal('secret', HERE))
})

test('a secret sealed by an earlier version is opened', () => {
  const sealed = 'v1.OYiwC5HA.JY6KK-f4kxYdaviI.ycfBb8eZVt4eJbLBv6WYvSkVQcSpLCgyhqurNMIkqqFk8wvpn3KEzTE-WnQ'
  assert.equal(box.open(sealed, HERE), 'kept since the first version')
})
