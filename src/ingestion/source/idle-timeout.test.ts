import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createIdleTimeout } from './idle-timeout.ts'

const SILENCE_MS = 10

/** A clock that the test advances. */
function openClock() {
  let time = 0
  const sleepers = new Map<() => void, number>()
  return {
    now: () => time,
    sleep: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        sleepers.set(resolve, time + ms)
        signal.addEventListener('abort', () => {
          sleepers.delete(resolve)
          reject(signal.reason)
        })
      }),
    async pass(ms: number) {
      time += ms
      for (const [wake, at] of sleepers) if (at <= time && sleepers.delete(wake)) wake()
      await turn()
    },
    sleeping: () => sleepers.size,
  }
}

/** A source that yields what the test gives it. */
function openRun() {
  const clock = openClock()
  const run = new AbortController()
  const idleTimeout = createIdleTimeout({ ...clock, idleTimeoutMs: SILENCE_MS }, run.signal)
  let give = (_: string | null) => {}
  let hasEnded = false
  const source = async function* () {
    try {
      for (;;) {
        const item = await new Promise<string | null>((resolve) => {
          give = resolve
        })
        if (item === null) return
        yield item
      }
    } finally {
      hasEnded = true
    }
  }
  return {
    clock,
    run,
    idleTimeout,
    items: idleTimeout.watch(source()),
    give: (it: string | null) => give(it),
    ended: () => hasEnded,
  }
}

const isOpen = async (promise: Promise<unknown>) => {
  const open = Symbol('open')
  return (await Promise.race([promise.catch(() => {}), turn(open)])) === open
}

test('items that arrive in time pass through, and no timer remains at the end', async () => {
  const { clock, items, give } = openRun()
  for (const it of ['a', 'b', 'c']) {
    const next = items.next()
    await clock.pass(SILENCE_MS - 1)
    give(it)
    assert.deepEqual(await next, { done: false, value: it })
  }
  const last = items.next()
  give(null)
  assert.equal((await last).done, true)
  assert.equal(clock.sleeping(), 0)
})

test('an idle source ends with an error, even if it ignores the signal', async () => {
  const { clock, idleTimeout, items } = openRun()
  const next = items.next()
  await clock.pass(SILENCE_MS - 1)
  assert.ok(await isOpen(next))
  await clock.pass(1)
  await assert.rejects(next, { name: 'Error', kind: 'unavailable', message: /^The source sent nothing/ })
  assert.ok(idleTimeout.signal.aborted)
})

test('a response counts as activity even without a document', async () => {
  const { clock, idleTimeout, items } = openRun()
  const next = items.next()
  for (let at = 0; at < 5; at++) {
    await clock.pass(SILENCE_MS - 1)
    idleTimeout.reset()
  }
  assert.ok(await isOpen(next))
  await clock.pass(SILENCE_MS)
  await assert.rejects(next, /sent nothing/)
})

test('an announced wait extends the timeout, but no further', async () => {
  const { clock, idleTimeout, items } = openRun()
  const next = items.next()
  idleTimeout.reset(100)
  await clock.pass(100 + SILENCE_MS - 1)
  assert.ok(await isOpen(next))
  await clock.pass(1)
  await assert.rejects(next, /sent nothing/)
})

test('the time to process an item does not count', async () => {
  const { clock, items, give } = openRun()
  const first = items.next()
  give('a')
  await first
  await clock.pass(50 * SILENCE_MS)
  const second = items.next()
  await clock.pass(SILENCE_MS - 1)
  give('b')
  assert.deepEqual(await second, { done: false, value: 'b' })
})

test('an aborted run ends its source', async () => {
  const { items, give, ended } = openRun()
  const first = items.next()
  give('a')
  await first
  await items.return()
  assert.ok(ended())
})

test('the signal of the run aborts the wait', async () => {
  const { run, idleTimeout } = openRun()
  run.abort(new Error('over'))
  assert.match(String(idleTimeout.signal.reason), /over/)
})
