import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, beforeEach, test } from 'node:test'
import { contentOf } from '../../test/document-content.ts'
import { openPlainIndex } from '../search-index/plain.ts'
import type { IndexBatch, SearchIndex } from '../search-index/search-index.ts'
import type { Database } from '../store/database.ts'
import { acceptDocuments } from '../store/documents.ts'
import { openSqlite } from '../store/sqlite.ts'
import type { QueueLimits } from './backlog.ts'
import { createIndexer, type Indexer } from './indexer.ts'
import { getReceipt } from './receipt.ts'
import { retryFailed } from './retry.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-indexer-'))
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
let name = 0
let time = 1_000_000
let db: Database
let index: SearchIndex
let refuses: (batch: IndexBatch) => boolean
let stop: () => Promise<void>
let indexer: Indexer

beforeEach(async () => {
  db = await openSqlite({ path: join(folder, `${name++}.db`), failpoint: null, onFatal: assert.fail })
  const plain = openPlainIndex()
  refuses = () => false
  index = {
    ...plain,
    apply: async (batch) => {
      if (refuses(batch)) throw new Error('the index refuses')
      return plain.apply(batch)
    },
  }
  await start()
})
afterEach(async () => {
  await stop()
  await db.close()
})
after(() => rmSync(folder, { recursive: true }))

async function start(limits?: QueueLimits): Promise<void> {
  const background = new AbortController()
  const needs = { db, searchIndex: index, logger: quiet, now: () => time, failpoint: () => {} }
  indexer = await createIndexer({ ...needs, ...(limits && { limits }) })
  const running = indexer.run(background.signal)
  stop = async () => {
    background.abort()
    await running
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
  indexer.wake(accepted!.seq, accepted!.addedBytes)
  return accepted!.seq
}
const applied = (seq: number) => indexer.waitUntil(seq, AbortSignal.timeout(5_000))
const statusOf = async (id: string) => (await getReceipt({ db, indexer }, 'all', [id])).status

test('what is accepted is applied, and its receipt says so', async () => {
  await applied(await push('a'))
  const receipt = await getReceipt({ db, indexer }, 'all', ['a'])
  assert.equal(receipt.status, 'indexed')
  assert.equal(receipt.chunk_count, 1)
})

test('a document that the index refuses fails alone, with the reason, and waits for its next try', async () => {
  refuses = (batch) => batch.upserts.some((it) => it.document_id === 'bad')
  const last = (await Promise.all([push('good'), push('bad'), push('fine')])).at(-1)!
  assert.ok(await applied(last))
  assert.deepEqual([await statusOf('good'), await statusOf('fine')], ['indexed', 'indexed'])
  const receipt = await getReceipt({ db, indexer }, 'all', ['bad'])
  assert.equal(receipt.status, 'accepted')
  assert.match(receipt.reason!, /tried again.*the index refuses/)
})

test('it is tried again when its time has come, and is found then', async () => {
  refuses = (batch) => batch.upserts.some((it) => it.document_id === 'bad')
  await applied(await push('bad'))
  refuses = () => false
  time += 60_000
  await applied(await push('other'))
  while ((await statusOf('bad')) !== 'indexed') await applied(await push('other', `again ${time++}`))
  assert.equal((await getReceipt({ db, indexer }, 'all', ['bad'])).attempts, 0)
})

test('after the last try it is failed, and a new version gets a new chance', async () => {
  refuses = (batch) => batch.upserts.some((it) => it.document_id === 'bad')
  await applied(await push('bad'))
  for (let turn = 0; (await statusOf('bad')) !== 'failed'; turn++) {
    assert.ok(turn < 50)
    time += 3_600_000
    await applied(await push('other', `turn ${turn}`))
  }
  refuses = () => false
  await applied(await push('bad', 'better'))
  assert.equal(await statusOf('bad'), 'indexed')
})

test('a document that was given up is tried again when somebody asks for it, and says how', async () => {
  refuses = (batch) => batch.upserts.some((it) => it.document_id === 'bad')
  await applied(await push('bad'))
  for (let turn = 0; (await statusOf('bad')) !== 'failed'; turn++) {
    assert.ok(turn < 50)
    time += 3_600_000
    await applied(await push('other', `turn ${turn}`))
  }
  const { reason } = await getReceipt({ db, indexer }, 'all', ['bad'])
  assert.equal(
    reason,
    'given up after 6 tries; POST /service-api/ingestion/retry tries again; last error: the index refuses',
  )
  const needs = { db, indexer, now: () => time }
  assert.equal(await retryFailed(needs, [99], 'all'), 0)
  assert.equal(await retryFailed(needs, 'all', { document_ids: ['other', 'nobody'] }), 0)
  refuses = () => false
  assert.equal(await retryFailed(needs, [1], { document_ids: ['bad', 'other'] }), 1)
  while ((await statusOf('bad')) !== 'indexed') await new Promise((resolve) => setImmediate(resolve))
  assert.equal(await retryFailed(needs, 'all', 'all'), 0)
})

test('an index that refuses everything blames no document; the follower goes on when it recovers', async () => {
  refuses = () => true
  const seq = await push('patient')
  while (indexer.progress().waiting_for === null) await new Promise((resolve) => setImmediate(resolve))
  assert.match((await getReceipt({ db, indexer }, 'all', ['patient'])).reason!, /does not take documents/)
  refuses = () => false
  indexer.wake(seq)
  assert.ok(await applied(seq))
  assert.equal(await statusOf('patient'), 'indexed')
})

test('an index that lost everything is filled again from the record', async () => {
  await applied(await push('kept'))
  await stop()
  index = openPlainIndex()
  await start()
  assert.ok(await applied(indexer.progress().accepted_seq))
  assert.equal((await index.stats()).documents, 1)
  assert.equal(await statusOf('kept'), 'indexed')
})

test('what the index has and nobody has told of, because a crash came between, gets its receipt', async () => {
  await applied(await push('told'))
  await stop()
  const seq = await push('untold')
  await index.apply({ upserts: [], deletes: [], position: seq })
  await start()
  assert.ok(await applied(seq))
  assert.deepEqual([await statusOf('untold'), (await index.stats()).documents], ['indexed', 2])
})

test('the newest version wins, however many came while the first one waited', async () => {
  refuses = () => true
  await push('a', 'first')
  const last = await push('a', 'second')
  refuses = () => false
  indexer.wake(last)
  await applied(last)
  assert.equal((await index.stats()).documents, 1)
})

const isFull = () => {
  try {
    indexer.checkRoom()
    return false
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'QUEUE_FULL')
    return true
  }
}

