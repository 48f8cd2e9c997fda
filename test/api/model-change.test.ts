// A change of the embedding model: search uses the former model until the new one has all vectors.
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startServer, waitFor } from '../server.ts'
import { type Asked, type EmbeddingServer, startEmbeddingServer } from './embedding-server.ts'
import { createRequester } from './request.ts'
import { createSetup, documentOf } from './setup.ts'

const LOCAL = 'all-MiniLM-L6-v2-int8'
/** A cold model is slow on a busy machine. */
const TIMEOUT_MS = 120_000
const timeout = 2 * TIMEOUT_MS
/** More texts than one request to the model has. */
const DOCUMENTS = 80

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-model-'))
  folders.push(folder)
  return folder
}

async function open(dataDir: string, env: Record<string, string>) {
  const server = await startServer({ dataDir, env: { LOG_LEVEL: 'info', ...env } })
  const steps = createSetup(createRequester(server))
  const embedding = async () => (await steps.ok('GET', '/health/ready')).data.embedding
  const status = () => steps.ok('GET', '/admin/reindex')
  const until = (wanted: (it: Awaited<ReturnType<typeof embedding>>) => boolean, what: string) =>
    waitFor(async () => wanted(await embedding()), what, TIMEOUT_MS)
  return {
    server,
    ...steps,
    embedding,
    status,
    /** Waits until every chunk has a vector of this model. */
    whole: (model: string) =>
      until((it) => it.model === model && it.pending === 0 && it.total >= DOCUMENTS, `all vectors of ${model}`),
    begun: () => waitFor(async () => (await status()).building ?? false, 'a new index', TIMEOUT_MS),
    byMeaning: () =>
      waitFor(
        async () => (await steps.search('a flower')).ranked_by === 'both',
        'a ranking by words and meaning',
        TIMEOUT_MS,
      ),
  }
}
type Opened = Awaited<ReturnType<typeof open>>

async function fill({ push }: Opened, count = DOCUMENTS): Promise<void> {
  const texts = Array.from({ length: count }, (_, at) => `heliotrope ${at}`)
  await Promise.all(texts.map((text, at) => push(documentOf(text, { id: `d${at}` }))))
}

/** Folders by the model of their vectors; only copies of them are used. */
const kept = new Map<string, string>()

/** Creates a folder whose index has the vectors of that model. Filling one takes longer than most of these tests. */
async function filled(env: Record<string, string>, model: string): Promise<string> {
  // A copied folder would not bring its database along.
  if (process.env.TEST_POSTGRES !== undefined) return fillFolder(env, model)
  const original = kept.get(model) ?? (await fillFolder(env, model))
  kept.set(model, original)
  const dataDir = newFolder()
  cpSync(original, dataDir, { recursive: true, preserveTimestamps: true })
  return dataDir
}

async function fillFolder(env: Record<string, string>, model: string): Promise<string> {
  const dataDir = newFolder()
  const it = await open(dataDir, env)
  await fill(it)
  await it.whole(model)
  await it.server.stop()
  return dataDir
}

/** Batches of index texts. Queries, and the texts that measure the model, are sent alone. */
const isBatch = ({ input }: Asked) => input.length > 8

/** After this many batches the model waits for this call. It answers queries at once. */
function gate({ script }: EmbeddingServer, batches = 0): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  let count = 0
  script.before = (asked) => (isBatch(asked) && count++ >= batches ? promise : undefined)
  return resolve
}

/** Searches without a pause and returns the number of searches. Fails if one finds fewer documents. */
function searching({ search, status }: Opened): Promise<number> {
  const run = async () => {
    for (let count = 1; ; count++) {
      const isLast = (await status()).building === null
      const { total } = await search('heliotrope')
      assert.ok(total >= DOCUMENTS, `${total} found at search ${count}`)
      if (isLast) return count
    }
  }
  return run()
}

const LOCALLY = { EMBEDDING: 'local' }

