import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSharedCalls } from './shared-calls.ts'

test('calls with the same key that are under way together are made once', async () => {
  const calls = createSharedCalls<number>()
  const gate = Promise.withResolvers<number>()
  let made = 0
  const work = () => {
    made++
    return gate.promise
  }
  const all = [calls.run('a', work), calls.run('a', work), calls.run('b', work)]
  assert.equal(made, 2)
  gate.resolve(7)
  assert.deepEqual(await Promise.all(all), [7, 7, 7])
})

test('a call after the end of another one is made again, also after a failure', async () => {
  const calls = createSharedCalls<number>()
  const failing = () => Promise.reject(new Error('no'))
  const both = [calls.run('a', failing), calls.run('a', async () => 1)]
  assert.deepEqual(
    (await Promise.allSettled(both)).map((it) => it.status),
    ['rejected', 'rejected'],
  )
  assert.equal(await calls.run('a', async () => 2), 2)
  assert.equal(await calls.run('a', async () => 3), 3)
})
