// The ranking over an exact index: for any corpus, the pages partition the results.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { accessForPerson } from '../../src/domain/access.ts'
import type { Embedder } from '../../src/inference/embedder.ts'
import type { SearchQuery } from '../../src/retrieval/ranking/candidates.ts'
import { type PageRequest, rankPage } from '../../src/retrieval/ranking/rank-page.ts'
import { openPlainIndex } from '../../src/search-index/plain/plain-index.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import { seeded } from '../random.ts'
import { DIMENSION, embed, MODEL } from './embedding.ts'
import { embedAll } from './vectors.ts'

const logger = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const WORDS = ['fox', 'bear', 'wolf', 'hare', 'lynx', 'otter', 'badger', 'heron']
const embedder: Embedder = {
  model: MODEL.model,
  dimension: DIMENSION,
  reads: 'any',
  minSimilarity: 0.3,
  foreign: null,
  embedQuery: async (text) => embed('', text),
  embedTexts: async (texts) => texts.map((it) => embed('', it)),
  close: async () => {},
}
const access = accessForPerson({ email: null, groups: [] }, [])
const asked = (text: string, more: Partial<SearchQuery> = {}): SearchQuery => ({ text, access, filters: {}, ...more })
const page = (more: Partial<PageRequest> = {}): PageRequest => ({
  start: { offset: 0 },
  limit: 1_000,
  sort: 'relevance',
  facets: [],
  ...more,
})

/** Documents with some words each. Those for which `isEmbedded` returns true have vectors. */
async function filled(count: number, seed: number, isEmbedded: (at: number) => boolean): Promise<SearchIndex> {
  const random = seeded(seed)
  const index = openPlainIndex({ vectors: MODEL })
  const upserts = Array.from({ length: count }, (_, at) => ({
    document_id: `d${String((at * 7_919) % count).padStart(4, '0')}`,
    title: '',
    source_type: at % 3 === 0 ? 'wiki' : 'web',
    updated_at: random.below(40),
    tags: [],
    authors: [],
    cc_pair_ids: [],
    access: at % 11 === 0 ? ['group:closed'] : ['public'],
    chunks: [0, 1].map((chunk_ind) => ({
      chunk_ind,
      content: Array.from({ length: 1 + random.below(6) }, () => WORDS[random.below(WORDS.length)]).join(' '),
      link: null,
    })),
  }))
  await index.apply({ upserts: upserts.filter((_, at) => isEmbedded(at)), deletes: [], position: 1 })
  await embedAll(index)
  await index.apply({ upserts: upserts.filter((_, at) => !isEmbedded(at)), deletes: [], position: 2 })
  return index
}

const corpus = fc.record({
  count: fc.integer({ min: 1, max: 520 }),
  seed: fc.nat(1_000),
  every: fc.integer({ min: 1, max: 4 }),
})
const text = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((it) => it.join(' '))
const conditions = fc.record(
  { excluded: fc.subarray(['lynx', 'otter']), phrases: fc.constantFrom([], ['fox bear']) },
  { requiredKeys: [] },
)

test('pages of any size, by offset or cursor, contain every result once, and their number equals the total', async () => {
  await fc.assert(
    fc.asyncProperty(
      corpus,
      text,
      conditions,
      fc.integer({ min: 7, max: 150 }),
      fc.constantFrom('relevance' as const, 'date' as const),
      async ({ count, seed, every }, words, more, limit, sort) => {
        const searchIndex = await filled(count, seed, (at) => at % every === 0)
        const needs = { searchIndex, embedder, logger }
        const query = asked(words, more)
        const whole = await rankPage(needs, query, page({ sort }))
        const ids = whole.hits.map((it) => it.document_id)
        assert.equal(new Set(ids).size, ids.length)
        assert.deepEqual([ids.length, whole.total_relation, whole.next], [whole.total, 'eq', null])
        const byOffset: string[] = []
        for (let offset = 0; offset < ids.length + limit; offset += limit) {
          const { hits } = await rankPage(needs, query, page({ sort, limit, start: { offset } }))
          byOffset.push(...hits.map((it) => it.document_id))
        }
        assert.deepEqual(byOffset, ids)
        const byCursor: string[] = []
        let start: PageRequest['start'] | null = { offset: 0 }
        while (start !== null) {
          const found: Awaited<ReturnType<typeof rankPage>> = await rankPage(needs, query, page({ sort, limit, start }))
          byCursor.push(...found.hits.map((it) => it.document_id))
          start = found.next
        }
        assert.deepEqual(byCursor, ids)
      },
    ),
    { numRuns: 25 },
  )
})