test('searches find all documents, lexically and semantically, while a new model computes vectors', {
  timeout,
}, async () => {
  const dataDir = await filled(LOCALLY, LOCAL)
  const model = await startEmbeddingServer({ eight: 8 })
  const release = gate(model)
  const it = await open(dataDir, model.env('eight'))
  const { generation, model: name } = await it.begun()
  assert.deepEqual([(await it.status()).model, name], [LOCAL, 'openai:eight'])
  await it.byMeaning()
  // The new index follows the changes of the record first.
  const { next, ...now } = await waitFor(
    async () => {
      const embedding = await it.embedding()
      return embedding.next?.total === DOCUMENTS ? embedding : undefined
    },
    'the new index to hold all documents',
    TIMEOUT_MS,
  )
  assert.deepEqual([now.model, next.model, next.pending], [LOCAL, 'openai:eight', DOCUMENTS])
  const searched = searching(it)
  await it.push(documentOf('heliotrope of late', { id: 'later' }))
  const embedded = () => waitFor(async () => (await it.receipt('later')).embedded_at !== null, 'its vector', TIMEOUT_MS)
  await embedded()
  release()
  let pushed = DOCUMENTS + 1
  // It also takes over while documents arrive without a pause.
  while ((await it.status()).building !== null) await it.push(documentOf('heliotrope too', { id: `more${pushed++}` }))
  assert.ok((await searched) > 1)
  const { last, ...after } = await it.status()
  assert.deepEqual([after.generation, after.model, last.status], [generation, 'openai:eight', 'success'])
  // It took over with all vectors except those of the last documents.
  const { model: present, total, pending } = await it.embedding()
  assert.deepEqual([present, total], ['openai:eight', pushed])
  assert.ok(total - pending >= DOCUMENTS)
  await it.whole('openai:eight')
  await it.byMeaning()
  assert.match(it.server.output(), /"estimated_tokens":\d+.*the settings name another embedding model/)
  await it.server.stop()
})

test('a model change continues after a kill and requests no vector twice', { timeout }, async () => {
  const model = await startEmbeddingServer({ eight: 8, four: 4 })
  const dataDir = await filled(model.env('eight'), 'openai:eight')
  model.seen.length = 0
  gate(model, 1)
  const interrupted = await open(dataDir, model.env('four'))
  const { generation } = await interrupted.begun()
  const pending = async () => (await interrupted.embedding()).next.pending
  await waitFor(async () => (await pending()) < DOCUMENTS, 'some vectors', TIMEOUT_MS)
  await interrupted.server.kill()
  const made = new Set(model.seen.find(isBatch)?.input)
  model.seen.length = 0
  model.script.before = () => {}
  const it = await open(dataDir, model.env('four'))
  await it.whole('openai:four')
  const asked = model.seen.flatMap(({ input }) => input)
  assert.deepEqual([(await it.status()).generation, asked.filter((text) => made.has(text))], [generation, []])
  assert.ok(made.size > 8 && asked.length >= DOCUMENTS - made.size)
  await it.server.stop()
})

test('a canceled model change does not restart by itself, and a requested one reuses its vectors', {
  timeout,
}, async () => {
  const model = await startEmbeddingServer({ eight: 8, four: 4 })
  const dataDir = await filled(model.env('eight'), 'openai:eight')
  gate(model, 1)
  const first = await open(dataDir, model.env('four'))
  await first.begun()
  await waitFor(async () => (await first.embedding()).next.pending < DOCUMENTS, 'some vectors', TIMEOUT_MS)
  await first.ok('DELETE', '/admin/reindex')
  const { reason, next } = await first.embedding()
  assert.match(reason, /^the index for openai:four was canceled; start it with POST \/admin\/reindex/)
  assert.equal(next, null)
  await first.server.stop()

  model.script.before = () => {}
  const it = await open(dataDir, model.env('four'))
  await it.push(documentOf('heliotrope of late', { id: 'later' }))
  await it.whole('openai:eight')
  assert.deepEqual([(await it.status()).building, (await it.embedding()).reason], [null, reason])
  await it.byMeaning()
  const cost = await it.ok('GET', '/admin/reindex/estimate')
  assert.deepEqual(Object.keys(cost), [
    'documents',
    'chunks',
    'disk_bytes',
    'kept_vectors',
    'new_vectors',
    'estimated_tokens',
    'model',
    'estimated_s',
    'reason',
  ])
  const { documents, chunks, kept_vectors, new_vectors } = cost
  assert.deepEqual([cost.model, documents, chunks, cost.reason], ['openai:four', DOCUMENTS + 1, DOCUMENTS + 1, null])
  assert.ok(kept_vectors > 8 && kept_vectors < DOCUMENTS && kept_vectors + new_vectors === chunks)
  // Each text is "A note" and about three words, shorter than 40 letters.
  assert.ok(cost.estimated_tokens > 0 && cost.estimated_tokens <= 10 * new_vectors, cost.estimated_tokens)
  assert.ok(cost.estimated_s >= 0)
  model.seen.length = 0
  await it.ok('POST', '/admin/reindex')
  await it.whole('openai:four')
  assert.equal(model.seen.filter((asked) => asked.input.length > 1).flatMap(({ input }) => input).length, new_vectors)
  await it.server.stop()
})

