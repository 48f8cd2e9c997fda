import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { createRounds } from './rounds.ts'

test('so many begin in each round, in the order in which they came, and others get their turn between', async () => {
  const begin = createRounds(2)
  const begun: number[] = []
  const all = Promise.all([0, 1, 2, 3, 4].map((it) => begin().then(() => begun.push(it))))
  await nextRound()
  assert.deepEqual(begun, [0, 1])
  await nextRound()
  assert.deepEqual(begun, [0, 1, 2, 3])
  await all
  assert.deepEqual(begun, [0, 1, 2, 3, 4])
})

test('after a pause they begin again', async () => {
  const begin = createRounds(1)
  await begin()
  await Promise.all([begin(), begin()])
})
