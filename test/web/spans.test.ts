import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSpans } from '../../web/src/parts/spans.ts'

const cases: [words: string[], text: string, found: string[]][] = [
  [['vacuum'], 'VACUUM frees space; autovacuum calls vacuum.', ['VACUUM', 'vacuum']],
  [['full', 'vacuum full'], 'Vacuum full is a full rewrite', ['Vacuum full', 'full']],
  [['c++', 'a.b', '(x)'], 'C++ and aXb, a.b (x)', ['C++', 'a.b', '(x)']],
  [['größe'], 'Die GRÖSSE, die Größe', ['Größe']],
  [['tea'], 'İstanbul has İ tea', ['tea']],
  [['東京'], '東京 東京都', ['東京']],
  [['a'], '𝐀a a', ['a']],
  [['', ' '], 'nothing', []],
]
for (const [words, text, found] of cases) {
  test(`${JSON.stringify(words)} in "${text}"`, () => {
    assert.deepEqual(
      findSpans(words, text).map(([from, to]) => text.slice(from, to)),
      found,
    )
  })
}

test('a long text of one letter is searched in linear time', () => {
  assert.deepEqual(findSpans(['a'.repeat(50)], 'a'.repeat(200_000)), [])
})
