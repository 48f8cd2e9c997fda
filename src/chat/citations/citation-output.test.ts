import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCitationOutput } from './citation-output.ts'

const cases: [pieces: string[], first: string][] = [
  [['a ('], 'a'],
  [['a  ( '], 'a'],
  [['a (', '('], 'a ('],
  [['a ', ' '], 'a'],
  [['a(b'], 'a(b'],
]
for (const [pieces, first] of cases) {
  test(`${JSON.stringify(pieces)} emits "${first}" first, and everything in the end`, () => {
    const output = createCitationOutput()
    for (const it of pieces) output.text(it)
    const certain = output.flush()
    assert.deepEqual(certain, [{ type: 'text', text: first }])
    const all = [...certain, ...output.end()].map((it) => (it.type === 'text' ? it.text : ''))
    assert.equal(all.join(''), pieces.join(''))
  })
}

test('a million spaces are scanned in linear time, and few of them are kept back', { timeout: 60_000 }, () => {
  const output = createCitationOutput()
  output.text(' '.repeat(1_000_000))
  const [held] = output.flush()
  assert.ok(held?.type === 'text' && held.text.length >= 999_000)
  assert.equal(output.end().map((it) => (it.type === 'text' ? it.text.length : 0))[0], 1_000_000 - held.text.length)
})
