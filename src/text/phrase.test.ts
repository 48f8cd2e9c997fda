import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holdsByPaths } from '../../test/contract/phrase-by-paths.ts'
import { extractTerms } from './analyze.ts'
import { KEEPS_FIRST_LETTER } from './first-letter-filter.ts'
import type { Language } from './language.ts'
import { containsPhrase, parsePhrase } from './phrase.ts'

const holds = (phrase: string, text: string, language: Language = 'en', languages: Language[] = [language]) => {
  const asked = parsePhrase(phrase, languages)
  return asked !== undefined && containsPhrase(asked, text, language)
}

const cases: [phrase: string, text: string, isHeld: boolean][] = [
  ['annual report', 'The annual reports of 2024', true],
  ['annual report', 'annual, report', true],
  ['annual report', 'the report is annual', false],
  ['annual report', 'annual budget report', false],
  ['annual annual report', 'the annual report', false],
  ['annual annual report', 'annual annual annual report', true],
  ['to be or not to be', 'To be, or not to be', true],
  ['to be or not to be', 'not to be or to be', false],
  ['report of the year', 'report of year', false],
  ['PROJ-123 is done', 'PROJ-123 is done', true],
  ['PROJ-123', 'proj 123', true],
  ['proj 123 done', 'PROJ-123 done', true],
  ['PROJ-124', 'PROJ-123 and 124', false],
  ['e-mail address', 'email addresses', true],
  ['email address', 'e-mail address', true],
  ['e-mail address', 'e-mail of an address', false],
  ['user name', 'getUserName()', true],
  ['getUserName now', 'getUserName now', true],
  ["John's report", 'the John report', true],
  ['fox', 'foxes', true],
  ['fox', 'wolf', false],
]
for (const [phrase, text, isHeld] of cases) {
  test(`"${phrase}" ${isHeld ? 'is found' : 'is not found'} in "${text}"`, () => {
    assert.equal(holds(phrase, text), isHeld)
  })
}

test('a phrase is found in texts of any language in the index', () => {
  assert.ok(holds('neue Verträge', 'Die neuen Verträge sind da', 'de', ['en', 'de']))
  assert.ok(holds('文書管理', '東京都庁の文書管理システム', 'ja', ['en', 'ja']))
})

test('a text without words is not a phrase', () => {
  assert.equal(parsePhrase('?! -', ['en']), undefined)
})

for (const language of KEEPS_FIRST_LETTER) {
  test(`every term of a word in "${language}" keeps its first letter`, () => {
    const letters = fc.constantFrom(...'aeioungrstlmdbcfhkpvwyz', 'é', 'ä', 'ö', 'ß', 'ñ', 'ge', 'ung', 'ing', 'tion')
    const word = fc.tuple(
      fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABIÉ'),
      fc.string({ unit: letters, maxLength: 9 }),
    )
    fc.assert(
      fc.property(word, ([first, rest]) => {
        for (const term of extractTerms(first + rest, language))
          assert.equal(term[0], first.toLowerCase().replace('é', 'e'))
      }),
      { numRuns: 2_000 },
    )
  })
}

test('a text contains a phrase if a path through the phrase is a path through the words of the text', () => {
  const word = fc.constantFrom('a', 'b', 'e-mail', 'email', 'mail', 'e', 'a.b', 'résumé', 'resume', 'aXx', '-')
  const text = fc.array(word, { maxLength: 8 }).map((it) => it.join(' '))
  fc.assert(
    fc.property(text, text, (phrase, content) => {
      for (const language of ['fr', 'tr'] as const) {
        assert.equal(
          holds(phrase, content, language, ['en', language]),
          holdsByPaths(phrase, ['en', language], content, language),
        )
      }
    }),
    { numRuns: 1_000 },
  )
})
