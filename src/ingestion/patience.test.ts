import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openPatience } from './patience.ts'

const SILENCE_MS = 10

/** Time passes when the test says so. */
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

/** What a run sees of a source that gives what the test hands to it. */
function openRun() {
  const clock = openClock()
  const run = new AbortController()
  const patience = openPatience({ ...clock, silenceMs: SILENCE_MS }, run.signal)
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
    patience,
    items: patience.of(source()),
    give: (it: string | null) => give(it),
    ended: () => hasEnded,
  }
}

const isOpen = async (promise: Promise<unknown>) => {
  const open = Symbol('open')
  return (await Promise.race([promise.catch(() => {}), turn(open)])) === open
}

test('what comes in time comes through, and nothing sleeps any more at its end', async () => {
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

test('nothing for too long ends it with a sentence, also where nobody hears the signal', async () => {
  const { clock, patience, items } = openRun()
  const next = items.next()
  await clock.pass(SILENCE_MS - 1)
  assert.ok(await isOpen(next))
  await clock.pass(1)
  await assert.rejects(next, { name: 'Error', fault: 'unavailable', message: /^Nothing came from the source/ })
  assert.ok(patience.signal.aborted)
})

test('an answer that no document follows yet is enough', async () => {
  const { clock, patience, items } = openRun()
  const next = items.next()
  for (let at = 0; at < 5; at++) {
    await clock.pass(SILENCE_MS - 1)
    patience.renew()
  }
  assert.ok(await isOpen(next))
  await clock.pass(SILENCE_MS)
  await assert.rejects(next, /Nothing came/)
})

test('a source that asks to be left alone until a time is waited for so long, and no longer', async () => {
  const { clock, patience, items } = openRun()
  const next = items.next()
  patience.renew(100)
  await clock.pass(100 + SILENCE_MS - 1)
  assert.ok(await isOpen(next))
  await clock.pass(1)
  await assert.rejects(next, /Nothing came/)
})

test('how long the run works on what came does not count', async () => {
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

test('a run that breaks off ends what it reads', async () => {
  const { items, give, ended } = openRun()
  const first = items.next()
  give('a')
  await first
  await items.return()
  assert.ok(ended())
})

test('the signal of the run is heard', async () => {
  const { run, patience } = openRun()
  run.abort(new Error('over'))
  assert.match(String(patience.signal.reason), /over/)
})
