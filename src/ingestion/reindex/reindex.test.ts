import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, beforeEach, test } from 'node:test'
import { contentOf } from '../../../test/document-content.ts'
import { accessForPerson } from '../../domain/access.ts'
import { type ConfiguredEmbedder, createEmbedders } from '../../inference/embedders.ts'
import type { BuildingGeneration, Generation, Generations, RebuildReason } from '../../search-index/generations.ts'
import { openPlainIndex } from '../../search-index/plain/plain-index.ts'
import type { IndexBatch, SearchIndex, VectorOptions } from '../../search-index/search-index.ts'
import type { Database } from '../../store/database/database.ts'
import { acceptDocuments } from '../../store/documents/accept-documents.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import { createIndexer, type Indexer } from '../index/indexer.ts'
import { getReceipt } from '../push/receipt.ts'
import { reindexOffline } from './offline.ts'
import { trackRebuild } from './rebuild-tracker.ts'
import { createReindex, type Reindex } from './reindex.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-reindex-'))
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
let name = 0
let time = 1_000_000
let db: Database
let generations: ReturnType<typeof plainGenerations>
let indexer: Indexer
let reindex: Reindex
let stop: () => Promise<void>
let passing: (name: string) => void

/** The configured model, whether the new index has all vectors, and how often a new model was announced. */
let configured: ConfiguredEmbedder
let isEmbedded: boolean
let announced: number
let onChange: () => void
const OLD = { model: 'old', dimension: 3 }
const NEW = { model: 'new', dimension: 4 }
const embedders = createEmbedders({ configured: { kind: 'off' }, open: () => null, logger: quiet, onReady() {} })

/** Decides which batches an index of a generation rejects. */
let refuses: (generation: number, batch: IndexBatch) => boolean

function plainGenerations(vectors: VectorOptions | null = null) {
  let pendingRebuild: ReturnType<Generations['pendingRebuild']> = null
  let serving: Generation = { generation: 1, index: plain(1, vectors), vectors }
  let building: BuildingGeneration | null = null
  let declined: string | null = null
  let isOutdated = false
  const own: Generations & {
    setPendingRebuild(reason: RebuildReason, until: number): void
    setOutdated(): void
  } = {
    serving: { ...always(), close: async () => {} },
    servingNumber: () => serving.generation,
    vectors: () => serving.vectors,
    lease: (work) => work(serving),
    declinedModel: () => declined,
    pendingRebuild: () => pendingRebuild,
    finishRebuild: async () => {
      pendingRebuild = null
    },
    setPendingRebuild(reason, until) {
      pendingRebuild = { reason, until }
    },
    isOutdated: () => isOutdated,
    setOutdated() {
      isOutdated = true
    },
    building: () => building,
    async startBuilding(since, vectors) {
      const generation = serving.generation + 1
      building = { generation, since, index: plain(generation, vectors), vectors }
      return building
    },
    flushBuilding: async () => {},
    diskBytes: async () => 0,
    async promote() {
      serving = building!
      building = null
      isOutdated = false
    },
    async dropBuilding() {
      declined = building?.vectors?.model ?? null
      building = null
      isOutdated = false
    },
    close: async () => {},
  }
  function always(): SearchIndex {
    return {
      apply: (batch) => serving.index.apply(batch),
      search: (query) => serving.index.search(query),
      chunks: (places) => serving.index.chunks(places),
      chunksWithMatches: (query, places) => serving.index.chunksWithMatches(query, places),
      stats: () => serving.index.stats(),
      chunksWithoutVector: (page) => serving.index.chunksWithoutVector(page),
      setVectors: (vectors) => serving.index.setVectors(vectors),
      nearest: (query) => serving.index.nearest(query),
      candidates: (query) => serving.index.candidates(query),
      terms: (query) => serving.index.terms(query),
      close: async () => {},
    }
  }
  return own
}

