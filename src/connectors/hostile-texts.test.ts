// Regression tests for regular expressions that took quadratic time or worse: with them these tests would not finish.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripDateComment } from './imap/index.ts'
import { assignAnchors } from './mediawiki/index.ts'

const SIZE = 100_000

const dates: [date: string, without: string][] = [
  ['Mon, 1 Jun 2026 12:00:00 +0200 (CEST)', 'Mon, 1 Jun 2026 12:00:00 +0200'],
  ['Mon, 1 Jun 2026 12:00:00 +0200 (a) (b) ', 'Mon, 1 Jun 2026 12:00:00 +0200 (a)'],
  ['Mon, 1 Jun 2026 (a (b)', 'Mon, 1 Jun 2026'],
  ['1 Jun 2026)', '1 Jun 2026)'],
  [`${'\t'.repeat(SIZE)}x`, `${'\t'.repeat(SIZE)}x`],
]
for (const [date, without] of dates) {
  test(`"${date.slice(0, 40)}" loses its comment`, () => assert.equal(stripDateComment(date), without))
}

test('headings are matched with the table of contents in order, whatever they contain', () => {
  const section = (heading: string) => ({ heading, text: '', anchor: null })
  const contents = [
    { line: '<i>A</i> &amp;', anchor: 'A' },
    { line: '<'.repeat(SIZE), anchor: 'many' },
    { line: 'A', anchor: 'A_2' },
  ]
  const sections = [section('A'), section('B'), section('A'), section('A')]
  assert.deepEqual(
    assignAnchors(sections, contents).map((it) => it.anchor),
    ['A', null, 'A_2', null],
  )
})
