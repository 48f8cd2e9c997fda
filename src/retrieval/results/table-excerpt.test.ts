import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryTermsFor } from '../../text/query-terms.ts'
import { createTermMatcher } from '../../text/term-matcher.ts'
import { excerptTable } from './table-excerpt.ts'

function excerpt(query: string, content: string) {
  const matches = createTermMatcher(queryTermsFor(query, 'en'), 'en')(content)
  const found = excerptTable({ content, matches })
  const marked = ({ text, highlights }: { text: string; highlights: [number, number][] }) =>
    highlights.reduceRight((own, [from, to]) => `${own.slice(0, from)}<${own.slice(from, to)}>${own.slice(to)}`, text)
  return found && [found.header, ...found.rows].map((it) => it.map(marked).join(' | '))
}

const PRICES =
  '| Name | Price | Note |\nHarbour lamp | 40 | a lamp of brass\nBell | 12\nDeck lamp | 30 | Harbour | more'

test('the header and the row with the most words of the query', () => {
  assert.deepEqual(excerpt('price of the harbour lamp', PRICES), [
    'Name | <Price> | Note',
    '<Harbour> <lamp> | 40 | a <lamp> of brass',
  ])
})

test('empty cells at the end of a row stay empty', () => {
  assert.deepEqual(excerpt('bell', PRICES), ['Name | Price | Note', '<Bell> | 12 | '])
})

test('at most three rows are shown', () => {
  const rows = Array.from({ length: 9 }, (_, at) => `Lamp ${at} | ${at}`).join('\n')
  assert.equal(excerpt('lamp', `| Name | Price |\n${rows}`)?.length, 4)
})

test('the first column of a wide table and those with matches come first', () => {
  const cells = (name: string) => Array.from({ length: 30 }, (_, at) => `${name}${at}`).join(' | ')
  const [header, row] = excerpt('v21 c29', `| ${cells('c')} |\n${cells('v')}`) ?? []
  assert.equal(header, 'c0 | c21 | <c29> | c1 | c2 | c3 | c4 | c5')
  assert.equal(row, 'v0 | <v21> | v29 | v1 | v2 | v3 | v4 | v5')
})

test('a long cell is cut around its matches', () => {
  const [, row] = excerpt('lamp', `| Name | Text |\nx | ${'word '.repeat(200)}lamp`) ?? []
  assert.ok(row !== undefined && row.length < 320 && row.endsWith('<lamp>'))
})

const without: [title: string, query: string, content: string][] = [
  ['the words are in the header only', 'price', PRICES],
  ['nothing names the columns', 'lamp', 'lamp | brass\nbell | iron'],
  ['a sentence beside the table has more of the words', 'deck bell rings', `${PRICES}\n\nThe deck bell rings.`],
  ['a bar in a cell moves the cells after it', 'deck', PRICES],
]
for (const [title, query, content] of without)
  test(`no table if ${title}`, () => assert.equal(excerpt(query, content), null))
