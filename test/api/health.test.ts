import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok } = await start()

for (const prefix of ['', '/api']) {
  test(`${prefix}/health needs no key`, async () => {
    assert.deepEqual(await ok('GET', `${prefix}/health`, { key: null }), { success: true, message: 'ok', data: null })
  })

  test(`${prefix}/version needs no key`, async () => {
    assert.deepEqual(await ok('GET', `${prefix}/version`, { key: null }), { backend_version: 'Development' })
  })

  test(`${prefix}/health/ready needs no key`, async () => {
    const { success, data } = await ok('GET', `${prefix}/health/ready`, { key: null })
    const names = ['accepted_seq', 'indexed_seq', 'pending', 'waiting_for', 'index', 'embedding', 'disk', 'record']
    assert.deepEqual([success, Object.keys(data)], [true, names])
    assert.deepEqual(data.index, { state: 'ready', reason: null, done: null, total: null })
    assert.deepEqual(Object.keys(data.embedding), ['model', 'pending', 'total', 'remaining_s', 'reason', 'next'])
    assert.deepEqual(Object.keys(data.disk), ['state', 'free_mb', 'min_free_mb'])
    assert.deepEqual(data.record, { state: 'ok', reason: null })
    assert.ok(data.disk.state === 'ok' && data.disk.free_mb > data.disk.min_free_mb && data.disk.min_free_mb > 0)
  })

  test(`${prefix}/me needs a key`, async () => {
    assert.equal((await ask('GET', `${prefix}/me`, { key: null })).status, 401)
    assert.equal((await ok('GET', `${prefix}/me`)).role, 'admin')
  })
}

test('an invalid key does not affect public routes', async () => {
  await ok('GET', '/health', { key: 'nonsense' })
})

test('readiness counts what is accepted and what is searchable', async () => {
  const before = (await ok('GET', '/health/ready')).data.accepted_seq
  await ok('POST', '/service-api/ingestion', { body: { document: documentOf('x', { id: 'ready' }) } })
  const { data } = await ok('GET', '/health/ready')
  assert.ok(data.accepted_seq > before)
  assert.ok(data.pending >= 0 && data.pending <= data.accepted_seq - data.indexed_seq)
  const isCaughtUp = async () => {
    const { data: now } = await ok('GET', '/health/ready')
    return now.pending === 0 && now.indexed_seq === now.accepted_seq
  }
  assert.ok(await waitFor(isCaughtUp, 'everything to be searchable'))
})
