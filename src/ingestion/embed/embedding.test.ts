import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, beforeEach, test } from 'node:test'
import { MODEL, embed as vectorOf } from '../../../test/contract/embedding.ts'
import { contentOf } from '../../../test/document-content.ts'
import { waitFor } from '../../../test/server.ts'
import { accessForPerson } from '../../domain/access.ts'
import { type Embedder, EmbeddingError } from '../../inference/embedder.ts'
import type { BuildingGeneration, Generation } from '../../search-index/generations.ts'
import { openPlainIndex } from '../../search-index/plain/plain-index.ts'
import type { SearchIndex, UnembeddedChunk } from '../../search-index/search-index.ts'
import type { Database } from '../../store/database/database.ts'
import { acceptDocuments } from '../../store/documents/accept-documents.ts'
import { countVectors, insertVectors } from '../../store/documents/chunk-vectors.ts'
import { deleteDocument, purgeTrashedDocuments } from '../../store/documents/trash.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import { createIndexer, type Indexer } from '../index/indexer.ts'
import { getReceipt } from '../push/receipt.ts'
import { createEmbedding, type Embedding } from './embedding.ts'
import { createVectorRestore, findKnownVectors } from './vector-cache.ts'
import { createVectorSweep } from './vector-sweep.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-embedding-'))
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
let name = 0
let db: Database
let searchIndex: SearchIndex
let indexer: Indexer
let embedding: Embedding
let stop: () => Promise<void>
/** Every text sent to the model, and an optional replacement for its response. */
let asked: string[]
let answer: (texts: readonly string[]) => void | Promise<void>

const embedder: Embedder = {
  ...MODEL,
  reads: 'any',
  minSimilarity: 0.3,
  foreign: null,
  embedQuery: async (query) => vectorOf(query, ''),
  async embedTexts(texts) {
    await answer(texts)
    asked.push(...texts)
    return texts.map((it) => vectorOf('', it))
  },
  close: async () => {},
}

async function start(
  index: SearchIndex,
  model: Embedder | null = embedder,
  building: BuildingGeneration | null = null,
  lease: <T>(work: (serving: Generation) => Promise<T>) => Promise<T> = (work) =>
    work({ generation: 1, index, vectors: MODEL }),
): Promise<void> {
  searchIndex = index
  const stopping = new AbortController()
  const needs = { db, searchIndex, logger: quiet, now: Date.now }
  indexer = await createIndexer({ ...needs, failpoint() {}, onIndexed: (it) => embedding.onIndexed(it) })
  embedding = createEmbedding({
    ...needs,
    generations: {
      servingNumber: () => 1,
      vectors: () => MODEL,
      building: () => building,
      declinedModel: () => null,
      lease,
    },
    embedders: {
      forModel: () => model,
      configured: () => (model === null ? { kind: 'off' } : { kind: 'ready', model: MODEL }),
    },
    indexer,
    random: () => 0,
  })
  const working = [indexer.run(stopping.signal), embedding.run(stopping.signal)]
  stop = async () => {
    stopping.abort()
    await Promise.all(working)
  }
}

beforeEach(async () => {
  asked = []
  answer = () => {}
  db = await openSqlite({ path: join(folder, `${++name}.db`), failpoint: null, onFatal: assert.fail })
  await start(openPlainIndex({ vectors: MODEL }))
})
afterEach(async () => {
  await stop()
  await db.close()
})
after(() => rmSync(folder, { recursive: true }))

/** Pushes a document with one chunk for each text. */
async function push(...documents: [id: string, ...texts: string[]][]): Promise<void> {
  const accepted = await acceptDocuments(
    db,
    'all',
    documents.map(([id, ...texts]) => ({ content: { ...contentOf(id), sections: texts.map(sectionOf) }, ...FROM_1 })),
    Date.now(),
  )
  for (const it of accepted) {
    if (it instanceof Error) throw it
    indexer.wake(it.seq)
  }
}
const FROM_1 = { ccPairId: 1, requestId: null }
const sectionOf = (text: string, at: number) => ({ text, link: `#${at}`, heading: null, image_file_id: null })

