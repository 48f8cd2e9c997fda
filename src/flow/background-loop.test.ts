import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createLoop, exponentialBackoff, type LoopRound, logErrors } from './background-loop.ts'

const unexpected = { retryMs: 0, onError: (error: unknown) => assert.fail(String(error)) }

test('rounds continue at once while there is work, and other work runs in between', async () => {
  const order: string[] = []
  let rounds = 0
  const loop = createLoop(async () => {
    order.push(`round ${++rounds}`)
    if (rounds === 1) setImmediate(() => order.push('other work'))
    return rounds === 3 ? 'end' : 0
  }, unexpected)
  await loop.run(new AbortController().signal)
  assert.deepEqual(order, ['round 1', 'other work', 'round 2', 'round 3'])
})

test('a wake ends a wait, and a wake during a round skips the wait that follows', async () => {
  let rounds = 0
  const loop = createLoop(async () => {
    rounds++
    if (rounds === 1) loop.wake()
    if (rounds === 2) setTimeout(loop.wake, 1)
    return rounds === 3 ? 'end' : 60_000
  }, unexpected)
  await loop.run(new AbortController().signal)
  assert.equal(rounds, 3)
})

test('the signal ends a wait', async () => {
  const stop = new AbortController()
  const running = createLoop(async () => 60_000, unexpected).run(stop.signal)
  stop.abort()
  await running
})

test('the loop ends when the current round is over', async () => {
  const stop = new AbortController()
  const { promise, resolve } = Promise.withResolvers<number>()
  let hasEnded = false
  const running = createLoop(() => promise, unexpected)
    .run(stop.signal)
    .then(() => {
      hasEnded = true
    })
  stop.abort()
  await delay(5)
  assert.equal(hasEnded, false)
  resolve(0)
  await running
})

test('the wait doubles with each error in a row, up to its limit', async () => {
  const waits: number[] = []
  let rounds = 0
  const loop = createLoop(
    async () => {
      rounds++
      if (rounds === 5) return 0
      if (rounds === 7) return 'end'
      throw new Error(`round ${rounds}`)
    },
    { retryMs: exponentialBackoff(1, 4), onError: (_, retryMs) => waits.push(retryMs) },
  )
  await loop.run(new AbortController().signal)
  assert.deepEqual(waits, [1, 2, 4, 4, 1])
})

for (const isRetryWakeable of [true, false])
  test(`a wake ${isRetryWakeable ? 'ends' : 'does not end'} the wait after an error if that is set`, async () => {
    const stop = new AbortController()
    let rounds = 0
    const round: LoopRound = async () => {
      if (++rounds === 2) return 'end'
      throw new Error('refused')
    }
    const loop = createLoop(round, { retryMs: 60_000, isRetryWakeable, onError: () => setTimeout(loop.wake, 1) })
    const running = loop.run(stop.signal).then(() => rounds)
    assert.equal(await Promise.race([running, delay(20, 'waits')]), isRetryWakeable ? 2 : 'waits')
    stop.abort()
    await running
  })

test('an error after the signal is not reported', async () => {
  const stop = new AbortController()
  const loop = createLoop(async () => {
    stop.abort()
    throw new Error('aborted')
  }, unexpected)
  await loop.run(stop.signal)
})

test('the first round can wait', async () => {
  const stop = new AbortController()
  const running = createLoop(async () => assert.fail('too early'), { ...unexpected, startAfterMs: 60_000 }).run(
    stop.signal,
  )
  await delay(5)
  stop.abort()
  await running
})

test('an error is logged with the time of the next try', () => {
  const logged: unknown[] = []
  const ignore = () => {}
  const logger = { debug: ignore, info: ignore, warn: ignore, error: (...line: unknown[]) => logged.push(line) }
  const error = new Error('refused')
  logErrors(logger, 'webhook listing failed')(error, 500)
  assert.deepEqual(logged, [[{ err: error, retry_in_ms: 500 }, 'webhook listing failed']])
})
