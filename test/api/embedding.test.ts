// Vectors follow the text, by the model that comes with the program.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startServer, waitFor } from '../server.ts'
import { asking } from './ask.ts'
import { documentOf, stepsOf } from './steps.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'pharos-embedding-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))

const MODEL = 'all-MiniLM-L6-v2-int8'
/** A cold model on a busy machine takes its time. */
const PATIENCE_MS = 60_000

async function open(env: Record<string, string>) {
  const server = await startServer({ dataDir, env: { LOG_LEVEL: 'warn', ...env } })
  const steps = stepsOf(asking(server))
  const embedding = async () => (await steps.ok('GET', '/health/ready')).data.embedding
  const metric = async (name: string) => {
    const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec((await asking(server)('GET', '/metrics')).text) ?? []
    return Number(value ?? 0)
  }
  return { server, ...steps, embedding, metric }
}
type Opened = Awaited<ReturnType<typeof open>>

const complete = ({ embedding }: Opened, total: number) =>
  waitFor(
    async () => {
      const it = await embedding()
      return it.pending === 0 && it.total === total
    },
    'all vectors',
    PATIENCE_MS,
  )

const MADE = 'pharos_embedded_chunks_total\\{from="made"\\}'
const KEPT = 'pharos_embedded_chunks_total\\{from="kept"\\}'

test('a document is searchable at once, and has its vectors a moment later', { timeout: 2 * PATIENCE_MS }, async () => {
  const it = await open({ EMBEDDING: 'local' })
  await it.push(documentOf('Everybody has 30 days of paid leave a year.', { id: 'leave' }))
  await it.push(documentOf('The printer is on the second floor.', { id: 'printer' }))
  const receipt = await waitFor(
    async () => {
      const receipt = await it.receipt('leave')
      return receipt.embedded_at !== null && receipt
    },
    'the receipt to tell of the vectors',
    PATIENCE_MS,
  )
  assert.ok(Date.parse(receipt.embedded_at) >= Date.parse(receipt.indexed_at))
  await complete(it, 2)
  assert.deepEqual(await it.embedding(), { model: MODEL, pending: 0, total: 2, remaining_s: null, reason: null })
  assert.deepEqual([await it.metric(MADE), await it.metric(KEPT)], [2, 0])
  assert.deepEqual([await it.metric('pharos_index_vectors'), await it.metric('pharos_index_vectors_missing')], [2, 0])
  await it.server.stop()
})

test('vectors survive a restart, and a program without a model says so', { timeout: 2 * PATIENCE_MS }, async () => {
  const again = await open({ EMBEDDING: 'local' })
  assert.deepEqual(await again.embedding(), { model: MODEL, pending: 0, total: 2, remaining_s: null, reason: null })
  await again.server.stop()
  const without = await open({ EMBEDDING: 'off' })
  assert.deepEqual(await without.embedding(), {
    model: null,
    pending: 0,
    total: 0,
    remaining_s: null,
    reason: 'EMBEDDING is off',
  })
  assert.equal((await without.search('printer')).results.length, 1)
  await without.server.stop()
})

test('an index that is made anew, and a model that comes back, make no vector twice', {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const it = await open({ EMBEDDING: 'local' })
  await complete(it, 2)
  await it.ok('POST', '/admin/reindex')
  await waitFor(
    async () => (await it.ok('GET', '/admin/reindex')).last?.status === 'success',
    'the new index',
    PATIENCE_MS,
  )
  // It had them before it took over.
  assert.deepEqual(await it.embedding(), { model: MODEL, pending: 0, total: 2, remaining_s: null, reason: null })
  assert.deepEqual([await it.metric(MADE), await it.metric(KEPT)], [0, 2])
  await it.server.stop()
})

/** Speaks the documented wire: https://platform.openai.com/docs/api-reference/embeddings */
async function modelServer(dimension: number) {
  const seen = { texts: 0, keys: new Set<string | undefined>() }
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const it of request) pieces.push(it as Buffer)
    const { input } = JSON.parse(Buffer.concat(pieces).toString()) as { input: string[] }
    seen.texts += input.length
    seen.keys.add(request.headers.authorization)
    const data = input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: Array.from({ length: dimension }, (_, at) => (text.codePointAt(at % text.length) ?? 0) + at),
    }))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const end = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  after(() => server.listening && end())
  return { seen, end, url: `http://127.0.0.1:${port}/v1` }
}

test('the model of a server takes over, and its vectors outlive it', { timeout: 2 * PATIENCE_MS }, async () => {
  const model = await modelServer(8)
  const env = {
    EMBEDDING: 'openai',
    EMBEDDING_URL: model.url,
    EMBEDDING_MODEL: 'eight',
    EMBEDDING_KEY: 'key-of-the-model',
  }
  const it = await open({ ...env, LOG_LEVEL: 'debug' })
  await complete(it, 2)
  assert.deepEqual(await it.embedding(), {
    model: 'openai:eight',
    pending: 0,
    total: 2,
    remaining_s: null,
    reason: null,
  })
  assert.deepEqual([...model.seen.keys], ['Bearer key-of-the-model'])
  await it.server.stop()
  assert.ok(!it.server.output().includes('key-of-the-model'))

  await model.end()
  const again = await open(env)
  assert.deepEqual(await again.embedding(), {
    model: 'openai:eight',
    pending: 0,
    total: 2,
    remaining_s: null,
    reason: null,
  })
  await again.push(documentOf('Pushed while the model is away.', { id: 'later' }))
  const { reason } = await waitFor(
    async () => {
      const state = await again.embedding()
      return state.reason !== null && state
    },
    'the reason',
    PATIENCE_MS,
  )
  assert.match(reason, /^the server cannot be reached: ECONNREFUSED; will be tried again at 2\d{3}-/)
  assert.equal((await again.search('away')).results.length, 1)
  await again.server.stop()
})

test('a model that has never answered keeps nobody from starting', { timeout: 2 * PATIENCE_MS }, async () => {
  const it = await open({ EMBEDDING: 'openai', EMBEDDING_URL: 'http://127.0.0.1:1/v1', EMBEDDING_MODEL: 'unknown' })
  const { model, reason } = await it.embedding()
  assert.equal(model, null)
  assert.match(reason, /^the server cannot be reached: .*start this program again/)
  assert.equal((await it.search('printer')).results.length, 1)
  await it.server.stop()
})