const many = (count: number, word: string): [string, string][] =>
  Array.from({ length: count }, (_, at) => [`${word}-${at}`, `${word} ${at}`])
const receiptOf = (id: string) => getReceipt({ db, indexer }, 'all', [id])
const embedded = (id: string) =>
  waitFor(async () => (await receiptOf(id)).embedded_at ?? undefined, `the vectors of ${id}`)
const state = (wanted: (it: Awaited<ReturnType<Embedding['state']>>) => boolean, what: string) =>
  waitFor(async () => wanted(await embedding.state()) && embedding.state(), what)
const indexed = () => indexer.waitUntil(indexer.progress().accepted_seq, AbortSignal.timeout(10_000))

async function chunkOf(id: string): Promise<UnembeddedChunk> {
  const { hash } = await db
    .selectFrom('chunk_vector')
    .select('hash')
    .where('document_id', '=', id)
    .executeTakeFirstOrThrow()
  return { document_id: id, chunk_ind: 0, title: '', content: '', hash }
}

/** From now on the model responds only after the returned function is called. */
function gate(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  answer = () => promise
  return resolve
}

test('every chunk gets a vector, and the receipt gives the time', async () => {
  await push(['a', 'one', 'two'], ['b', 'three'])
  await embedded('a')
  await embedded('b')
  assert.deepEqual(asked.toSorted(), ['a\none', 'a\ntwo', 'b\nthree'])
  assert.deepEqual(await embedding.state(), {
    model: 'test',
    pending: 0,
    total: 3,
    remaining_s: null,
    reason: null,
    next: null,
  })
  const access = accessForPerson({ email: null, groups: [] }, [1])
  const query = { vector: vectorOf('', 'b\nthree'), access, filters: {}, offset: 0, limit: 5 }
  assert.equal((await searchIndex.nearest(query)).hits[0]?.document_id, 'b')
})

test('the time for chunks is known once the model has answered', async () => {
  assert.equal(embedding.secondsFor(1_000), null)
  await push(['a', 'one'])
  await embedded('a')
  assert.ok((embedding.secondsFor(1_000) ?? 0) > 0)
})

test('a document without text is embedded by its title, and an empty one is complete at once', async () => {
  await push(['title'], ['…'])
  await embedded('title')
  await embedded('…')
  assert.deepEqual(asked, ['title'])
})

test('a rebuilt index does not call the model', async () => {
  await push(...many(40, 'word'))
  await embedded('word-0')
  await state((it) => it.pending === 0, 'all vectors')
  assert.equal(asked.length, 40)
  await stop()
  await start(openPlainIndex({ vectors: MODEL }))
  await indexed()
  await state((it) => it.pending === 0 && it.total === 40, 'all vectors again')
  assert.equal(asked.length, 40)
})

test('a second index receives cached vectors page by page', async () => {
  await push(...many(300, 'word'))
  await state((it) => it.pending === 0 && it.total === 300, 'all vectors')
  const other = openPlainIndex({ vectors: MODEL })
  await (await createIndexer({ db, searchIndex: other, logger: quiet, now: Date.now, failpoint() {} })).run(
    // The indexer is only needed to apply the documents.
    AbortSignal.timeout(1_000),
  )
  const recall = createVectorRestore({ db, model: MODEL.model }, other)
  let pages = 1
  while (!(await recall())) pages++
  assert.deepEqual([pages, (await other.stats()).vectors_missing], [2, 0])
})