for (const [what, limits] of [
  ['documents', { documents: 2, bytes: 1_000_000 }],
  ['bytes', { documents: 1_000, bytes: 2_000 }],
] as const) {
  test(`a queue that is full by its ${what} takes no more, also after a start, until something is indexed`, async () => {
    await stop()
    await start(limits)
    refuses = () => true
    await push('first', 'x'.repeat(1_000))
    assert.ok(!isFull())
    const last = await push('second', 'x'.repeat(1_000))
    assert.ok(isFull())
    await stop()
    await start(limits)
    assert.ok(isFull())
    refuses = () => false
    indexer.wake(last)
    await applied(last)
    assert.ok(!isFull())
  })
}

test('a document that is replaced while it waits fills the queue once', async () => {
  await stop()
  await start({ documents: 1_000, bytes: 5_000 })
  refuses = () => true
  for (let version = 0; version < 10; version++) await push('same', `${version}`.repeat(1_000))
  assert.ok(isFull())
  time += 60_000
  while (isFull()) await new Promise((resolve) => setImmediate(resolve))
})

test('a version that changes nothing takes no room', async () => {
  await stop()
  await start({ documents: 2, bytes: 1_000_000 })
  refuses = () => true
  for (let again = 0; again < 10; again++) await push('equal')
  assert.ok(!isFull())
})
