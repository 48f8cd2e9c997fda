import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPace } from './pace.ts'

test('what is spent is waited for, and time that was not used is not saved up', () => {
  const pace = createPace(1_000)
  assert.equal(pace.waitMs(10_000), 0)
  pace.spend(500, 10_000)
  pace.spend(500, 10_200)
  assert.deepEqual([pace.waitMs(10_200), pace.waitMs(10_999.5), pace.waitMs(11_000)], [800, 1, 0])
  pace.spend(1_000, 60_000)
  assert.equal(pace.waitMs(60_000), 1_000)
})

test('0 is no limit', () => {
  const pace = createPace(0)
  pace.spend(1e12, 5)
  assert.equal(pace.waitMs(5), 0)
})