test('an index for another model is complete without the chunks that the model rejects', async () => {
  await push(...many(40, 'word'), ['odd', 'bad'])
  await embedded('odd')
  await stop()
  const other = { model: 'other', dimension: MODEL.dimension }
  const index = openPlainIndex({ vectors: other })
  const building = { generation: 2, index, vectors: other, since: 0 }
  const release = gate()
  await start(searchIndex, { ...embedder, ...other }, building)
  await indexer.waitUntil(indexer.progress().accepted_seq, AbortSignal.timeout(10_000))
  const { next } = await state((it) => it.next !== null, 'the other index')
  assert.deepEqual([next?.model, next?.pending, next?.total], ['other', 41, 41])
  const follower = await createIndexer({ db, searchIndex: index, logger: quiet, now: Date.now, failpoint() {} })
  const stopping = new AbortController()
  const filling = follower.run(stopping.signal)
  await follower.waitUntil(indexer.progress().accepted_seq, AbortSignal.timeout(10_000))
  stopping.abort()
  await filling
  assert.equal(await embedding.isComplete(building), false)
  answer = (texts) => {
    if (texts.some((it) => it.includes('bad'))) throw new EmbeddingError('too long', { isInputRejected: true })
  }
  embedding.wake()
  release()
  await waitFor(() => embedding.isComplete(building), 'all that it takes')
  assert.deepEqual([(await index.stats()).vectors, (await index.stats()).vectors_missing], [40, 1])
})

test('new documents are embedded before older ones', async () => {
  await stop()
  const index = openPlainIndex({ vectors: MODEL })
  await start(index, null)
  await push(...many(400, 'old'))
  await indexed()
  await stop()
  const release = gate()
  await start(index)
  await push(['urgent', 'now'])
  await indexed()
  release()
  await embedded('urgent')
  const place = asked.indexOf('urgent\nnow')
  assert.ok(place >= 0 && place < 100, `${place}`)
  await state((it) => it.pending === 0, 'all vectors')
  assert.equal(new Set(asked).size, 401)
})

test('a long document is complete with its last chunk, also across pages', async () => {
  await stop()
  const index = openPlainIndex({ vectors: MODEL })
  await start(index, null)
  await push(['long', ...Array.from({ length: 600 }, (_, at) => `chunk ${at} ${'x'.repeat(1_500)}`)], ['short', 'x'])
  await indexed()
  await stop()
  await start(index)
  await embedded('long')
  assert.deepEqual([asked.length, (await index.stats()).vectors_missing], [601, 0])
})

test('a new version gets new vectors, and unchanged text keeps them', async () => {
  await push(['a', 'first'])
  await embedded('a')
  const release = gate()
  await push(['a', 'second'])
  await indexed()
  assert.equal((await receiptOf('a')).embedded_at, null)
  release()
  await embedded('a')
  await push(['a', 'second', ''])
  await indexed()
  await embedded('a')
  assert.deepEqual(asked, ['a\nfirst', 'a\nsecond'])
})

/** Pushes documents under one title, because the model gets the title too. */
async function pushCopies(text: string, ...ids: string[]): Promise<void> {
  const contents = ids.map((id) => ({ ...contentOf(id), title: 'copy', sections: [sectionOf(text, 0)] }))
  const accepted = await acceptDocuments(
    db,
    'all',
    contents.map((content) => ({ content, ...FROM_1 })),
    Date.now(),
  )
  for (const it of accepted) {
    if (it instanceof Error) throw it
    indexer.wake(it.seq)
  }
}

test('equal texts of several documents are sent to the model once', async () => {
  await pushCopies('same', 'a', 'b', 'c')
  for (const id of ['a', 'b', 'c']) await embedded(id)
  await pushCopies('same', 'later')
  await embedded('later')
  await pushCopies('other', 'a')
  await embedded('a')
  assert.deepEqual(asked, ['copy\nsame', 'copy\nother'])
  assert.deepEqual([await countVectors(db), (await searchIndex.stats()).vectors], [5, 4])
  const access = accessForPerson({ email: null, groups: [] }, [1])
  const query = { vector: vectorOf('', 'copy\nsame'), access, filters: {}, offset: 0, limit: 3 }
  const { hits } = await searchIndex.nearest(query)
  assert.deepEqual(
    hits.map((it) => it.document_id),
    ['b', 'c', 'later'],
  )
})

