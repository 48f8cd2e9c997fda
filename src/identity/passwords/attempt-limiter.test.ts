import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../domain/errors.ts'
import { DAY_MS } from '../../wire/date-time.ts'
import { createAttemptLimiter } from './attempt-limiter.ts'

const ADA = 'ada@example.com'
const HOME = '192.0.2.1'
const MINUTE_MS = 60_000

function startLimiter() {
  let time = 1_700_000_000_000
  const limiter = createAttemptLimiter({ now: () => time })
  return {
    ...limiter,
    pass: (ms: number) => {
      time += ms
    },
    fail(times: number, account = ADA, address = HOME) {
      for (let count = 0; count < times; count++) limiter.recordFailure(account, address)
    },
    /** Failures of one account from an address each, so that no address has to wait. */
    failFromEverywhere(times: number, account = ADA) {
      for (let count = 0; count < times; count++) limiter.recordFailure(account, `203.0.113.${count}`)
    },
    /** Failures at one address for an account each, so that no account has to wait. */
    failEveryone(times: number, address = HOME) {
      for (let count = 0; count < times; count++) limiter.recordFailure(`person${count}@example.com`, address)
    },
    /** The seconds to wait; 0 if an attempt is allowed. */
    wait(account = ADA, address = '198.51.100.9'): number {
      try {
        limiter.check(account, address)
        return 0
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'TOO_MANY_ATTEMPTS') throw error
        return error.retryAfterSeconds!
      }
    },
  }
}

test('five failures of an account are free, then each doubles the wait, up to 15 minutes', () => {
  const { fail, wait } = startLimiter()
  fail(5)
  const waits = [wait()]
  for (let count = 0; count < 12; count++) {
    fail(1)
    waits.push(wait())
  }
  assert.deepEqual(waits, [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
})

test('the error names the seconds, rounded up, and the wait ends', () => {
  const { fail, check, pass, wait } = startLimiter()
  fail(7)
  pass(1)
  assert.throws(() => check(ADA, HOME), {
    code: 'TOO_MANY_ATTEMPTS',
    status: 429,
    message: 'Too many attempts to sign in have failed. Try again in 2 s.',
    retryAfterSeconds: 2,
  })
  pass(1_998)
  assert.equal(wait(), 1)
  pass(1)
  assert.equal(wait(), 0)
})

test('a failure after a wait doubles the next one', () => {
  const { fail, pass, wait } = startLimiter()
  fail(8)
  pass(4_000)
  fail(1)
  assert.equal(wait(), 8)
})

test('other accounts do not wait', () => {
  const { fail, wait } = startLimiter()
  fail(10)
  assert.equal(wait('grace@example.com'), 0)
})

test('a success forgets the failures of the account, not those of the address', () => {
  const { fail, failEveryone, recordSuccess, wait } = startLimiter()
  fail(8)
  failEveryone(23)
  recordSuccess(ADA, HOME)
  assert.deepEqual([wait(), wait(ADA, HOME)], [0, 1])
  fail(5)
  assert.equal(wait(), 0)
})

test('a day after the wait, the failures of an account are forgotten', () => {
  const { failFromEverywhere, pass, wait } = startLimiter()
  failFromEverywhere(20)
  pass(15 * MINUTE_MS + DAY_MS - 1)
  failFromEverywhere(1)
  assert.equal(wait(), 900)
  pass(15 * MINUTE_MS + DAY_MS)
  failFromEverywhere(5)
  assert.equal(wait(), 0)
})

test('30 failures of an address are free, then each doubles the wait, for every account', () => {
  const { failEveryone, wait } = startLimiter()
  failEveryone(30)
  const waits = [wait(ADA, HOME)]
  for (let count = 0; count < 3; count++) {
    failEveryone(1)
    waits.push(wait(ADA, HOME))
  }
  assert.deepEqual([waits, wait()], [[0, 1, 2, 4], 0])
})

test('free failures of an address are forgotten after ten minutes, others ten minutes after the wait', () => {
  const { failEveryone, pass, wait } = startLimiter()
  failEveryone(30)
  pass(10 * MINUTE_MS)
  failEveryone(30)
  assert.equal(wait(ADA, HOME), 0)
  failEveryone(4)
  pass(8_000 + 10 * MINUTE_MS - 1)
  failEveryone(1)
  assert.equal(wait(ADA, HOME), 16)
  pass(16_000 + 10 * MINUTE_MS)
  failEveryone(30)
  assert.equal(wait(ADA, HOME), 0)
})

for (const [counted, other, isSame] of [
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['2001:db8:1:2::1', '2001:DB8:1:2:0:0:0:9', true],
  ['2001:db8::1', '2001:db8:0:0:5::', true],
  ['2001:db8::1', '2001:db8:0:1::1', false],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['::1', '::2', true],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['unknown', 'unknown', true],
] as const) {
  test(`failures at ${counted} ${isSame ? 'count' : 'do not count'} for ${other}`, () => {
    const { failEveryone, wait } = startLimiter()
    failEveryone(31, counted)
    assert.equal(wait(ADA, other), isSame ? 1 : 0)
  })
}

test('a stranger cannot lock a person out of an address where the person has signed in', () => {
  const { failFromEverywhere, recordSuccess, pass, wait } = startLimiter()
  recordSuccess(ADA, HOME)
  pass(30 * DAY_MS - 1)
  failFromEverywhere(20)
  assert.deepEqual([wait(ADA, HOME), wait()], [0, 900])
  failFromEverywhere(20, 'grace@example.com')
  assert.equal(wait('grace@example.com', HOME), 900)
  pass(1)
  assert.equal(wait(ADA, HOME), 900)
})

test('an address where the person has signed in still waits for its own failures', () => {
  const { failEveryone, recordSuccess, wait } = startLimiter()
  recordSuccess(ADA, HOME)
  failEveryone(31)
  assert.equal(wait(ADA, HOME), 1)
})

test('an attempt that was refused does not lengthen the wait', () => {
  const { fail, wait } = startLimiter()
  fail(7)
  assert.deepEqual([wait(), wait(), wait()], [2, 2, 2])
})

test('the 10,000 accounts that were used last are remembered', () => {
  const { fail, failEveryone, wait } = startLimiter()
  fail(10)
  failEveryone(9_999, '203.0.113.1')
  assert.notEqual(wait(), 0)
  failEveryone(10_000, '203.0.113.1')
  assert.equal(wait(), 0)
})
