import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Language } from './language.ts'
import { findSentences } from './sentences.ts'

const cases: [Language, string[]][] = [
  ['en', ['It works.', 'Does it?', 'Yes!']],
  ['en', ['Version 1.2.3 is out.', 'See report_v2.pdf for more.']],
  ['de', ['Das kostet 3.50 Euro.', 'Wirklich?']],
  ['ru', ['Отчёт готов.', 'Где он?']],
  ['el', ['Είναι έτοιμο;', 'Ναι.']],
  ['ar', ['هل هو جاهز؟', 'نعم.']],
  ['hi', ['यह तैयार है।', 'धन्यवाद।']],
  ['ja', ['承認されました。', '来週公開します。']],
]

for (const [language, parts] of cases) {
  test(`${language}: ${parts.join(' | ')}`, () => {
    const text = parts.join(' ')
    assert.deepEqual(
      findSentences(text, language).map(({ start, end }) => text.slice(start, end)),
      parts,
    )
  })
}

test('sentences are in order, do not overlap, and omit nothing but spaces', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      let last = 0
      for (const { start, end } of [...findSentences(text, 'en'), { start: text.length, end: text.length }]) {
        assert.equal(text.slice(last, start).trim(), '')
        assert.ok(last <= start && start <= end)
        last = end
      }
    }),
  )
})

test('a sentence that spans two segmenter windows is not split', () => {
  const long = `Many ${'word '.repeat(300)}end.`
  const text = Array.from({ length: 20 }, () => long).join(' ')
  assert.equal(findSentences(text, 'en').length, 20)
})

for (const unit of ['a', '. ', '.', '1.', 'a.b ', '\ud83d', '。', '"', '\u0301', '?a']) {
  test(`a megabyte of "${unit}" is split in linear time`, () => {
    const startedAt = performance.now()
    findSentences(unit.repeat(1_000_000 / unit.length), 'en')
    assert.ok(performance.now() - startedAt < 10_000)
  })
}