test('a text that the model rejects is skipped in every document', async () => {
  answer = (texts) => {
    if (texts.some((it) => it.includes('bad'))) throw new EmbeddingError('too long', { isInputRejected: true })
  }
  await pushCopies('bad', 'a', 'b')
  await push(['c', 'good'])
  await embedded('c')
  await state((it) => it.pending === 2, 'only the rejected chunks to be left')
  assert.equal((await receiptOf('b')).embedded_at, null)
})

test('the Retry-After of a model is honoured, and the reason is reported', async () => {
  let refusals = 0
  answer = () => {
    if (refusals++ === 0) throw new EmbeddingError('the server answered 429: slow down', { retryAfterMs: 300 })
  }
  await push(['a', 'one'])
  const { reason } = await state((it) => it.reason !== null, 'the reason')
  assert.match(reason ?? '', /^the server answered 429: slow down; will be tried again at 20/)
  await embedded('a')
  await state((it) => it.reason === null, 'no reason')
  assert.equal(refusals, 2)
})

test('a text that the model rejects blocks no other', async () => {
  answer = (texts) => {
    if (texts.some((it) => it.includes('bad'))) throw new EmbeddingError('too long', { isInputRejected: true })
  }
  await push(...many(20, 'good'), ['odd', 'one', 'bad'], ...many(20, 'fine'))
  for (const id of ['good-0', 'good-19', 'fine-0', 'fine-19']) await embedded(id)
  const { remaining_s } = await state((it) => it.pending === 1, 'only one chunk to be left')
  assert.deepEqual([remaining_s, (await receiptOf('odd')).embedded_at], [1, null])
})

test('a model that rejects everything does not mark texts as rejected', async () => {
  answer = () => {
    throw new EmbeddingError('unknown model', { isInputRejected: true })
  }
  await push(['a', 'one'])
  assert.match((await state((it) => it.reason !== null, 'the reason')).reason ?? '', /^unknown model; /)
  answer = () => {}
  await embedded('a')
})

test('vectors are deleted with their document', async () => {
  await push(['a', 'one'], ['b', 'two'])
  await embedded('a')
  await embedded('b')
  assert.equal(await countVectors(db), 2)
  const seq = await deleteDocument(db, 'a', { now: 1, requestId: null })
  indexer.wake(seq!)
  await indexed()
  await purgeTrashedDocuments(db, 2, seq!)
  assert.equal(await countVectors(db), 1)
})

test('stale vectors are deleted when there are too many', async () => {
  await push(['a', 'one'], ['b', 'two'])
  await embedded('a')
  await push(['a', 'another'])
  await embedded('a')
  await embedded('b')
  await insertVectors(db, 'former model', [{ hash: 'x', document_id: 'b', vector: 'AAAA', text_hash: 'x' }])
  const sweep = (count: number) =>
    createVectorSweep({ db, searchIndex, model: 'test', logger: quiet, now: Date.now, tolerated: { share: 1, count } })(
      new AbortController().signal,
    )
  await sweep(2)
  assert.equal(await countVectors(db), 4)
  await sweep(1)
  assert.equal(await countVectors(db), 2)
  assert.equal((await findKnownVectors(db, 'test', [await chunkOf('b')])).known.length, 1)
})

test('without a model nothing waits, and the reason is reported', async () => {
  await stop()
  await start(openPlainIndex(), null)
  await push(['a', 'one'])
  await indexed()
  const { embedded_at, status } = await receiptOf('a')
  assert.deepEqual([embedded_at, status, asked], [null, 'indexed', []])
  assert.deepEqual(await embedding.state(), {
    model: null,
    pending: 0,
    total: 0,
    remaining_s: null,
    reason: 'EMBEDDING is off',
    next: null,
  })
})

test('embedding resumes after a temporary failure of the index', async () => {
  await stop()
  const index = openPlainIndex({ vectors: MODEL })
  let failures = 0
  await start(index, embedder, null, async (work) => {
    if (failures++ === 0) throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' })
    return work({ generation: 1, index, vectors: MODEL })
  })
  await push(['one', 'fox'])
  await waitFor(() => asked.length === 1, 'the text to be embedded')
})