test('with another model of the same server, the former one serves until the switch, and reverting drops the new index', {
  timeout,
}, async () => {
  const model = await startEmbeddingServer({ eight: 8, four: 4 })
  const dataDir = await filled(model.env('eight'), 'openai:eight')
  const release = gate(model)
  const it = await open(dataDir, model.env('four'))
  const { generation } = await it.begun()
  model.seen.length = 0
  await it.byMeaning()
  assert.ok(model.seen.some((asked) => asked.model === 'eight' && asked.input.includes('a flower')))
  await it.server.stop()
  release()

  model.seen.length = 0
  const back = await open(dataDir, model.env('eight'))
  const { building, ...status } = await back.status()
  assert.deepEqual([status.model, status.generation < generation, building], ['openai:eight', true, null])
  await back.whole('openai:eight')
  assert.deepEqual(model.seen, [])
  assert.match(back.server.output(), /index generation dropped: the settings name another model/)
  await back.server.stop()
})

test('a model name that the server does not know loses nothing', { timeout }, async () => {
  const model = await startEmbeddingServer({ eight: 8 })
  const dataDir = await filled(model.env('eight'), 'openai:eight')
  const it = await open(dataDir, model.env('ieght'))
  await it.byMeaning()
  const { reason, ...state } = await it.embedding()
  assert.deepEqual([state.model, state.pending, state.next], ['openai:eight', 0, null])
  assert.match(reason, /^the server answered 404: .*there is no model ieght; retrying until it responds$/)
  await it.server.stop()
})

test('a model server is used as soon as it responds, without a restart', { timeout }, async () => {
  const away = await startEmbeddingServer({ eight: 8 })
  await away.end()
  const it = await open(newFolder(), away.env('eight'))
  const { model, reason } = await it.embedding()
  assert.equal(model, null)
  assert.match(reason, /^the server cannot be reached: ECONNREFUSED; retrying until it responds$/)
  await fill(it)
  assert.equal((await it.search('heliotrope')).total, DOCUMENTS)
  const there = await startEmbeddingServer({ eight: 8 }, away.port)
  const searched = searching(it)
  await it.whole('openai:eight')
  await searched
  await it.byMeaning()
  assert.ok(there.seen.length > 0)
  await it.server.stop()
})

test('vectors are kept without a model until one is configured again', { timeout }, async () => {
  const model = await startEmbeddingServer({ eight: 8 })
  const dataDir = await filled(model.env('eight'), 'openai:eight')
  const off = await open(dataDir, { EMBEDDING: 'off' })
  await off.push(documentOf('heliotrope of late', { id: 'later' }))
  const { building, model: kept } = await off.status()
  assert.deepEqual([building, kept, (await off.embedding()).model], [null, 'openai:eight', null])
  assert.equal((await off.search('heliotrope')).ranked_by, 'words')
  await off.server.stop()
  model.seen.length = 0
  const it = await open(dataDir, model.env('eight'))
  await it.whole('openai:eight')
  assert.equal(model.seen.flatMap(({ input }) => input).length, 1)
  await it.server.stop()
})
