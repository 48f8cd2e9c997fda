import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentOf } from '../../test/document-content.ts'
import { temporaryDatabase } from '../../test/temporary-database.ts'
import { documentAccessTokens } from '../domain/access.ts'
import { rightsOfKey, type Subject } from '../domain/subject.ts'
import { getAccess } from '../identity/access.ts'
import type { Embedder } from '../inference/embedder.ts'
import { openPlainIndex } from '../search-index/plain/plain-index.ts'
import { acceptDocuments } from '../store/documents/accept-documents.ts'
import { createSearch } from './search.ts'

const subjectOf = (email: string | null): Subject => ({
  api_key_id: 1,
  credential: { kind: 'key', kid: 'kid' },
  user_id: 'user',
  person_id: null,
  usage_id: 'user',
  email,
  groups: [],
  curated_groups: [],
  role: 'basic',
  rights: rightsOfKey('basic', null),
  scopes: null,
})
const ANN = subjectOf('ann@example.org')
const BOB = subjectOf('bob@example.org')

const { db } = await temporaryDatabase()
const index = openPlainIndex()
const external_access = {
  external_user_emails: ['ann@example.org'],
  external_user_group_ids: [],
  is_public: false,
}
await acceptDocuments(
  db,
  'all',
  [{ content: { ...contentOf('secret', 'heron'), external_access }, ccPairId: 1, requestId: null }],
  1,
)
await index.apply({
  upserts: [
    {
      document_id: 'secret',
      title: 'secret',
      source_type: 'test',
      updated_at: null,
      tags: [{ tag_key: 'team', tag_value: 'birds' }],
      authors: [],
      cc_pair_ids: [1],
      access: documentAccessTokens(external_access, [1]),
      chunks: [{ chunk_ind: 0, content: 'heron', link: null }],
    },
  ],
  deletes: [],
  position: 1,
})

let leases = 0
let isLeased = false
const counted: number[] = []
let fallbacks = 0
let embedder: Embedder | null = null
const search = createSearch({
  db,
  generations: {
    serving: index,
    async lease(work) {
      leases += 1
      isLeased = true
      try {
        return await work({ generation: 1, index, vectors: null })
      } finally {
        isLeased = false
      }
    },
  },
  embedderFor: () => embedder,
  baseUrl: '',
  meter: {
    countSearch({ results, isFallback }) {
      counted.push(results)
      if (isFallback) fallbacks += 1
    },
  },
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  now: () => 1,
})
const REQUEST = { query: 'heron', filters: {}, offset: 0, limit: 10 }

test('a search finds what its subject may read, and nothing else', async () => {
  const found = await search.retrieve(ANN, REQUEST)
  assert.deepEqual(
    found.results.map((it) => it.document.id),
    ['secret'],
  )
  assert.deepEqual((await search.retrieve(BOB, REQUEST)).results, [])
})

test('tags are those of documents that the subject may read', async () => {
  const query = { pattern: '', sources: null, limit: 10 }
  assert.deepEqual(await search.findTags(ANN, query), [{ tag_key: 'team', tag_value: 'birds', source: 'test' }])
  assert.deepEqual(await search.findTags(BOB, query), [])
})

test('suggestions come from documents that the subject may read', async () => {
  assert.deepEqual(
    (await search.suggest(ANN, 'secr', {})).titles.map((it) => it.id),
    ['secret'],
  )
  assert.deepEqual((await search.suggest(BOB, 'secr', {})).titles, [])
})

test('an explanation names the access of the subject', async () => {
  const question = { document_id: 'secret', query: 'heron' }
  assert.equal((await search.explainMissing(ANN, question)).lost_at, null)
  assert.equal((await search.explainMissing(BOB, question)).lost_at, 'access')
})

test('an explanation says that the model cannot read the query', async () => {
  const [embedQuery, embedTexts] = [assert.fail, assert.fail]
  embedder = {
    model: 'test',
    dimension: 3,
    reads: 'english',
    minSimilarity: 0.3,
    foreign: null,
    embedQuery,
    embedTexts,
    close: async () => {},
  }
  const { steps } = await search.explainMissing(ANN, { document_id: 'secret', query: 'цапля' })
  embedder = null
  assert.match(steps.find((it) => it.step === 'vectors')?.detail ?? '', /cannot read the script/)
})

test('context windows leave out documents that the subject cannot read', async () => {
  const anchors = [{ document_id: 'secret', chunk_ind: 0 }]
  assert.equal((await search.readContextWindows(ANN, anchors, 1)).length, 1)
  assert.deepEqual(await search.readContextWindows(BOB, anchors, 1), [])
})

test('each search is counted once, with its number of results', async () => {
  counted.length = 0
  await search.retrieve(ANN, REQUEST)
  await search.retrieve(BOB, REQUEST)
  assert.deepEqual(counted, [1, 0])
})

test('a search whose vector fails is counted as a fallback, and one that needs no vector is not', async () => {
  fallbacks = 0
  await search.retrieve(ANN, REQUEST)
  const embedQuery = () => Promise.reject(new Error('away'))
  const embedTexts = assert.fail
  embedder = {
    model: 'test',
    dimension: 3,
    reads: 'english',
    minSimilarity: 0.3,
    foreign: null,
    embedQuery,
    embedTexts,
    close: async () => {},
  }
  await search.retrieve(ANN, { ...REQUEST, query: 'цапля' })
  assert.equal(fallbacks, 0)
  await search.retrieve(ANN, REQUEST)
  embedder = null
  assert.equal(fallbacks, 1)
})

test('a search holds one lease of the index until it ends', async () => {
  leases = 0
  await search.retrieve(ANN, REQUEST)
  assert.equal(leases, 1)
  assert.equal(isLeased, false)
})

test('identical searches of one subject that are under way together are computed once', async () => {
  leases = 0
  counted.length = 0
  const both = await Promise.all([search.retrieve(ANN, REQUEST), search.retrieve(ANN, { ...REQUEST })])
  assert.equal(leases, 1)
  assert.deepEqual(counted, [1, 1])
  assert.deepEqual(both[0], both[1])
})

test('searches that differ in subject, access or request are never shared', async () => {
  const others = [
    subjectOf('bob@example.org'),
    { ...ANN, user_id: 'another' },
    { ...ANN, groups: ['birds'] },
    { ...ANN, rights: rightsOfKey('admin', null) },
  ]
  leases = 0
  const found = await Promise.all([
    search.retrieve(ANN, REQUEST),
    ...others.map((it) => search.retrieve(it, REQUEST)),
    search.retrieve(ANN, { ...REQUEST, limit: 9 }),
    search.retrieve(ANN, { ...REQUEST, filters: { updated_from: Number.NEGATIVE_INFINITY } }),
    search.retrieve(ANN, { ...REQUEST, filters: { updated_from: Number.POSITIVE_INFINITY } }),
  ])
  assert.equal(leases, found.length)
  assert.deepEqual(found[1]!.results, [])
})

test('work that runs several searches holds one lease, and looks up access itself', async () => {
  const access = await search.lease(async (leased) => {
    assert.equal(isLeased, true)
    return leased.getAccess(ANN)
  })
  assert.deepEqual(access, await getAccess(db, ANN))
})
