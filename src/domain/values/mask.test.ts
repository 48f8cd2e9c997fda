import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskDeep, unmaskDeep } from './mask.ts'

const DOTS = '••••••••••••'
const LONG = 'abcd-0123456789-wxyz'

test('a mask keeps the fields and hides the values', () => {
  const secrets = { long: LONG, short: 'abc', number: 5, on: true, none: null, deep: [{ long: LONG }] }
  assert.deepEqual(maskDeep(secrets), {
    long: 'abcd...wxyz',
    short: DOTS,
    number: DOTS,
    on: true,
    none: null,
    deep: [{ long: 'abcd...wxyz' }],
  })
})

test('a mask contains only complete characters', () => {
  const secrets = { token: 'abc😀 not to be seen 😀xyz' }
  assert.deepEqual(maskDeep(secrets), { token: 'abc\ufffd...\ufffdxyz' })
  assert.deepEqual(unmaskDeep(maskDeep(secrets), secrets), secrets)
})

test('writing back a masked object changes nothing', () => {
  const secrets = { long: LONG, short: 'abc', number: 5, on: true, none: null, deep: [{ long: LONG }] }
  assert.deepEqual(unmaskDeep(maskDeep(secrets), secrets), secrets)
})

test('a new value replaces the stored one', () => {
  assert.deepEqual(unmaskDeep({ long: 'new', more: DOTS }, { long: LONG }), { long: 'new', more: DOTS })
})

test('the mask of one field does not restore the value of another', () => {
  assert.deepEqual(unmaskDeep({ url: 'abcd...wxyz' }, { token: LONG, url: 'x' }), { url: 'abcd...wxyz' })
})

test('__proto__ is an ordinary field', () => {
  const secrets = JSON.parse(`{"__proto__": {"token": "${LONG}"}}`)
  const shown = maskDeep(secrets)
  assert.equal(JSON.stringify(shown), '{"__proto__":{"token":"abcd...wxyz"}}')
  assert.equal(JSON.stringify(unmaskDeep(shown, secrets)), JSON.stringify(secrets))
  assert.equal(Object.getPrototypeOf(shown), Object.prototype)
})
