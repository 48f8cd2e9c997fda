import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageKind } from '../../domain/search/page-kind.ts'
import type { ChunkId, ChunkWithMatches } from '../../search-index/search-index.ts'
import { createQueryWords } from '../../text/query-words.ts'
import { type RankedDocument, withScoreParts } from './fuse.ts'
import { addTitles } from './titles.ts'

interface Page {
  title: string
  link?: string
  kind?: PageKind
}

/** The pages in the order of their words. */
function rank(query: string, pages: readonly Page[], semanticWeight = 0, linked: string[] = []): RankedDocument[] {
  const ranked = pages.map((_, at) =>
    withScoreParts(
      { document_id: `d${at}`, updated_at: null, language: 'en', passages: [0], lexicalScore: 9, semanticScore: null },
      [{ name: 'words', value: 1 - at / 20, from: 1 - at / 20 }],
    ),
  )
  const get = ({ document_id }: ChunkId): ChunkWithMatches | null => {
    const page = pages[Number(document_id.slice(1))]
    if (page === undefined) return null
    const { title, link = null, kind } = page
    return { chunk_ind: 0, content: 'text', link, title, matches: [], ...(kind && { page_kind: kind }) }
  }
  return addTitles(ranked, {
    text: query,
    queryWords: createQueryWords(query),
    cache: { get },
    semanticWeight,
    linked: new Set(linked),
  })
}
const firstOf = (query: string, pages: readonly Page[]) => rank(query, pages)[0]?.document_id

const others = Array.from({ length: 8 }, (_, at): Page => ({ title: `Vacuum settings ${at} — Manual 15` }))

const named: [query: string, page: Page][] = [
  ['vacuum', { title: 'VACUUM' }],
  ['vacuum', { title: 'Vacuum — Manual 15' }],
  ['routine vacuuming', { title: '25.1. Routine Vacuuming' }],
  ['vacuuming routines', { title: '25.1. Routine Vacuuming' }],
  ['appendix limits', { title: 'Appendix K. Limits', link: 'https://example.com/appendix-limits.html' }],
  ['proj-123', { title: 'PROJ-123: The door does not close' }],
  ['pg_stat_activity', { title: 'Monitoring', link: 'https://example.com/docs/pg_stat_activity.html#top' }],
  ['getting started', { title: 'First steps', link: 'https://example.com/getting-started/' }],
]
for (const [query, page] of named) {
  test(`"${query}" is answered by the page "${page.title}" first`, () => {
    assert.equal(firstOf(query, [...others, page]), `d${others.length}`)
  })
}

test('a title that has only some words of the query adds nothing', () => {
  assert.equal(firstOf('vacuum a large table', [...others, { title: 'Vacuum' }, { title: 'Large tables' }]), 'd0')
})

test('the name of the site is no title of a page', () => {
  const pages = Array.from({ length: 6 }, (_, at): Page => ({ title: `Page ${at} | Acme Handbook` }))
  const ranked = rank('acme handbook', pages)
  assert.ok(ranked.every((it) => it.parts.every(({ name }) => name !== 'title')))
})

test('the title counts as much as the words do', () => {
  const [first] = rank('vacuum', [{ title: 'Vacuum' }], 0.4)
  assert.deepEqual(first?.parts.at(-1), { name: 'title', value: 0.6, from: 1 })
})

test('lists of links and change logs rank lower, with the reason', () => {
  const ranked = rank('vacuum', [
    { title: 'Index', kind: 'list' },
    { title: 'Release 15', kind: 'changes' },
    ...others.slice(0, 3),
  ])
  assert.deepEqual(
    ranked.slice(-2).map((it) => it.document_id),
    ['d0', 'd1'],
  )
  assert.deepEqual(ranked.at(-2)?.parts.at(-1)?.name, 'kind')
})

test('a change log ranks as other pages if the query names it', () => {
  assert.equal(firstOf('release notes 15', [...others, { title: 'Release Notes 15', kind: 'changes' }]), 'd8')
})

test('a list of links is not raised by its title', () => {
  assert.equal(firstOf('index', [{ title: 'Creating an index' }, { title: 'Index', kind: 'list' }]), 'd0')
})

test('a pasted text and a title of ten thousand letters take little time', () => {
  const pages = Array.from({ length: 30 }, (): Page => ({ title: 'a - b: '.repeat(1_400), link: 'x'.repeat(10_000) }))
  const started = performance.now()
  rank('several words of a text '.repeat(400), pages)
  assert.ok(performance.now() - started < 1_000)
})

test('a page that others link to with the words comes before one that has more of them, but not before the title', () => {
  const pages: Page[] = [{ title: 'Settings' }, { title: 'Statistics' }, { title: 'pg_stat_activity' }]
  const order = rank('pg_stat_activity', pages, 0, ['d1', 'd2']).map((it) => it.document_id)
  assert.deepEqual(order, ['d2', 'd1', 'd0'])
})

test('a list of links stays low, whatever links call it', () => {
  const pages: Page[] = [{ title: 'All pages', kind: 'list' }, { title: 'Vacuum settings' }]
  assert.equal(rank('index', pages, 0, ['d0'])[0]?.document_id, 'd1')
})
