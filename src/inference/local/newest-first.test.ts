import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNewestFirst } from './newest-first.ts'

test('the newest of the waiting requests is answered first, and each one once', async () => {
  const answered: number[] = []
  const all = Promise.withResolvers<void>()
  const answer = createNewestFirst(async (request: number) => {
    answered.push(request)
    if (request === 1) for (const later of [4, 5]) answer(later)
    if (answered.length === 5) all.resolve()
  })
  for (const request of [3, 2, 1]) answer(request)
  await all.promise
  assert.deepEqual(answered, [1, 5, 4, 2, 3])
})

test('a request that comes after a pause is answered', async () => {
  let next = Promise.withResolvers<number>()
  const answer = createNewestFirst(async (request: number) => next.resolve(request))
  for (const request of [1, 2]) {
    next = Promise.withResolvers()
    answer(request)
    assert.equal(await next.promise, request)
  }
})
