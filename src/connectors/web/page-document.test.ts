import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExtractReport } from '../../extract/extract.ts'
import { pageTime, toCrawledDocument } from './page-document.ts'

const NOW = Date.UTC(2026, 0, 1)
const NOTHING = { author: null, created: null, modified: null, language: null }
const timeWith = (it: Partial<Parameters<typeof pageTime>[0]>) =>
  pageTime({ metadata: NOTHING, headers: {}, listed: null, ...it }, NOW)

test('the page itself says best when it changed, then the sitemap, then the server', () => {
  const metadata = { ...NOTHING, created: '2020-01-01T00:00:00.000Z', modified: '2024-02-03T00:00:00.000Z' }
  const headers = { 'last-modified': 'Wed, 01 Jan 2025 00:00:00 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' }
  assert.equal(timeWith({ metadata, headers, listed: 5 }), Date.UTC(2024, 1, 3))
  assert.equal(timeWith({ metadata: { ...metadata, modified: null }, headers, listed: 5 }), 5)
  assert.equal(timeWith({ metadata: { ...metadata, modified: null }, headers }), Date.UTC(2025, 0, 1))
  assert.equal(timeWith({ metadata: { ...metadata, modified: null } }), Date.UTC(2020, 0, 1))
  assert.equal(timeWith({}), null)
})

test('a server that makes the page now, a time in the future and no time say nothing', () => {
  const date = 'Thu, 01 Jan 2026 00:00:00 GMT'
  assert.equal(timeWith({ headers: { 'last-modified': 'Wed, 31 Dec 2025 23:59:00 GMT', date } }), null)
  assert.equal(timeWith({ headers: { 'last-modified': 'Thu, 01 Jan 1970 00:00:00 GMT', date } }), null)
  assert.equal(timeWith({ headers: { 'last-modified': 'yesterday', date } }), null)
  assert.equal(timeWith({ metadata: { ...NOTHING, modified: '2027-01-01T00:00:00.000Z' }, listed: 7 }), 7)
})

const REPORT: ExtractReport = {
  kind: 'html',
  verdict: 'ok',
  pages: null,
  characters: 5,
  unreadPages: [],
  warnings: [{ code: 'truncated', detail: `The page is cut.\0${'x'.repeat(400)}` }],
}
const document = (it: Partial<Parameters<typeof toCrawledDocument>[1]>, breadcrumb: readonly string[] = []) =>
  toCrawledDocument(
    'https://x.example/a',
    { title: 'Leave | Handbook', name: 'Leave', sections: [], leftOut: [], ...it },
    { time: 1, breadcrumb, report: REPORT },
  )

test('the name without the site is shown, the whole title is searched', () => {
  const { semantic_identifier, title, doc_updated_at } = document({})
  assert.deepEqual(
    { semantic_identifier, title, doc_updated_at },
    {
      semantic_identifier: 'Leave',
      title: 'Leave | Handbook',
      doc_updated_at: 1,
    },
  )
  assert.equal('title' in document({ title: 'Leave' }), false)
  assert.equal(document({ title: null, name: null }).semantic_identifier, 'https://x.example/a')
})

test('the breadcrumb says what the page is in, without the page', () => {
  assert.deepEqual(document({}, ['Home', 'People', 'Leave']).metadata, { breadcrumb: ['Home', 'People'] })
  assert.deepEqual(document({}, ['Home', 'People']).metadata, { breadcrumb: ['Home', 'People'] })
  assert.equal(document({}, ['Leave']).metadata, undefined)
})

test('a heading without an id is linked by its text, except the first', () => {
  const sections = ['Leave', 'Parental leave, 1-2 years & more', 'Sick days'].map((heading, at) => ({
    text: 'text',
    heading,
    anchor: at === 2 ? 'sick' : null,
  }))
  assert.deepEqual(
    document({ sections }).sections.map((it) => it.link),
    [
      'https://x.example/a',
      'https://x.example/a#:~:text=Parental%20leave%2C%201%2D2%20years%20%26%20more',
      'https://x.example/a#sick',
    ],
  )
})

test('the report says what was skipped and left out', () => {
  const leftOut = Array.from({ length: 12 }, (_, at) => `Menu ${at} ${'y'.repeat(300)}`)
  const { report } = document({ leftOut })
  assert.ok(report)
  assert.deepEqual(
    [report.kind, report.left_out_lines, report.left_out.length, report.more_notices],
    ['html', 12, 10, 0],
  )
  assert.deepEqual(report.notices, [{ code: 'truncated', detail: `The page is cut.${'x'.repeat(283)}` }])
  assert.ok(report.left_out.every((it) => it.length === 200))
})
