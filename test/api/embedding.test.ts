// Vectors of documents, computed by the bundled model.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startServer, waitFor } from '../server.ts'
import { startEmbeddingServer } from './embedding-server.ts'
import { createRequester } from './request.ts'
import { createSetup, documentOf } from './setup.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'pharos-embedding-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))

const MODEL = 'all-MiniLM-L6-v2-int8'
/** Loading the model takes long on a busy machine. */
const TIMEOUT_MS = 60_000

async function open(env: Record<string, string>) {
  const server = await startServer({ dataDir, env: { LOG_LEVEL: 'warn', ...env } })
  const steps = createSetup(createRequester(server))
  const embedding = async () => (await steps.ok('GET', '/health/ready')).data.embedding
  const metric = async (name: string) => {
    const [, value] =
      new RegExp(`^${name} (\\S+)$`, 'm').exec((await createRequester(server)('GET', '/metrics')).text) ?? []
    return Number(value ?? 0)
  }
  return { server, ...steps, embedding, metric }
}
type Opened = Awaited<ReturnType<typeof open>>

const complete = ({ embedding }: Opened, total: number, model = MODEL) =>
  waitFor(
    async () => {
      const it = await embedding()
      return it.pending === 0 && it.total === total && it.model === model
    },
    'all vectors',
    TIMEOUT_MS,
  )

const whole = (model: string) => ({ model, pending: 0, total: 2, remaining_s: null, reason: null, next: null })

const MADE = 'pharos_embedded_chunks_total\\{from="made"\\}'
const KEPT = 'pharos_embedded_chunks_total\\{from="kept"\\}'

test('the model reports nothing to anyone and leaves no files at home', { timeout: 2 * TIMEOUT_MS }, async () => {
  const home = mkdtempSync(join(tmpdir(), 'pharos-home-'))
  after(() => rmSync(home, { recursive: true, force: true }))
  const server = await startServer({ env: { EMBEDDING: 'local', HOME: home, TMPDIR: home } })
  const { push, receipt } = createSetup(createRequester(server))
  await push(documentOf('Everybody has 30 days of paid leave a year.', { id: 'leave' }))
  await waitFor(async () => (await receipt('leave')).embedded_at !== null, 'a vector', TIMEOUT_MS)
  await server.stop()
  assert.deepEqual(readdirSync(home, { recursive: true }), [])
})

test('without its files the multilingual model is named as missing, and documents are found by words', async () => {
  const server = await startServer({ env: { EMBEDDING: 'multilingual' } })
  const ask = createRequester(server)
  const { push, ok } = createSetup(ask)
  await push(documentOf('Everybody has 30 days of paid leave a year.', { id: 'leave' }))
  const { embedding } = (await ok('GET', '/health/ready')).data
  assert.match(embedding.reason, /run "pharos model add multilingual" and restart the service/)
  const { results } = await ok('POST', '/search', { body: { query: 'paid leave' } })
  assert.deepEqual(
    results.map((it: { document_id: string }) => it.document_id),
    ['leave'],
  )
})

test('a document is searchable at once and gets its vectors later', { timeout: 2 * TIMEOUT_MS }, async () => {
  const it = await open({ EMBEDDING: 'local' })
  await it.push(documentOf('Everybody has 30 days of paid leave a year.', { id: 'leave' }))
  await it.push(documentOf('The printer is on the second floor.', { id: 'printer' }))
  const receipt = await waitFor(
    async () => {
      const receipt = await it.receipt('leave')
      return receipt.embedded_at !== null && receipt
    },
    'the receipt to report the vectors',
    TIMEOUT_MS,
  )
  assert.ok(Date.parse(receipt.embedded_at) >= Date.parse(receipt.indexed_at))
  await complete(it, 2)
  assert.deepEqual(await it.embedding(), whole(MODEL))
  assert.deepEqual([await it.metric(MADE), await it.metric(KEPT)], [2, 0])
  assert.deepEqual([await it.metric('pharos_index_vectors'), await it.metric('pharos_index_vectors_missing')], [2, 0])
  await it.server.stop()
})

test('vectors survive a restart, and a service without a model reports it', { timeout: 2 * TIMEOUT_MS }, async () => {
  const again = await open({ EMBEDDING: 'local' })
  assert.deepEqual(await again.embedding(), whole(MODEL))
  await again.server.stop()
  const without = await open({ EMBEDDING: 'off' })
  assert.deepEqual(await without.embedding(), {
    model: null,
    pending: 0,
    total: 0,
    remaining_s: null,
    reason: 'EMBEDDING is off',
    next: null,
  })
  assert.equal((await without.search('printer')).results.length, 1)
  await without.server.stop()
})

test('rebuilding the index or restoring a model does not recompute vectors', {
  timeout: 2 * TIMEOUT_MS,
}, async () => {
  const it = await open({ EMBEDDING: 'local' })
  await complete(it, 2)
  await it.ok('POST', '/admin/reindex')
  await waitFor(
    async () => (await it.ok('GET', '/admin/reindex')).last?.status === 'success',
    'the new index',
    TIMEOUT_MS,
  )
  // The new index had its vectors before it took over.
  assert.deepEqual(await it.embedding(), whole(MODEL))
  assert.equal(await it.metric(MADE), 0)
  await it.server.stop()
})

test('a model on a server takes over, and its vectors remain when it is gone', {
  timeout: 2 * TIMEOUT_MS,
}, async () => {
  const model = await startEmbeddingServer({ eight: 8 })
  const env = { ...model.env('eight'), EMBEDDING_KEY: 'key-of-the-model' }
  const it = await open({ ...env, LOG_LEVEL: 'debug' })
  await complete(it, 2, 'openai:eight')
  assert.deepEqual(await it.embedding(), whole('openai:eight'))
  assert.ok(model.seen.every((asked) => asked.key === 'Bearer key-of-the-model'))
  await it.server.stop()
  assert.ok(!it.server.output().includes('key-of-the-model'))

  await model.end()
  const again = await open(env)
  assert.deepEqual(await again.embedding(), whole('openai:eight'))
  await again.push(documentOf('Pushed while the model is away.', { id: 'later' }))
  const { reason } = await waitFor(
    async () => {
      const state = await again.embedding()
      return state.reason !== null && state
    },
    'the reason',
    TIMEOUT_MS,
  )
  assert.match(reason, /^the server cannot be reached: ECONNREFUSED; will be tried again at 2\d{3}-/)
  assert.equal((await again.search('away')).results.length, 1)
  await again.server.stop()
})
