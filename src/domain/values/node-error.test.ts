import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { errorCode, errorMessage } from './node-error.ts'

test('an error of the system has its code', () => {
  assert.throws(
    () => readFileSync('/does-not-exist'),
    (it) => errorCode(it) === 'ENOENT',
  )
})

for (const it of [new Error('x'), Object.assign(new Error('x'), { code: 1 }), { code: 'ENOENT' }, 'ENOENT', null]) {
  test(`${JSON.stringify(it)} has no code`, () => assert.equal(errorCode(it), undefined))
}

test('a thrown text is its own message', () => {
  assert.deepEqual([errorMessage(new Error('away')), errorMessage('away')], ['away', 'away'])
})
