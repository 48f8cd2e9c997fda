import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCorrections } from './spelling.ts'

const corrected = (word: string, documents: number, term: string, frequency: number) =>
  findCorrections([
    { word, start: 0, documents, similar: [{ term, spelling: term, edits: 1, documents: frequency }] },
  ]).map((it) => it.correction)

test('a word in few documents is corrected if the other one is twenty times as frequent', () => {
  assert.deepEqual(corrected('expresion', 1, 'expression', 20), ['expression'])
  assert.deepEqual(corrected('expresion', 1, 'expression', 19), [])
})

test('a word in capitals is corrected only if no document contains it', () => {
  assert.deepEqual(corrected('PGPASSWORD', 1, 'password', 100), [])
  assert.deepEqual(corrected('EXPRESION', 0, 'expression', 1), ['expression'])
})

test('a script without capitals is no text in capitals', () => {
  assert.deepEqual(corrected('הסכמ', 1, 'הסכם', 100), ['הסכם'])
})
