import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, receipt, makePair, makeKey, alterRecord } = await start()
const RETRY = '/service-api/ingestion/retry'

/** Writes a state that no real document can cause: the index has refused it six times. */
async function failing(id: string, cc_pair_id: number): Promise<void> {
  await push(documentOf('failing', { id }), { cc_pair_id })
  await alterRecord(
    `update receipt set error = 'the index refused it', retry_at = null, attempts = 6, indexed_at = null where document_id = '${id}'`,
  )
  assert.equal((await receipt(id)).status, 'failed')
}
const isIndexed = async (id: string) => (await receipt(id)).status === 'indexed'

test('the receipt of a failed document gives the reason and a remedy', async () => {
  await failing('told', 1)
  const { status, reason, attempts, retry_at } = await receipt('told')
  assert.deepEqual([status, attempts, retry_at], ['failed', 6, null])
  assert.equal(
    reason,
    'gave up after 6 attempts; POST /service-api/ingestion/retry tries again; last error: the index refused it',
  )
})

test('a failed document is retried by its id', async () => {
  await failing('by id', 1)
  const body = { document_ids: ['by id', 'nobody'] }
  assert.deepEqual(await ok('POST', RETRY, { body }), { retried: 1 })
  await waitFor(() => isIndexed('by id'), 'the document')
  assert.deepEqual(await ok('POST', RETRY, { body }), { retried: 0 })
})

test('failed documents are retried by pair', async () => {
  const [one, other] = [await makePair('Retry one'), await makePair('Retry other')]
  await failing('of one', one)
  await failing('of other', other)
  assert.deepEqual(await ok('POST', RETRY, { body: { cc_pair_id: one } }), { retried: 1 })
  await waitFor(() => isIndexed('of one'), 'the document')
  assert.equal((await receipt('of other')).status, 'failed')
})

test('all failed documents that the key may push are retried', async () => {
  const closed = await makePair('Retry closed', { access_type: 'private', groups: [7] })
  await ok('POST', RETRY, { body: { all: true } })
  await failing('open to all', 1)
  await failing('closed to most', closed)
  const key = await makeKey({ role: 'limited', scopes: ['ingest'] })
  assert.deepEqual(await ok('POST', RETRY, { key, body: { document_ids: ['closed to most'] } }), { retried: 0 })
  assert.equal((await ask('POST', RETRY, { key, body: { cc_pair_id: closed } })).status, 404)
  assert.deepEqual(await ok('POST', RETRY, { key, body: { all: true } }), { retried: 1 })
  assert.deepEqual(await ok('POST', RETRY, { body: { all: true } }), { retried: 1 })
})

test('a pair that does not exist is 404', async () => {
  const { status, body } = await ask('POST', RETRY, { body: { cc_pair_id: 99_999 } })
  assert.deepEqual([status, body.error_code], [404, 'CC_PAIR_NOT_FOUND'])
})

for (const body of [
  {},
  { all: false },
  { all: true, cc_pair_id: 1 },
  { document_ids: [] },
  { document_ids: Array.from({ length: 1_001 }, (_, at) => `${at}`) },
  { document_ids: 'by id' },
]) {
  test(`${JSON.stringify(body).slice(0, 60)} is 422`, async () => {
    assert.equal((await ask('POST', RETRY, { body })).status, 422)
  })
}