function plain(generation: number, vectors: VectorOptions | null): SearchIndex {
  const index = openPlainIndex(vectors === null ? {} : { vectors })
  return {
    ...index,
    async apply(batch) {
      if (refuses(generation, batch)) throw new Error('the index refuses')
      await index.apply(batch)
    },
  }
}

beforeEach(async () => {
  db = await openSqlite({ path: join(folder, `${name++}.db`), failpoint: null, onFatal: assert.fail })
  refuses = () => false
  passing = () => {}
  configured = { kind: 'off' }
  isEmbedded = false
  announced = 0
  onChange = () => {}
  generations = plainGenerations()
  await start()
})
afterEach(async () => {
  await stop()
  await db.close()
})
after(() => rmSync(folder, { recursive: true }))

async function start(): Promise<void> {
  const needs = { db, generations, logger: quiet, now: () => time, failpoint: (it: string) => passing(it) }
  const rebuild = await trackRebuild(needs)
  indexer = await createIndexer({
    ...needs,
    searchIndex: generations.serving,
    onAdvance: rebuild.advance,
    buildingIndex: () => generations.building()?.index ?? null,
  })
  reindex = createReindex({
    ...needs,
    indexer,
    rebuildState: rebuild.state,
    embedders: { configured: () => configured },
    isEmbedded: async () => isEmbedded,
    onChange: () => onChange(),
    onNewModel: async () => void announced++,
  })
  const background = new AbortController()
  const working = Promise.all([indexer.run(background.signal), reindex.run(background.signal)])
  stop = async () => {
    background.abort()
    await working
  }
}

