// A reindex, from the view of administrators and of users who search.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, found } = await start()

const isIdle = async () => (await ok('GET', '/admin/reindex')).status === 'idle'

test('initially no reindex runs, and none can be canceled', async () => {
  assert.deepEqual(await ok('GET', '/admin/reindex'), {
    status: 'idle',
    generation: 1,
    model: null,
    building: null,
    last: null,
  })
  const { status, body } = await ask('DELETE', '/admin/reindex')
  assert.deepEqual([status, body.error_code], [404, 'REINDEX_NOT_FOUND'])
})

test('during a reindex and its switch, no search fails or misses documents, and new documents are included', async () => {
  const texts = Array.from({ length: 300 }, (_, at) => `heliotrope ${at}`)
  const documents = texts.map((text, at) => documentOf(text, { id: `old${at}` }))
  await Promise.all(documents.map((document) => push(document)))
  const begun = await ok('POST', '/admin/reindex')
  assert.deepEqual(Object.keys(begun), ['status', 'generation', 'model', 'building', 'last'])
  assert.deepEqual(Object.keys(begun.building), [
    'generation',
    'model',
    'done',
    'total',
    'waiting_for',
    'started_at',
    'vectors',
  ])
  assert.deepEqual([begun.status, begun.generation, begun.building.generation], ['building', 1, 2])
  let searches = 0
  let added = 0
  const searching = (async () => {
    for (let isDone = false; !isDone; searches++) {
      isDone = await isIdle()
      const { total } = await ok('POST', '/search', { body: { query: 'heliotrope' } })
      assert.ok(total >= 300, `${total} found at search ${searches}`)
    }
  })()
  while (!(await isIdle())) await push(documentOf('periwinkle', { id: `new${added++}` }))
  await searching
  const { generation, last } = await ok('GET', '/admin/reindex')
  assert.deepEqual([generation, last.status, last.generation], [2, 'success', 2])
  await push(documentOf('periwinkle', { id: `new${added++}` }))
  const { total } = await ok('POST', '/search', { body: { query: 'periwinkle' } })
  assert.equal(total, added)
})

test('only one reindex runs at a time, and it can be canceled', async () => {
  // The reindex may end before the cancellation; then it is repeated.
  const canceled = await waitFor(
    async () => {
      await ok('POST', '/admin/reindex')
      const [second, ended] = await Promise.all([ask('POST', '/admin/reindex'), ask('DELETE', '/admin/reindex')])
      if (second.status === 409) assert.equal(second.body.error_code, 'REINDEX_UNDERWAY')
      if (ended.status !== 200 || second.status !== 409) await waitFor(isIdle, 'the end', 30_000)
      return ended.status === 200 && second.status === 409 && ended.body
    },
    'a canceled reindex',
    60_000,
  )
  assert.deepEqual([canceled.status, canceled.building, canceled.last.status], ['idle', null, 'canceled'])
  assert.equal((await found('heliotrope 7')).length, 100)
})
