import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IngestionRequest } from '../../client/schemas.ts'
import { runIngestion } from './run-ingestion.ts'
import type { IngestOutcome, Sender } from './sender.ts'
import type { IngestItem } from './source.ts'

const itemOf = (at: number, id: string): IngestItem => ({
  at: String(at),
  content: { body: { document: { id, semantic_identifier: id, sections: [], metadata: {} } } },
  bytes: 100,
  share: null,
})
async function* stream(items: readonly IngestItem[]) {
  yield* items
}

const singly = (send: (body: IngestionRequest) => Promise<IngestOutcome>): Sender => ({
  maxGroup: 1,
  maxInFlight: 16,
  send: (bodies) => Promise.all(bodies.map(send)),
})

function begin(items: readonly IngestItem[], send: (body: IngestionRequest) => Promise<IngestOutcome>) {
  const tally = { created: 0, updated: 0, refused: 0, unread: 0, without_text: 0 }
  const mishaps: { at: string; reason: string }[] = []
  const done: string[] = []
  const ended = runIngestion({
    items: stream(items),
    sender: singly(send),
    tally,
    mishaps,
    withoutText: [],
    onDone: (at) => done.push(at),
  })
  return { ended, tally, mishaps, done }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('an item counts as done only when all earlier items are done', async () => {
  const waiting = new Map<string, (outcome: IngestOutcome) => void>()
  const items = ['a', 'b', 'c'].map((id, at) => itemOf(at, id))
  const { ended, done, tally } = begin(
    items,
    ({ document }) => new Promise((resolve) => waiting.set(document.id!, resolve)),
  )
  await turn()
  waiting.get('c')!('created')
  waiting.get('b')!({ refused: 'no' })
  await turn()
  assert.deepEqual([done, tally.created], [[], 0])
  waiting.get('a')!('updated')
  await ended
  assert.deepEqual(done, ['0', '1', '2'])
  assert.deepEqual(tally, { created: 1, updated: 1, refused: 1, unread: 0, without_text: 0 })
})

test('documents with the same id are sent one at a time, in the order of the source', async () => {
  const underWay = new Set<string>()
  const order: string[] = []
  const items = Array.from({ length: 90 }, (_, at) => itemOf(at, `id${at % 3}`))
  const { ended } = begin(items, async ({ document }) => {
    const id = document.id!
    assert.ok(!underWay.has(id), `${id} is under way twice`)
    underWay.add(id)
    for (let left = id === 'id0' ? 3 : 1; left > 0; left--) await turn()
    underWay.delete(id)
    order.push(id)
    return 'created'
  })
  await ended
  assert.equal(order.length, 90)
})

test('at most sixteen items are in progress, and reading ahead is limited while one of them waits', async () => {
  let underWay = 0
  let most = 0
  let read = 0
  const { promise: blocked, resolve: release } = Promise.withResolvers<void>()
  async function* many() {
    for (let at = 0; at < 5_000; at++) {
      read++
      yield itemOf(at, `id${at}`)
    }
  }
  const send = async ({ document }: IngestionRequest): Promise<IngestOutcome> => {
    most = Math.max(most, ++underWay)
    if (document.id === 'id0') await blocked
    else await turn()
    underWay--
    return 'created'
  }
  const tally = { created: 0, updated: 0, refused: 0, unread: 0, without_text: 0 }
  const ended = runIngestion({ items: many(), sender: singly(send), tally, mishaps: [], withoutText: [], onDone() {} })
  for (let turns = 0; turns < 2_000; turns++) await turn()
  assert.ok(most === 16 && read <= 2_100, `${most} under way, ${read} read`)
  release()
  await ended
  assert.equal(tally.created, 5_000)
})

test('after an error nothing more is sent, and later items do not count as done', async () => {
  const sent: string[] = []
  const items = Array.from({ length: 100 }, (_, at) => itemOf(at, `id${at}`))
  const { ended, done } = begin(items, async ({ document }) => {
    sent.push(document.id!)
    await turn()
    if (document.id === 'id2') throw new Error('gone')
    return 'created'
  })
  await assert.rejects(ended, /gone/)
  assert.deepEqual(done, ['0', '1'])
  assert.ok(sent.length <= 20)
})

test('items of a fast source are sent in large groups, and no document is in two of them at once', async () => {
  const groups: string[][] = []
  const underWay = new Set<string>()
  const sender: Sender = {
    maxGroup: 50,
    maxInFlight: 3,
    async send(bodies) {
      const ids = new Set(bodies.map((it) => it.document.id!))
      for (const id of ids) assert.ok(!underWay.has(id), `${id} is under way twice`)
      for (const id of ids) underWay.add(id)
      groups.push([...ids])
      for (let left = 10; left > 0; left--) await turn()
      for (const id of ids) underWay.delete(id)
      return bodies.map(() => 'created')
    },
  }
  const items = Array.from({ length: 1_000 }, (_, at) => itemOf(at, `id${at % 700}`))
  const tally = { created: 0, updated: 0, refused: 0, unread: 0, without_text: 0 }
  await runIngestion({ items: stream(items), sender, tally, mishaps: [], withoutText: [], onDone() {} })
  assert.equal(tally.created, 1_000)
  assert.ok(groups.length < 40, `${groups.length} groups`)
})

test('an item that still waits when the source ends is sent, even if all before it are done by then', async () => {
  async function* slowToClose() {
    for (let at = 0; at < 4; at++) yield itemOf(at, `id${at}`)
    for (let turns = 0; turns < 20; turns++) await turn()
  }
  const sender: Sender = {
    maxGroup: 500,
    maxInFlight: 3,
    async send(bodies) {
      await turn()
      return bodies.map(() => 'created')
    },
  }
  const tally = { created: 0, updated: 0, refused: 0, unread: 0, without_text: 0 }
  const done: string[] = []
  const onDone = (at: string) => done.push(at)
  await runIngestion({ items: slowToClose(), sender, tally, mishaps: [], withoutText: [], onDone })
  assert.equal(tally.created, 4)
  assert.deepEqual(done, ['0', '1', '2', '3'])
})
