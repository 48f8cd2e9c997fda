import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Packet } from '../../domain/chat/packet.ts'
import { createEventLog, EVENT_LOG_LIMITS, type EventLog } from './event-log.ts'

const placement = { turn_index: 0, tab_index: 0, sub_turn_index: null, model_index: null }
const delta = (content: string): Packet => ({ placement, obj: { type: 'message_delta', content } })
const forever = new AbortController().signal
const never = () => assert.fail('nobody has left')
const runOf = (limits = {}, onLeft: () => void = never): EventLog =>
  createEventLog([{ head: 1 }], { ...EVENT_LOG_LIMITS, ...limits }, onLeft)

async function textsOf(run: EventLog, cursor: number): Promise<string[]> {
  const texts: string[] = []
  for await (const lines of run.read(cursor, forever)) texts.push(...lines.map((it) => it.text))
  return texts
}

test('every reader gets every line once and in order, whenever it starts', async () => {
  const run = runOf()
  const early = textsOf(run, 0)
  run.emit(delta('a'))
  const middle = textsOf(run, 0)
  await new Promise(setImmediate)
  run.emit(delta('b'))
  run.writeLine({ plain: true })
  run.emit(delta('c'))
  run.end()
  const all = [{ head: 1 }, delta('a'), delta('b'), { plain: true }, delta('c')].map((it) => JSON.stringify(it))
  assert.deepEqual(await early, all)
  assert.deepEqual(await middle, all)
  assert.deepEqual(await textsOf(run, 0), all)
})

test('a cursor is a packet count: reading starts after that many packets', async () => {
  const run = runOf()
  run.emit(delta('a'))
  run.writeLine({ plain: true })
  run.emit(delta('b'))
  run.end()
  const head = JSON.stringify({ head: 1 })
  assert.deepEqual(await textsOf(run, 1), [head, JSON.stringify(delta('b'))])
  assert.deepEqual(await textsOf(run, 2), [head])
  assert.deepEqual(await textsOf(run, 99), [head])
})

test('a line carries the cursor after it', async () => {
  const run = runOf()
  run.emit(delta('a'))
  run.emit(delta('b'))
  run.end()
  const cursors: number[] = []
  for await (const lines of run.read(0, forever)) cursors.push(...lines.map((it) => it.cursor))
  assert.deepEqual(cursors, [0, 1, 2])
})

test('a reader that lags too far behind is detached; an active one is not', async () => {
  const run = runOf({ stallMs: 5, maxLagBytes: 1_000 })
  const stuck = run.read(0, forever)
  await stuck[Symbol.asyncIterator]().next()
  const reading = run.read(0, forever)
  const texts = (async () => {
    let count = 0
    for await (const lines of reading) count += lines.length
    return count
  })()
  const cut = new Promise((resolve) => stuck.stalled.addEventListener('abort', resolve))
  for (let at = 0; at < 100; at++) run.emit(delta('x'.repeat(20)))
  await cut
  run.end()
  assert.equal(await texts, 101)
  assert.equal(reading.stalled.aborted, false)
})

test('an idle reader is detached after the idle timeout', async () => {
  const run = runOf({ stallMs: 5, idleMs: 10 })
  const idle = run.read(0, forever)
  await idle[Symbol.asyncIterator]().next()
  await new Promise((resolve) => idle.stalled.addEventListener('abort', resolve))
})

test('the log reports that it is abandoned after the grace period', async () => {
  let told = 0
  const left = Promise.withResolvers<void>()
  const run = runOf({ abandonAfterMs: 5 }, () => {
    told += 1
    left.resolve()
  })
  const [one, two] = [new AbortController(), new AbortController()]
  run.read(0, one.signal)
  run.read(0, two.signal)
  one.abort()
  one.abort()
  two.abort()
  await left.promise
  assert.equal(told, 1)
})

test('a reader that returns within the grace period keeps the answer running', async () => {
  const run = runOf({ abandonAfterMs: 5 })
  const client = new AbortController()
  run.read(0, client.signal)
  client.abort()
  const again = textsOf(run, 0)
  // Another log, abandoned a moment later, calls back only after the time has passed for the first one, too.
  await new Promise<void>((resolve) => {
    const other = new AbortController()
    runOf({ abandonAfterMs: 5 }, resolve).read(0, other.signal)
    other.abort()
  })
  run.end()
  assert.equal((await again).length, 1)
})

test('a detached reader reads nothing more', async () => {
  const run = runOf({}, () => {})
  const client = new AbortController()
  const lines = run.read(0, client.signal)[Symbol.asyncIterator]()
  await lines.next()
  const next = lines.next()
  client.abort()
  assert.equal((await next).done, true)
})
