// Webhook behaviour over a day and across processes.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, afterEach, beforeEach, type TestContext, test } from 'node:test'
import { contentOf } from '../../../test/document-content.ts'
import { encodeWebhookSecret, MAX_DELIVERY_AGE_MS } from '../../domain/webhook.ts'
import type { Egress, EgressResponse } from '../../egress/egress.ts'
import type { Database } from '../../store/database/database.ts'
import { acceptDocuments } from '../../store/documents/accept-documents.ts'
import { writeReceipts } from '../../store/documents/receipts.ts'
import { createKeyRing, deriveSecretKey } from '../../store/secrets/key-ring.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import { listDeliveries } from '../../store/webhooks/deliveries.ts'
import { getWebhook, insertWebhook, updateWebhook } from '../../store/webhooks/webhooks.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-webhooks-'))
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const secrets = createSecretBox(createKeyRing([], deriveSecretKey('a secret key for this test', 'SECRET_KEY')))
let name = 0
let time = 1_000_000
let db: Database
let calls: { url: string; body: string }[]
let answer: (call: { url: string; body: string }) => { status: number; headers?: Record<string, string> }
let webhooks: Webhooks
let stop: () => Promise<void>

beforeEach(async () => {
  db = await openSqlite({ path: join(folder, `${name++}.db`), failpoint: null, onFatal: assert.fail })
  calls = []
  answer = () => ({ status: 200 })
  const background = new AbortController()
  webhooks = createWebhooks({ db, secrets, egress, logger: quiet, now: () => time })
  const running = webhooks.run(background.signal)
  stop = async () => {
    background.abort()
    await running
  }
})
afterEach(async () => {
  await stop()
  await db.close()
})
after(() => rmSync(folder, { recursive: true }))

const egress: Egress = {
  async fetch(url, { body }) {
    const call = { url: String(url), body: String(body) }
    calls.push(call)
    const { status, headers = {} } = answer(call)
    const unused = () => assert.fail('the whole response must not be read')
    return { status, headers, url: call.url, body: Readable.from([]), bytes: unused, text: unused } as EgressResponse
  },
  connect: () => assert.fail('no connection must be opened'),
  startTls: () => assert.fail('no connection must be opened'),
  check: () => assert.fail('no address must be checked'),
  close: async () => {},
}

const make = (url = 'https://one.example/') =>
  insertWebhook(
    { db, secrets },
    { url, events: ['indexed', 'failed'], cc_pair_ids: null },
    encodeWebhookSecret(Buffer.alloc(32)),
    time,
  )

async function index(id: string): Promise<void> {
  const [accepted] = await acceptDocuments(db, 'all', [{ content: contentOf(id), ccPairId: 1, requestId: null }], time)
  if (accepted instanceof Error) throw accepted
  const mark = { document_id: id, seq: accepted!.seq, indexed_at: time, chunk_count: 0, attempts: 0 }
  await writeReceipts(db, [{ ...mark, error: null, retry_at: null }])
  webhooks.wake()
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}

/** Advances the clock in steps of about an hour until the condition holds. */
async function hours(condition: () => Promise<boolean>): Promise<number> {
  for (let count = 0; ; count++) {
    assert.ok(count < 100)
    if (await condition()) return count
    const before = calls.length
    time += 3_600_000 * 1.3
    webhooks.wake()
    await until(async () => calls.length > before || (await condition()))
    // The outcome is written after the call.
    await until(async () => (await pendingOf()).every((it) => Number(it.next_at) > time) || condition())
  }
}
const pendingOf = async () => (await listDeliveries(db, 1, 100)).filter((it) => it.next_at !== null)
const isPaused = async (id: number) => (await getWebhook(db, id)).status === 'paused'

test('a webhook without a successful delivery for a day is paused, and keeps its pending events', async () => {
  answer = () => ({ status: 500 })
  const { id } = await make()
  await index('a')
  const waited = await hours(() => isPaused(id))
  assert.ok(waited > 10 && waited * 3_600_000 * 1.3 > MAX_DELIVERY_AGE_MS - 5 * 3_600_000)
  const { reason } = await getWebhook(db, id)
  assert.match(reason!, /^No delivery succeeded for a day\. The endpoint answered with status 500/)
  const before = calls.length
  await index('b')
  answer = () => ({ status: 200 })
  await updateWebhook(
    { db, secrets },
    id,
    { status: 'active', reason: null },
    { now: time, giveUpAt: time + MAX_DELIVERY_AGE_MS },
  )
  webhooks.wake()
  await until(async () => calls.length === before + 2 && (await pendingOf()).length === 0)
  assert.deepEqual(
    calls
      .slice(-2)
      .map((it) => JSON.parse(it.body).data.documents[0].document_id)
      .sort(),
    ['a', 'b'],
  )
})

