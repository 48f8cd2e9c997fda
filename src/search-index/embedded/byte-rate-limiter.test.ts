import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createByteRateLimiter } from './byte-rate-limiter.ts'

test('spent bytes cause a wait, and unused time is not accumulated', () => {
  const pace = createByteRateLimiter(1_000)
  assert.equal(pace.waitMs(10_000), 0)
  pace.spend(500, 10_000)
  pace.spend(500, 10_200)
  assert.deepEqual([pace.waitMs(10_200), pace.waitMs(10_999.5), pace.waitMs(11_000)], [800, 1, 0])
  pace.spend(1_000, 60_000)
  assert.equal(pace.waitMs(60_000), 1_000)
})

test('a rate of 0 means no limit', () => {
  const pace = createByteRateLimiter(0)
  pace.spend(1e12, 5)
  assert.equal(pace.waitMs(5), 0)
})
