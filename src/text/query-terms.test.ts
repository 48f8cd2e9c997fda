import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { extractTerms } from './analyze.ts'
import { type Language, languages } from './language.ts'
import { countInformativeWords, queryTerms } from './query-terms.ts'

/** Words in order; the terms of a word are joined by a slash. */
const shown = (text: string, languages?: readonly Language[]) =>
  queryTerms(text, languages)
    .map((it) => it.terms.join('/'))
    .join(' ')

const cases: [text: string, terms: string][] = [
  ['How do I reset my VPN password?', 'reset vpn password'],
  ['to be or not to be', 'to be or not to be'],
  ['The Who', 'the who'],
  ['US economy', 'us economi'],
  ['tell us about IT support', 'tell it support'],
  ['WHAT IS THIS REPORT', 'report'],
  ['vitamin a', 'vitamin'],
  ['errors, e.g. timeouts', 'error timeout'],
  ["what's new", 'new'],
  ['fix PROJ-123', 'fix proj-123 proj 123'],
  ['e-mail', 'email e mail'],
  ['new new', 'new new'],
  ['?!', ''],
  ['', ''],
]

for (const [text, terms] of cases) {
  test(`"${text}" searches for ${terms || 'nothing'}`, () => assert.equal(shown(text), terms))
}

test('a word has the terms of each language, in the order of the languages', () => {
  assert.equal(shown('Müllers notes', ['en', 'de', 'fr']), 'muller/mull:de/muller:fr note/not:de/not:fr')
})

const inTwoLanguages: [Language[], text: string, words: string[]][] = [
  [['en', 'de'], 'was steht in dem Vertrag', ['steht', 'Vertrag']],
  [['en', 'pl'], 'pod restarts', ['pod', 'restarts']],
  [['de', 'en'], 'für den Vertrag', ['Vertrag']],
  [['de'], 'der Vertrag', ['Vertrag']],
  [['ja'], 'の東京', ['東京']],
  [['en'], 'comment trier une liste', ['trier', 'liste']],
  [['en'], 'comment on a table', ['comment', 'table']],
  [['en', 'de'], 'dónde está la oficina', ['oficina']],
]

for (const [languages, text, words] of inTwoLanguages) {
  test(`in an index of ${languages.join(' and ')}, "${text}" searches for ${words.join(' ')}`, () => {
    assert.deepEqual(
      queryTerms(text, languages).map((it) => it.word),
      words,
    )
  })
}

test('a query to an index without languages has no terms', () => assert.deepEqual(queryTerms('report', []), []))

test('offsets refer to the query', () => {
  const text = 'where is report_v2.pdf'
  assert.deepEqual(
    queryTerms(text).map(({ word, start, end }) => [word, text.slice(start, end)]),
    ['report_v2.pdf', 'report', 'v2', 'pdf'].map((it) => [it, it]),
  )
})

test('every text with a word is found by a query with the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), fc.constantFrom(...languages), (text, language) => {
      const terms = new Set(extractTerms(text, language))
      for (const word of queryTerms(text, ['en', language])) {
        assert.ok(
          word.terms.some((term) => terms.has(term)),
          word.word,
        )
      }
    }),
    { numRuns: 1_000 },
  )
})

test('only the first words of a pasted page are searched for', () => {
  assert.equal(queryTerms('fox '.repeat(100_000)).length, 512)
})

test('informative words are counted without stop words, and a compound counts once', () => {
  assert.equal(countInformativeWords('how do I join a path with os.path.join'), 3)
  assert.equal(countInformativeWords('PROJ-123 getUserName'), 2)
  assert.equal(countInformativeWords(''), 0)
})
