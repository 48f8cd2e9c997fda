import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFreshQueue, type FreshDocument, type FreshQueue } from './fresh-queue.ts'

const documentOf = (document_id: string, chunks: number, seq: number): FreshDocument => ({
  seq,
  document: {
    document_id,
    title: document_id,
    source_type: 'test',
    updated_at: null,
    tags: [],
    authors: [],
    cc_pair_ids: [],
    access: [],
    chunks: Array.from({ length: chunks }, (_, at) => ({ chunk_ind: at, content: `v${seq} ${at}`, link: null })),
  },
})

const takeAll = (queue: FreshQueue) => {
  const taken = []
  while (queue.hasAny()) taken.push(...queue.take(4))
  return taken
}

test('the newest document is first, and the other chunks come after all first ones', () => {
  const queue = createFreshQueue()
  queue.add([documentOf('old', 2, 1), documentOf('new', 6, 2)])
  assert.deepEqual(
    takeAll(queue).map((it) => [it.document_id, it.chunks.map((chunk) => chunk.chunk_ind)]),
    [
      ['new', [0]],
      ['old', [0]],
      ['new', [1, 2]],
      ['new', [3, 4, 5]],
      ['old', [1]],
    ],
  )
})

test('a new version replaces the chunks of the former one', () => {
  const queue = createFreshQueue()
  queue.add([documentOf('a', 3, 1)])
  queue.take(1)
  queue.add([documentOf('a', 2, 2)])
  queue.add([documentOf('a', 2, 3)])
  const taken = takeAll(queue)
  assert.deepEqual(
    taken.flatMap((it) => it.chunks.map((chunk) => chunk.content)),
    ['v3 0', 'v3 1'],
  )
  assert.deepEqual(
    taken.map((it) => it.begin),
    [{ seq: 3, total: 2 }, null],
  )
})

test('too many chunks push out the oldest, at first those of begun documents', () => {
  const queue = createFreshQueue()
  assert.deepEqual(queue.add([documentOf('begun', 900, 1)]), [])
  queue.take(1)
  assert.deepEqual(queue.add([documentOf('older', 900, 2), documentOf('newer', 900, 3)]), ['begun'])
  assert.deepEqual(queue.add([documentOf('newest', 900, 4)]), [])
  assert.deepEqual(
    queue.take(2).map((it) => it.document_id),
    ['newest', 'newer'],
  )
})
