import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { resultOrTimeout } from './result-or-timeout.ts'

const FOREVER_MS = 2 ** 31 - 1

test('a result in time is returned, and leaves no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((it) => it === 'Timeout').length
  const before = timers()
  assert.equal(await resultOrTimeout(Promise.resolve('result'), FOREVER_MS, 'late'), 'result')
  assert.equal(timers(), before)
})

test('an error in time is passed on', async () => {
  await assert.rejects(resultOrTimeout(Promise.reject(new Error('refused')), FOREVER_MS, 'late'), /refused/)
})

test('after the time, the substitute is returned, and a later error is ignored', async () => {
  const { promise, reject } = Promise.withResolvers<string>()
  assert.equal(await resultOrTimeout(promise, 1, 'late'), 'late')
  reject(new Error('refused'))
})

test('a result that waits behind a busy event loop is in time', async () => {
  const { port1, port2 } = new MessageChannel()
  const arrived = new Promise<string>((resolve) => port1.once('message', resolve))
  // From here, the next turn of the event loop begins with its timers.
  await nextTurn()
  const found = resultOrTimeout(arrived, 1, 'late')
  port2.postMessage('result')
  const busyUntil = performance.now() + 5
  while (performance.now() < busyUntil);
  assert.equal(await found, 'result')
  port1.close()
})
