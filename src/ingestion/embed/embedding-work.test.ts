import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UnembeddedChunk } from '../../search-index/search-index.ts'
import { type EmbeddingWork, openEmbeddingWork } from './embedding-work.ts'

const CHUNKS_OF_EACH = 3

/** An index of documents in the order in which they were indexed, with the chunks that are embedded so far. */
function openWork(documents: number) {
  const chunks = Array.from({ length: documents * CHUNKS_OF_EACH }, (_, at): UnembeddedChunk => {
    const [document, chunk_ind] = [Math.floor(at / CHUNKS_OF_EACH), at % CHUNKS_OF_EACH]
    return { document_id: `${document}`, chunk_ind, title: '', content: `${at}`, hash: `${at}` }
  })
  const embedded = new Set<string>()
  const missing = () => chunks.filter((it) => !embedded.has(it.hash))
  const work = openEmbeddingWork({
    searchIndex: {
      async chunksWithoutVector({ limit, after = '-1' }) {
        const rest = missing().filter((it) => Number(it.hash) > Number(after))
        const page = rest.slice(0, limit)
        return { chunks: page, next: rest.length > limit ? page.at(-1)!.hash : null }
      },
      stats: async () => ({
        documents,
        chunks: 0,
        languages: [],
        position: 1,
        vectors: 0,
        vectors_missing: missing().length,
      }),
    },
    indexedSeq: () => 1,
    includesOlder: () => true,
  })
  return { work, embedded }
}

/** Embeds until nothing is left; returns the chunks in their order, and the documents in the order of their end. */
async function embedAll({ work, embedded }: { work: EmbeddingWork; embedded: Set<string> }) {
  const order: UnembeddedChunk[] = []
  const complete: string[] = []
  for (let portion = await work.next(); portion !== undefined; portion = await work.next()) {
    for (const it of portion.chunks) {
      order.push(it)
      embedded.add(it.hash)
      const chunksOfDocument = () => order.filter(({ document_id }) => document_id === it.document_id).length
      for (const { document_id } of work.markDone([it])) {
        if (document_id === it.document_id) assert.equal(chunksOfDocument(), CHUNKS_OF_EACH)
        complete.push(document_id)
      }
    }
    complete.push(...work.markDone([]).map((it) => it.document_id))
  }
  return { order, complete }
}

test('the first chunk of every document comes before the other chunks', async () => {
  const { order } = await embedAll(openWork(400))
  assert.equal(order.length, 400 * CHUNKS_OF_EACH)
  assert.ok(order.slice(0, 400).every((it) => it.chunk_ind === 0))
})

test('the other chunks of the latest documents come before those of earlier ones', async () => {
  const { order } = await embedAll(openWork(400))
  const rest = order.slice(400).map((it) => Number(it.document_id))
  // Pages keep their order inside, and a page has 85 documents.
  const half = rest.length / 2
  assert.ok(Math.min(...rest.slice(0, half)) > 150, `${Math.min(...rest.slice(0, half))}`)
  assert.ok(Math.max(...rest.slice(half)) < 260, `${Math.max(...rest.slice(half))}`)
})

for (const documents of [1, 85, 86, 400]) {
  test(`each of ${documents} documents is complete once, with its last chunk`, async () => {
    const { complete } = await embedAll(openWork(documents))
    const all = Array.from({ length: documents }, (_, at) => `${at}`)
    assert.deepEqual(
      complete.toSorted((a, b) => Number(a) - Number(b)),
      all,
    )
  })
}

test('documents of one chunk are complete before the long ones', async () => {
  const opened = openWork(400)
  const long = [7, 300]
  for (let at = 0; at < 400 * CHUNKS_OF_EACH; at++) {
    if (at % CHUNKS_OF_EACH > 0 && !long.includes(Math.floor(at / CHUNKS_OF_EACH))) opened.embedded.add(`${at}`)
  }
  const complete: string[] = []
  for (let portion = await opened.work.next(); portion !== undefined; portion = await opened.work.next()) {
    for (const it of portion.chunks) opened.embedded.add(it.hash)
    complete.push(...opened.work.markDone(portion.chunks).map((it) => it.document_id))
  }
  assert.deepEqual([complete.length, complete.slice(-2)], [400, ['300', '7']])
})