async function push(id: string, text = `text of ${id}`): Promise<number> {
  const [accepted] = await acceptDocuments(
    db,
    'all',
    [{ content: contentOf(id, text), ccPairId: 1, requestId: null }],
    time,
  )
  if (accepted instanceof Error) throw accepted
  indexer.wake(accepted!.seq)
  return accepted!.seq
}
const applied = (seq: number) => indexer.waitUntil(seq, AbortSignal.timeout(10_000))
const documents = async () => (await generations.serving.stats()).documents
const receiptOf = (id: string) => getReceipt({ db, indexer }, 'all', [id])

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 10_000; !(await condition()); ) {
    assert.ok(performance.now() < end, 'it took too long')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
const has = ({ upserts }: IndexBatch, id: string) => upserts.some((it) => it.document_id === id)
const ended = () => until(() => reindex.progress().status === 'idle')

test('a new index receives all documents, takes over and reports its progress', async () => {
  for (let at = 0; at < 120; at++) await push(`d${at}`)
  await applied(indexer.progress().accepted_seq)
  const steps: number[] = []
  passing = () => void steps.push(reindex.progress().building?.done ?? -1)
  const begun = await reindex.start()
  assert.deepEqual(
    [begun.status, begun.generation, begun.building?.generation, begun.building?.total],
    ['building', 1, 2, 120],
  )
  await ended()
  assert.deepEqual(
    [reindex.progress().generation, reindex.progress().last?.status, await documents()],
    [2, 'success', 120],
  )
  assert.deepEqual(steps.slice(0, 3), [0, 50, 100])
})

test('a new index contains documents that were added or changed during the build', async () => {
  for (let at = 0; at < 120; at++) await push(`d${at}`)
  await applied(indexer.progress().accepted_seq)
  const pushes: Promise<number>[] = []
  passing = (step) => {
    if (step === 'reindex-step' && pushes.length < 20)
      pushes.push(push(`d${pushes.length}`, 'changed'), push(`late${pushes.length}`))
  }
  await reindex.start()
  await ended()
  for (const seq of await Promise.all(pushes)) await applied(seq)
  assert.ok(pushes.length >= 6)
  assert.equal(await documents(), 120 + pushes.length / 2)
  const { total } = await generations.serving.search({
    text: 'changed',
    access: accessForPerson({ email: null, groups: [] }, [1]),
    filters: {},
    offset: 0,
    limit: 1,
  })
  assert.equal(total, pushes.length / 2)
})

test('a new index never overtakes the serving one, so that every receipt is written', async () => {
  refuses = (generation) => generation === 1
  await push('patient')
  await until(() => indexer.progress().waiting_for !== null)
  await reindex.start()
  await ended()
  assert.equal(await documents(), 0)
  indexer.wake(0)
  await applied(indexer.progress().accepted_seq)
  assert.deepEqual([(await receiptOf('patient')).status, await documents()], ['indexed', 1])
})

test('a document that only the new index rejects is reported and retried on both', async () => {
  await applied(await push('bad'))
  assert.equal((await receiptOf('bad')).status, 'indexed')
  refuses = (generation, batch) => generation === 2 && has(batch, 'bad')
  await reindex.start()
  await ended()
  assert.match((await receiptOf('bad')).reason!, /tried again.*the index refuses/)
  assert.equal(await documents(), 0)
  refuses = () => false
  time += 60_000
  await applied(await push('other'))
  await until(async () => (await receiptOf('bad')).status === 'indexed')
  assert.equal(await documents(), 2)
})

test('a retry during the build reaches the new index too', async () => {
  refuses = (_, batch) => has(batch, 'bad')
  await applied(await push('bad'))
  let isHeld = true
  passing = (step) => {
    if (step === 'reindex-step' && isHeld) throw new Error('held')
  }
  await reindex.start()
  await until(() => reindex.progress().building?.waiting_for === 'held')
  refuses = () => false
  time += 60_000
  await applied(await push('other'))
  await until(async () => (await receiptOf('bad')).status === 'indexed')
  assert.equal((await generations.building()!.index.stats()).documents, 1)
  isHeld = false
  await ended()
  assert.equal(await documents(), 2)
})

test('only one reindex runs at a time, and after a cancellation the serving index continues', async () => {
  await applied(await push('a'))
  passing = (step) => {
    if (step === 'reindex-step') throw new Error('held')
  }
  await assert.rejects(reindex.cancel(), { code: 'REINDEX_NOT_FOUND' })
  await reindex.start()
  await assert.rejects(reindex.start(), { code: 'REINDEX_UNDERWAY' })
  const { status, last, generation } = await reindex.cancel()
  assert.deepEqual([status, last?.status, generation, await documents()], ['idle', 'canceled', 1, 1])
  await applied(await push('b'))
  assert.equal(await documents(), 2)
})

test('a rebuild reports its progress, and no reindex can start during it', async () => {
  for (const id of ['a', 'b', 'c']) await push(id)
  const last = await push('a', 'changed')
  await applied(last)
  await stop()
  refuses = () => true
  generations = plainGenerations()
  generations.setPendingRebuild('missing', last)
  await start()
  const filling = await trackRebuild({ db, generations, logger: quiet, now: () => time })
  assert.deepEqual(filling.state(), { state: 'rebuilding', reason: 'missing', done: 0, total: 3 })
  await assert.rejects(reindex.start(), { code: 'INDEX_FILLING' })
  await filling.advance(2, last - 1)
  assert.deepEqual(filling.state(), { state: 'rebuilding', reason: 'missing', done: 2, total: 3 })
  refuses = () => false
  indexer.wake(0)
  await until(() => generations.pendingRebuild() === null)
  assert.deepEqual([filling.state().state, await documents()], ['ready', 3])
})

test('restoring an older record stalls the follower, which explains the fix', async () => {
  await applied(await push('a'))
  await db.updateTable('sequence').set({ value: 0 }).execute()
  indexer.wake(0)
  await until(() => indexer.progress().waiting_for !== null)
  assert.match(indexer.progress().waiting_for!, /older than the index; restart the service/)
})

test('an offline reindex promotes the new index in one call, and receipts are written', async () => {
  await applied(await push('a'))
  await stop()
  await push('b')
  const seen: number[] = []
  const options = {
    signal: AbortSignal.timeout(10_000),
    onProgress: ({ done }: { done: number }) => void seen.push(done),
  }
  await reindexOffline({ db, generations, embedders, logger: quiet, now: () => time, random: () => 0 }, options)
  assert.deepEqual([generations.servingNumber(), await documents(), seen.at(-1)], [2, 2, 2])
  await start()
  assert.equal((await receiptOf('b')).status, 'indexed')
  const aborted = { ...options, signal: AbortSignal.abort(new Error('stopped')) }
  await assert.rejects(
    reindexOffline({ db, generations, embedders, logger: quiet, now: () => time, random: () => 0 }, aborted),
    /stopped/,
  )
})

/** An index with vectors of the old model, and settings with the new one. */
async function switching(): Promise<void> {
  await stop()
  generations = plainGenerations(OLD)
  configured = { kind: 'ready', model: NEW }
  await start()
}

test('a reindex for a new model starts by itself after an announcement, and takes over with the last vector', async () => {
  await switching()
  await until(() => reindex.progress().building !== null)
  const { model, building } = reindex.progress()
  assert.deepEqual([model, building?.model, announced], ['old', 'new', 1])
  await applied(await push('a'))
  await until(async () => (await generations.building()!.index.stats()).documents === 1)
  assert.equal(generations.servingNumber(), 1)
  isEmbedded = true
  reindex.wake()
  await ended()
  assert.deepEqual([reindex.progress().model, announced, generations.declinedModel()], ['new', 1, null])
})

test('a reindex that waits for vectors reports a change only if there is one', async () => {
  let changes = 0
  // The embedding that is woken has nothing to do in the serving index, and says so.
  onChange = () => {
    changes++
    reindex.wake()
  }
  await switching()
  await until(() => reindex.progress().building !== null)
  await until(() => changes === 2)
  await applied(await push('a'))
  await until(() => changes === 3)
  isEmbedded = true
  await ended()
  assert.equal(changes, 4)
})

test('a canceled reindex does not restart by itself, but on request', async () => {
  await switching()
  await until(() => reindex.progress().building !== null)
  const { building } = await reindex.cancel()
  await stop()
  await start()
  await applied(await push('a'))
  assert.deepEqual([building, reindex.progress().building, announced], [null, null, 1])
  isEmbedded = true
  assert.equal((await reindex.start()).building?.model, 'new')
  await ended()
  assert.equal(reindex.progress().model, 'new')
})

test('a reindex for another analysis starts by itself with the same model, and not after it was canceled', async () => {
  await applied(await push('a'))
  generations.setOutdated()
  reindex.wake()
  await until(() => generations.servingNumber() === 2)
  await ended()
  assert.deepEqual([reindex.progress().last?.status, await documents(), announced], ['success', 1, 0])
  refuses = (generation) => generation === 3
  generations.setOutdated()
  reindex.wake()
  await until(() => reindex.progress().building?.generation === 3)
  await reindex.cancel()
  reindex.wake()
  await applied(await push('b'))
  assert.deepEqual([reindex.progress().building, generations.servingNumber()], [null, 2])
})

test('while the configured model does not respond, a new index uses the current model', async () => {
  await switching()
  await until(() => reindex.progress().building !== null)
  await reindex.cancel()
  configured = {
    kind: 'silent',
    name: 'new',
    reason: 'away',
    failures: 1,
    probeDimension: () => Promise.reject(new Error('away')),
  }
  assert.equal((await reindex.start()).building?.model, 'old')
  await ended()
  assert.equal(reindex.progress().model, 'old')
})

test('an index without vectors is replaced as soon as the new one has all texts', async () => {
  configured = { kind: 'ready', model: NEW }
  reindex.wake()
  await until(() => reindex.progress().model === 'new')
  assert.equal(announced, 1)
})
