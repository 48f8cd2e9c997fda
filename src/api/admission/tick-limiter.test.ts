import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { createTickLimiter } from './tick-limiter.ts'

test('each tick starts a limited number of tasks in order, and other work runs in between', async () => {
  const begin = createTickLimiter(2)
  const begun: number[] = []
  const all = Promise.all([0, 1, 2, 3, 4].map((it) => begin().then(() => begun.push(it))))
  await nextRound()
  assert.deepEqual(begun, [0, 1])
  await nextRound()
  assert.deepEqual(begun, [0, 1, 2, 3])
  await all
  assert.deepEqual(begun, [0, 1, 2, 3, 4])
})

test('tasks start again after a pause', async () => {
  const begin = createTickLimiter(1)
  await begin()
  await Promise.all([begin(), begin()])
})