test('every hit meets the conditions and may be read, and every document with the words is found', async () => {
  await fc.assert(
    fc.asyncProperty(corpus, text, conditions, async ({ count, seed, every }, words, more) => {
      const searchIndex = await filled(count, seed, (at) => at % every === 0)
      const query = asked(words, { ...more, filters: { source_types: ['wiki'] } })
      const { hits } = await rankPage({ searchIndex, embedder, logger }, query, page())
      const ids = new Set(hits.map((it) => it.document_id))
      const list = { ...query, text: '', offset: 0, limit: 1_000 }
      const allowed = new Set((await searchIndex.search(list)).hits.map((it) => it.document_id))
      for (const id of ids) assert.ok(allowed.has(id), `${id} does not meet the conditions`)
      const byWords = await searchIndex.search({ ...query, offset: 0, limit: 1_000 })
      for (const { document_id } of byWords.hits) assert.ok(ids.has(document_id), `${document_id} is missing`)
    }),
    { numRuns: 25 },
  )
})

const failing: [what: string, embedder: Embedder | null, reason: RegExp | null][] = [
  ['no model', null, null],
  [
    'a failing model',
    { ...embedder, embedQuery: () => Promise.reject(new Error('no memory')) },
    /could not be embedded/,
  ],
  ['a slow model', { ...embedder, embedQuery: () => new Promise(() => {}) }, /not embedded in time/],
]
for (const [what, used, reason] of failing) {
  test(`with ${what} as the embedder, results are lexical only, and the response says so`, async () => {
    const searchIndex = await filled(50, 1, () => true)
    const found = await rankPage({ searchIndex, embedder: used, logger }, asked('fox bear'), page())
    assert.equal(found.ranked_by, 'words')
    if (reason === null) assert.equal(found.reason, null)
    else assert.match(found.reason!, reason)
    const { total } = await searchIndex.search({ ...asked('fox bear'), offset: 0, limit: 0 })
    assert.equal(found.total, total)
  })
}

test('a query in a script that the model cannot read is not embedded, and is ranked by words', async () => {
  const searchIndex = await filled(50, 1, () => true)
  const asksNothing: Embedder = { ...embedder, reads: 'english', embedQuery: assert.fail }
  const needs = { searchIndex, embedder: asksNothing, logger }
  const first = await rankPage(needs, asked('лиса fox медведь'), page({ limit: 5 }))
  assert.deepEqual([first.ranked_by, first.reason, first.hits.length], ['words', null, 5])
  const next = await rankPage(needs, asked('лиса fox медведь'), page({ limit: 5, start: first.next! }))
  assert.deepEqual([next.ranked_by, next.hits.length], ['words', 5])
  const alike = await rankPage({ searchIndex, embedder, logger }, asked('лиса fox медведь'), page())
  assert.equal(alike.ranked_by, 'both')
})

test('meaning counts by the length of the query and by what the model reads', async () => {
  const searchIndex = await filled(50, 1, () => true)
  const meaningOf = async (reads: Embedder['reads'], words: string) => {
    const { hits } = await rankPage({ searchIndex, embedder: { ...embedder, reads }, logger }, asked(words), page())
    return Math.max(...hits.flatMap(({ parts }) => parts.filter((it) => it.name === 'meaning').map((it) => it.value)))
  }
  assert.equal(await meaningOf('english', 'wo ist der fox'), 0.3)
  assert.equal(await meaningOf('any', 'der fox'), 0.4)
  assert.equal(await meaningOf('english', 'where is the fox'), 0.4)
  assert.equal(await meaningOf('english', 'where does a red fox sleep in winter'), 0.5)
  assert.equal(await meaningOf('any', 'where does a red fox sleep in winter'), 0.5)
})

test('an index without vectors is searched lexically, and the response says so', async () => {
  const searchIndex = await filled(50, 1, () => false)
  const found = await rankPage({ searchIndex, embedder, logger }, asked('fox'), page())
  assert.deepEqual([found.ranked_by, found.hits.length > 0], ['words', true])
  assert.match(found.reason!, /has been embedded yet/)
})

test('a repeated query is embedded once', async () => {
  const searchIndex = await filled(10, 1, () => true)
  const embedded: string[] = []
  const noting: Embedder = { ...embedder, embedQuery: async (text) => embed('', embedded[embedded.push(text) - 1]!) }
  for (let round = 0; round < 3; round++)
    await rankPage({ searchIndex, embedder: noting, logger }, asked('fox'), page())
  assert.deepEqual(embedded, ['fox'])
})