test('a message that an endpoint always rejects is dropped while others are delivered', async () => {
  answer = ({ body }) => ({ status: body.includes('poison') ? 400 : 200 })
  const { id } = await make()
  await index('poison')
  await until(async () => calls.length > 0 && (await pendingOf()).every((it) => it.attempts > 0))
  await index('good')
  await until(async () => calls.some((it) => it.body.includes('good')))
  await hours(async () => (await pendingOf()).length === 0)
  assert.equal(await isPaused(id), false)
  const failed = (await listDeliveries(db, id, 10)).find((it) => it.payload.includes('poison'))!
  assert.deepEqual([failed.delivered_at, failed.response_status], [null, 400])
})

for (const [header, waitMs] of [
  ['120', 120_000],
  ['999999', 3_600_000],
  ['soon', 0],
] as const) {
  test(`Retry-After: ${header} is honoured, up to an hour`, async () => {
    answer = () => ({ status: 429, headers: { 'retry-after': header } })
    await make()
    await index('a')
    await until(async () => (await pendingOf()).some((it) => it.attempts === 1))
    const [{ next_at } = { next_at: 0 }] = await pendingOf()
    const waits = Number(next_at) - time
    assert.ok(waits >= waitMs && waits < Math.max(waitMs + 1, 10_000), `waits ${waits} ms`)
  })
}

test('a failing webhook has few pending messages, however many documents there are', async () => {
  answer = () => ({ status: 500 })
  await make()
  for (let at = 0; at < 40; at++) {
    await index(`doc ${at}`)
    await until(async () => (await pendingOf()).every((it) => it.attempts > 0))
  }
  assert.ok((await pendingOf()).length <= 12)
  answer = () => ({ status: 200 })
  await hours(async () => (await pendingOf()).length === 0)
  webhooks.wake()
  const told = () =>
    new Set(
      calls.flatMap((it) => JSON.parse(it.body).data.documents.map((one: { document_id: string }) => one.document_id)),
    )
  await until(() => told().size === 40)
})

test('several webhooks go idle when all events are delivered', async () => {
  for (const it of ['one', 'two', 'three']) await make(`https://${it}.example/`)
  for (let at = 0; at < 30; at++) {
    await index(`doc ${at}`)
    await Promise.resolve()
    webhooks.wake()
  }
  const told = () => calls.flatMap((it) => JSON.parse(it.body).data.documents)
  await until(() => told().length === 90)
  const watched = new AbortController()
  setTimeout(() => watched.abort(), 100)
  // A busy loop would starve the timer.
  while (!watched.signal.aborted) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(told().length, 90)
})

test('two processes deliver each event once', async () => {
  const background = new AbortController()
  const other = createWebhooks({ db, secrets, egress, logger: quiet, now: () => time })
  const running = other.run(background.signal)
  await make()
  for (let at = 0; at < 50; at++) {
    await index(`doc ${at}`)
    other.wake()
  }
  const told = () => calls.flatMap((it) => JSON.parse(it.body).data.documents)
  await until(async () => told().length >= 50 && (await pendingOf()).length === 0)
  assert.equal(told().length, 50)
  background.abort()
  await running
})

/** The timers of less than ten seconds that are waiting. */
function countTimers({ mock }: TestContext): Set<NodeJS.Timeout> {
  const waiting = new Set<NodeJS.Timeout>()
  const { setTimeout: set, clearTimeout: clear } = globalThis
  mock.method(globalThis, 'setTimeout', (action: () => void, ms: number) => {
    const timer = set(() => {
      waiting.delete(timer)
      action()
    }, ms)
    if (ms < 10_000) waiting.add(timer)
    return timer
  })
  mock.method(globalThis, 'clearTimeout', (timer: NodeJS.Timeout) => {
    waiting.delete(timer)
    clear(timer)
  })
  return waiting
}

test('each failing webhook waits with one timer, however often it is woken', async (context) => {
  answer = () => ({ status: 500 })
  const waiting = countTimers(context)
  const urls = ['https://one.example/', 'https://two.example/', 'https://three.example/']
  for (const url of urls) await make(url)
  await index('a')
  await until(() => calls.length === urls.length)
  for (let wakes = 0; wakes < 20; wakes++) {
    webhooks.wake()
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
  }
  await until(() => waiting.size >= urls.length)
  assert.equal(waiting.size, urls.length)
})
