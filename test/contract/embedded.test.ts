import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { accessForPerson } from '../../src/domain/access.ts'
import type { Query } from '../../src/domain/search/query.ts'
import { openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import { openPlainIndex } from '../../src/search-index/plain/plain-index.ts'
import type { IndexDocument } from '../../src/search-index/search-index.ts'
import { openBusyIndex } from '../engine/local-index.ts'
import { compareWithPlain, runRandomOperations, searchIndexContract } from './search-index.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
/** Low limits, so that little text causes flushes and merges. */
const open = (dir: string, readers = 1) =>
  openEmbeddedIndex({ dir, logger: silent, onFatal, readers, memoryPassages: 24, mergeFloor: 4 })

// Each opening starts two threads. The facts about results are shown by the same code in one thread, below.
searchIndexContract('embedded', (dir) => open(dir), { isPersistent: true, runs: 2, onlyChanges: true })
test('embedded, two readers: gives the same results as a scorer without an index in 2 random runs', () =>
  runRandomOperations((dir) => open(dir, 2), { isPersistent: true, runs: 2 }))
// The same code in one thread runs many more operations in the same time. The long tests have the full numbers.
searchIndexContract('embedded, one thread', (dir) => openBusyIndex(dir), { isPersistent: true, runs: 25 })

test('embedded: a phrase with more candidates than can be read finds correct hits, the best first', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-index-'))
  const index = await openBusyIndex(dir)
  const document = (at: number): IndexDocument => ({
    document_id: `d${at}`,
    title: '',
    source_type: at % 2 === 0 ? 'web' : 'file',
    updated_at: at,
    tags: [],
    authors: [],
    cc_pair_ids: [],
    access: ['public'],
    // Shorter chunks score higher: the phrase is in every tenth chunk, including the best ones.
    chunks: [
      {
        chunk_ind: 0,
        content: `${at % 10 === 0 ? 'red fox' : 'fox red'} ${'wolf '.repeat(1 + (at % 100))}`,
        link: null,
      },
    ],
  })
  await index.apply({ upserts: Array.from({ length: 3_000 }, (_, at) => document(at)), deletes: [], position: 1 })
  const access = accessForPerson({ email: null, groups: [] }, [])
  const asked: Query = {
    ...{ text: 'red fox', phrases: ['red fox'], access, filters: {}, offset: 0, limit: 50 },
    facets: [{ field: 'source_type', size: 2 }],
  }
  const found = await index.search(asked)
  assert.equal(found.total_relation, 'gte')
  assert.ok(found.total >= 50 && found.total < 300)
  assert.deepEqual(found.facets, [
    { field: 'source_type', values: [{ value: 'web', count: found.total }], count_relation: 'gte' },
  ])
  const best = Array.from({ length: 30 }, (_, at) => `d${at * 100}`)
  assert.deepEqual(
    found.hits.slice(0, 30).map((it) => it.document_id),
    best.toSorted(),
  )
  const newest = await index.search({ ...asked, sort: 'newest', facets: [], limit: 3 })
  assert.deepEqual(
    newest.hits.map((it) => it.document_id),
    ['d2990', 'd2980', 'd2970'],
  )
  const required = await index.search({ ...asked, text: 'wolf', phrases: [], excluded: ['red fox'], limit: 5 })
  assert.equal(required.total_relation, 'gte')
  assert.ok(required.hits.length === 5 && required.hits.every((it) => it.chunk.content.startsWith('fox red')))
  await index.close()
  rmSync(dir, { recursive: true })
})

test('embedded: gives the same results as the exact index on 3,000 documents with blocks, windows and merges', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-index-'))
  const other = await openEmbeddedIndex({ dir, logger: silent, onFatal, memoryPassages: 1_000, mergeFloor: 500 })
  await compareWithPlain({ plain: openPlainIndex(), other }, { documents: 3_000, queries: 150, seed: 8 })
  await other.close()
  rmSync(dir, { recursive: true })
})

test('embedded: applied batches survive a clean stop, even during a flush', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-index-'))
  const content = 'a quick fox '.repeat(40)
  const open = () => openEmbeddedIndex({ dir, logger: silent, onFatal, memoryPassages: 2_001, mergeFloor: 4 })
  const index = await open()
  const put = (document_id: string, size: number, position: number) => {
    const chunks = Array.from({ length: size }, (_, chunk_ind) => ({ chunk_ind, content, link: null }))
    return index.apply({ upserts: [{ ...documentOf(document_id), chunks }], deletes: [], position })
  }
  await put('large', 2_000, 1)
  // The second batch starts a flush of many steps, during which the third one arrives.
  await Promise.all([put('second', 1, 2), put('third', 1, 3), index.close()])
  const again = await open()
  assert.equal((await again.stats()).position, 3)
  await again.close()
  rmSync(dir, { recursive: true })
})

const documentOf = (document_id: string) => ({
  document_id,
  title: '',
  source_type: 'web',
  updated_at: null,
  tags: [],
  cc_pair_ids: [],
  authors: [],
  access: ['public'],
})
