import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trimCharacters, trimEndCharacters } from './trim.ts'

const cases: [text: string, characters: string, end: string, both: string][] = [
  ['/a/b//', '/', '/a/b', 'a/b'],
  ['', '/', '', ''],
  ['///', '/', '', ''],
  ['a', '/', 'a', 'a'],
  [' .a. .', ' .', ' .a', 'a'],
]
for (const [text, characters, end, both] of cases) {
  test(`"${text}" trimmed of "${characters}" at its end is "${end}", at both ends "${both}"`, () =>
    assert.deepEqual([trimEndCharacters(text, characters), trimCharacters(text, characters)], [end, both]))
}
