import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textBefore } from './text-before.ts'

for (const [text, before] of [
  ['/search?q=a?b', '/search'],
  ['/search', '/search'],
  ['?q', ''],
  ['', ''],
] as const) {
  test(`before the question mark of "${text}" is "${before}"`, () => assert.equal(textBefore(text, '?'), before))
}
