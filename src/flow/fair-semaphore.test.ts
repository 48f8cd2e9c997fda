import assert from 'node:assert/strict'
import test from 'node:test'
import { createFairSemaphore, type FairSemaphore, type Permit } from './fair-semaphore.ts'

const WIDE = { permits: 1, permitsPerKey: 1, maxWaiting: 1_000, maxWaitingPerKey: 1_000 }

const acquire = (semaphore: FairSemaphore, key: string): Permit => {
  const permit = semaphore.acquire(key)
  if (typeof permit === 'string') assert.fail(`${key} was rejected: ${permit}`)
  return permit
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('requests beyond the permits wait until one is released', async () => {
  const semaphore = createFairSemaphore({ ...WIDE, permits: 2, permitsPerKey: 2 })
  const first = acquire(semaphore, 'a')
  assert.equal(first.granted, undefined)
  assert.equal(acquire(semaphore, 'a').granted, undefined)
  const third = acquire(semaphore, 'a')
  assert.ok(third.granted)
  first.release()
  await third.granted
})

test('a key with a hundred waiters does not delay other keys by a hundred turns', async () => {
  const semaphore = createFairSemaphore(WIDE)
  const granted: string[] = []
  const open = new Map([['first', acquire(semaphore, 'busy')]])
  for (let at = 0; at < 100; at++) open.set(`busy ${at}`, acquire(semaphore, 'busy'))
  open.set('modest', acquire(semaphore, 'modest')).set('shy', acquire(semaphore, 'shy'))
  for (const [name, { granted: turn }] of open) turn?.then(() => granted.push(name))
  for (let turns = 0; turns < 4; turns++) {
    open.get(granted.at(-1) ?? 'first')!.release()
    await settled()
  }
  assert.deepEqual(granted, ['busy 0', 'modest', 'shy', 'busy 1'])
})

test('one key cannot hold all permits', async () => {
  const semaphore = createFairSemaphore({ ...WIDE, permits: 3, permitsPerKey: 2 })
  const first = acquire(semaphore, 'a')
  acquire(semaphore, 'a')
  const third = acquire(semaphore, 'a')
  assert.ok(third.granted)
  assert.equal(acquire(semaphore, 'b').granted, undefined)
  first.release()
  await third.granted
})

test('a key at its waiting limit is rejected, other keys are not', () => {
  const semaphore = createFairSemaphore({ ...WIDE, maxWaitingPerKey: 2 })
  for (let at = 0; at < 3; at++) acquire(semaphore, 'a')
  assert.equal(semaphore.acquire('a'), 'rate_limited')
  assert.ok(acquire(semaphore, 'b').granted)
})

test('a full queue rejects every key', () => {
  const semaphore = createFairSemaphore({ ...WIDE, maxWaiting: 2 })
  acquire(semaphore, 'a')
  acquire(semaphore, 'a')
  acquire(semaphore, 'b')
  assert.equal(semaphore.acquire('c'), 'overloaded')
})

test('a waiter that leaves the queue is skipped, and releasing twice returns one permit', async () => {
  const semaphore = createFairSemaphore(WIDE)
  const first = acquire(semaphore, 'a')
  const gone = acquire(semaphore, 'a')
  const next = acquire(semaphore, 'a')
  gone.release()
  gone.release()
  first.release()
  first.release()
  await next.granted
  assert.ok(acquire(semaphore, 'a').granted)
})

test('under contention a key gets a second permit only after the delay', async () => {
  let nowMs = 0
  const delayed = { ...WIDE, permits: 4, permitsPerKey: 3, extraPermitDelayMs: 200 }
  const semaphore = createFairSemaphore(delayed, () => nowMs)
  const [first, second] = [acquire(semaphore, 'busy'), acquire(semaphore, 'busy')]
  assert.equal(second.granted, undefined, 'no contention yet')
  assert.equal(acquire(semaphore, 'modest').granted, undefined)
  const [third, fourth] = [acquire(semaphore, 'busy'), acquire(semaphore, 'busy')]
  let began = 0
  for (const it of [third, fourth]) it.granted?.then(() => began++)
  first.release()
  await settled()
  assert.equal(began, 0, 'the key still holds a permit')
  nowMs = 199
  second.release()
  await settled()
  assert.equal(began, 1)
  nowMs = 200
  acquire(semaphore, 'shy').release()
  await settled()
  assert.equal(began, 2)
})

test('a second after the contention a key gets all its permits again', () => {
  let nowMs = 0
  const semaphore = createFairSemaphore({ ...WIDE, permits: 4, permitsPerKey: 3, extraPermitDelayMs: 200 }, () => nowMs)
  acquire(semaphore, 'modest').release()
  assert.equal(acquire(semaphore, 'busy').granted, undefined)
  nowMs = 999
  const waiting = acquire(semaphore, 'busy')
  assert.ok(waiting.granted)
  waiting.release()
  nowMs = 1_000
  assert.equal(acquire(semaphore, 'busy').granted, undefined)
})
