import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinHyphenated } from './hyphens.ts'

const JOINED: [text: string, joined: string][] = [
  ['the har\ufffe\nbour', 'the harbour'],
  ['the har\x02\r\nbour', 'the harbour'],
  ['state-of-the\ufffe\nart', 'state-of-the-art'],
  ['Anglo\ufffe\nSaxon', 'Anglo-Saxon'],
  ['COVID\ufffe\n19', 'COVID-19'],
  ['a well-known port, the well\ufffe\nknown one', 'a well-known port, the well-known one'],
]

for (const [text, joined] of JOINED)
  test(`${JSON.stringify(text)} becomes "${joined}"`, () => assert.equal(joinHyphenated(text), joined))

test('a page of divided words takes no longer than its length', () => {
  const begin = performance.now()
  const found = joinHyphenated('abc\ufffe\ndef '.repeat(200_000))
  assert.equal(found, 'abcdef '.repeat(200_000))
  assert.ok(performance.now() - begin < 5_000)
})
