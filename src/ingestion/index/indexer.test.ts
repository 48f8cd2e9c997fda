import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, beforeEach, test } from 'node:test'
import { contentOf } from '../../../test/document-content.ts'
import { accessForPerson } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import { openPlainIndex } from '../../search-index/plain/plain-index.ts'
import type { IndexBatch, SearchIndex } from '../../search-index/search-index.ts'
import type { Database } from '../../store/database/database.ts'
import { acceptDocuments } from '../../store/documents/accept-documents.ts'
import { setDocumentHidden } from '../../store/documents/hidden.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import { getReceipt } from '../push/receipt.ts'
import { retryFailedDocuments } from '../push/retry.ts'
import type { QueueLimits } from './backlog.ts'
import { createIndexer, type Indexer } from './indexer.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-indexer-'))
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
let name = 0
let time = 1_000_000
let db: Database
let index: SearchIndex
let refuses: (batch: IndexBatch) => boolean
let refusal: Error
let stop: () => Promise<void>
let indexer: Indexer

beforeEach(async () => {
  db = await openSqlite({ path: join(folder, `${name++}.db`), failpoint: null, onFatal: assert.fail })
  const plain = openPlainIndex()
  refuses = () => false
  refusal = new Error('the index refuses')
  index = {
    ...plain,
    apply: async (batch) => {
      if (refuses(batch)) throw refusal
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
/** A scope without own documents that may read these cc-pairs. */
const readerOf = (pairs: number[]) => ({
  owner: 'nobody',
  pairs,
  access: accessForPerson({ email: null, groups: [] }, pairs),
})
const statusOf = async (id: string) => (await getReceipt({ db, indexer }, 'all', [id])).status

test('an accepted document is indexed, and its receipt says so', async () => {
  await applied(await push('a'))
  const receipt = await getReceipt({ db, indexer }, 'all', ['a'])
  assert.equal(receipt.status, 'indexed')
  assert.equal(receipt.chunk_count, 1)
})

test('a hidden document leaves the index, stays out when a new version arrives, and returns when it is shown', async () => {
  const isFound = async () => {
    const access = accessForPerson({ email: null, groups: [] }, [1])
    return (await index.search({ text: 'platypus', access, filters: {}, offset: 0, limit: 1 })).total === 1
  }
  const set = async (isHidden: boolean) => {
    const seq = await setDocumentHidden(db, 'a', { isHidden, now: time, requestId: 'r' })
    indexer.wake(seq!)
    await applied(seq!)
  }
  await applied(await push('a', 'platypus'))
  assert.ok(await isFound())
  await set(true)
  assert.ok(!(await isFound()))
  await applied(await push('a', 'platypus again'))
  assert.ok(!(await isFound()))
  await set(false)
  assert.ok(await isFound())
  assert.equal(await setDocumentHidden(db, 'a', { isHidden: false, now: time, requestId: 'r' }), null)
})

test('a document that the index rejects fails alone, with the reason, and waits for a retry', async () => {
  refuses = (batch) => batch.upserts.some((it) => it.document_id === 'bad')
  const last = (await Promise.all([push('good'), push('bad'), push('fine')])).at(-1)!
  assert.ok(await applied(last))
  assert.deepEqual([await statusOf('good'), await statusOf('fine')], ['indexed', 'indexed'])
  const receipt = await getReceipt({ db, indexer }, 'all', ['bad'])
  assert.equal(receipt.status, 'accepted')
  assert.match(receipt.reason!, /tried again.*the index refuses/)
})

test('a failed document is retried when it is due, and becomes searchable', async () => {
  refuses = (batch) => batch.upserts.some((it) => it.document_id === 'bad')
  await applied(await push('bad'))
  refuses = () => false
  time += 60_000
  await applied(await push('other'))
  while ((await statusOf('bad')) !== 'indexed') await applied(await push('other', `again ${time++}`))
  assert.equal((await getReceipt({ db, indexer }, 'all', ['bad'])).attempts, 0)
})

test('after the last attempt a document is failed, and a new version starts over', async () => {
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

test('the receipt of a failed document explains the manual retry, which works', async () => {
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
    'gave up after 6 attempts; POST /service-api/ingestion/retry tries again; last error: the index refuses',
  )
  const needs = { db, indexer, now: () => time }
  assert.equal(await retryFailedDocuments(needs, readerOf([99]), 'all'), 0)
  assert.equal(await retryFailedDocuments(needs, 'all', { document_ids: ['other', 'nobody'] }), 0)
  refuses = () => false
  assert.equal(await retryFailedDocuments(needs, readerOf([1]), { document_ids: ['bad', 'other'] }), 1)
  while ((await statusOf('bad')) !== 'indexed') await new Promise((resolve) => setImmediate(resolve))
  assert.equal(await retryFailedDocuments(needs, 'all', 'all'), 0)
})

test('an index that rejects everything fails no document, and the follower resumes when it recovers', async () => {
  refuses = () => true
  const seq = await push('patient')
  while (indexer.progress().waiting_for === null) await new Promise((resolve) => setImmediate(resolve))
  assert.match((await getReceipt({ db, indexer }, 'all', ['patient'])).reason!, /does not accept documents/)
  refuses = () => false
  indexer.wake(seq)
  assert.ok(await applied(seq))
  assert.equal(await statusOf('patient'), 'indexed')
})

test('an index that cannot open files fails no document', async () => {
  refusal = new AppError('OUT_OF_FILES')
  refuses = (batch) => batch.upserts.length > 0
  const seq = await push('waiting')
  while (indexer.progress().waiting_for === null) await new Promise((resolve) => setImmediate(resolve))
  assert.match(indexer.progress().waiting_for!, /no file descriptors left/)
  assert.match((await getReceipt({ db, indexer }, 'all', ['waiting'])).reason!, /does not accept documents/)
  refuses = () => false
  indexer.wake(seq)
  assert.ok(await applied(seq))
  assert.equal(await statusOf('waiting'), 'indexed')
})

test('an index that lost everything is rebuilt from the record', async () => {
  await applied(await push('kept'))
  await stop()
  index = openPlainIndex()
  await start()
  assert.ok(await applied(indexer.progress().accepted_seq))
  assert.equal((await index.stats()).documents, 1)
  assert.equal(await statusOf('kept'), 'indexed')
})

test('documents indexed just before a crash get their receipts after it', async () => {
  await applied(await push('told'))
  await stop()
  const seq = await push('untold')
  await index.apply({ upserts: [], deletes: [], position: seq })
  await start()
  assert.ok(await applied(seq))
  assert.deepEqual([await statusOf('untold'), (await index.stats()).documents], ['indexed', 2])
})

test('the newest version wins when several were accepted while the first one waited', async () => {
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
  test(`a queue that is full by its ${what} rejects documents, also after a restart, until something is indexed`, async () => {
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

test('a document that is replaced while it waits counts once', async () => {
  await stop()
  await start({ documents: 1_000, bytes: 5_000 })
  refuses = () => true
  for (let version = 0; version < 10; version++) await push('same', `${version}`.repeat(1_000))
  assert.ok(isFull())
  time += 60_000
  while (isFull()) await new Promise((resolve) => setImmediate(resolve))
})

test('an unchanged version does not count', async () => {
  await stop()
  await start({ documents: 2, bytes: 1_000_000 })
  refuses = () => true
  for (let again = 0; again < 10; again++) await push('equal')
  assert.ok(!isFull())
})
