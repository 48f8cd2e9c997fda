import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createMutex } from './mutex.ts'

test('actions run one at a time in call order, and a failure does not stop the next', async () => {
  const runExclusive = createMutex()
  const order: string[] = []
  const first = runExclusive(async () => {
    order.push('first begins')
    await nextTurn()
    order.push('first fails')
    throw new Error('refused')
  })
  const second = runExclusive(async () => order.push('second begins'))
  await assert.rejects(first, /refused/)
  await second
  assert.deepEqual(order, ['first begins', 'first fails', 'second begins'])
})
