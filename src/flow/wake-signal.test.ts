import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createWakeSignal } from './wake-signal.ts'

const NEVER = new AbortController().signal

test('a sleep ends at a wake', async () => {
  const { sleep, wake } = createWakeSignal()
  const asleep = sleep(60_000, NEVER)
  wake()
  await asleep
})

test('a wake before the sleep ends one sleep and no other', async () => {
  const { sleep, wake } = createWakeSignal()
  wake()
  wake()
  await sleep(60_000, NEVER)
  const next = sleep(60_000, NEVER).then(() => 'woken')
  assert.equal(await Promise.race([next, delay(20, 'asleep')]), 'asleep')
  wake()
  assert.equal(await next, 'woken')
})

test('a sleep ends at the signal, and at once after it', async () => {
  const { sleep } = createWakeSignal()
  const stop = new AbortController()
  const asleep = sleep(60_000, stop.signal)
  stop.abort()
  await asleep
  await sleep(60_000, stop.signal)
})

test('a sleep ends after its time, and one without end does not end at once', async () => {
  const { sleep, wake } = createWakeSignal()
  await sleep(5, NEVER)
  const endless = sleep(Number.POSITIVE_INFINITY, NEVER).then(() => 'woken')
  assert.equal(await Promise.race([endless, delay(20, 'asleep')]), 'asleep')
  wake()
  assert.equal(await endless, 'woken')
})
