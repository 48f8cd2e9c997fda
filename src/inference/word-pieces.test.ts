import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { wordPieces } from './word-pieces.ts'
import cases from './word-pieces-cases.json' with { type: 'json' }

const pieces = wordPieces(readFileSync(new URL('../../models/all-MiniLM-L6-v2/vocab.txt', import.meta.url), 'utf8'))
const [CLS, SEP] = [101, 102]

// What the reference implementation (BertWordPieceTokenizer of the package tokenizers 0.23) makes of each.
for (const [text, numbers] of cases as [string, number[]][]) {
  test(`${JSON.stringify(text.slice(0, 40))} has the pieces of the reference`, () => {
    assert.deepEqual(pieces.encode(text, 512), numbers)
  })
}

test('a text that spells a mark of the model does not become that mark', () => {
  assert.deepEqual(pieces.encode('[SEP]', 512), [CLS, 1031, 19_802, 1033, SEP])
})

test('a long text is cut, and still ends as it must', () => {
  const cut = pieces.encode('hello world '.repeat(500), 9)
  assert.deepEqual(cut, [CLS, 7592, 2088, 7592, 2088, 7592, 2088, 7592, SEP])
})

test('a word of several pieces is cut where the limit is', () => {
  assert.equal(pieces.encode('unaffable '.repeat(10), 5).length, 5)
})
