import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createSemaphore, type Semaphore } from './semaphore.ts'

const NEVER = new AbortController().signal

/** Starts an action that ends on request. */
function startAction({ run }: Semaphore, signal = NEVER) {
  const { promise, resolve: end, reject: fail } = Promise.withResolvers<void>()
  const action = { hasStarted: false, end, fail, ended: Promise.resolve() }
  action.ended = run(() => {
    action.hasStarted = true
    return promise
  }, signal)
  return action
}

test('actions start in call order, and no more than the permits at once', async () => {
  const semaphore = createSemaphore(2)
  const actions = Array.from({ length: 4 }, () => startAction(semaphore))
  const started = () => actions.map((it) => it.hasStarted)
  await nextTurn()
  assert.deepEqual(started(), [true, true, false, false])
  actions[1]!.end()
  await nextTurn()
  assert.deepEqual(started(), [true, true, true, false])
  for (const it of actions) it.end()
  await Promise.all(actions.map((it) => it.ended))
  assert.deepEqual(started(), [true, true, true, true])
})

test('a permit that is handed on cannot be taken by a later call', async () => {
  const semaphore = createSemaphore(1)
  const [first, second] = [startAction(semaphore), startAction(semaphore)]
  const third = first.ended.then(() => startAction(semaphore))
  first.end()
  const late = await third
  await nextTurn()
  assert.deepEqual([second.hasStarted, late.hasStarted], [true, false])
})

test('a failed action frees its permit', async () => {
  const semaphore = createSemaphore(1)
  const [first, second] = [startAction(semaphore), startAction(semaphore)]
  first.fail(new Error('refused'))
  second.end()
  await assert.rejects(first.ended, /refused/)
  await second.ended
  assert.equal(semaphore.isIdle(), true)
})

test('the signal ends the wait with its reason, and the next waiter gets the permit', async () => {
  const semaphore = createSemaphore(1)
  const stop = new AbortController()
  const [first, second, third] = [startAction(semaphore), startAction(semaphore, stop.signal), startAction(semaphore)]
  stop.abort(new Error('enough'))
  await assert.rejects(second.ended, /enough/)
  first.end()
  third.end()
  await third.ended
  assert.deepEqual([second.hasStarted, third.hasStarted], [false, true])
})

test('a running action keeps its permit after the signal', async () => {
  const semaphore = createSemaphore(1)
  const stop = new AbortController()
  const [first, second] = [startAction(semaphore, stop.signal), startAction(semaphore)]
  await nextTurn()
  stop.abort()
  await nextTurn()
  assert.deepEqual([second.hasStarted, semaphore.isIdle()], [false, false])
  first.end()
  second.end()
  await Promise.all([first.ended, second.ended])
})

test('a signal that aborts between the permit and the start frees the permit', async () => {
  const semaphore = createSemaphore(1)
  const stop = new AbortController()
  const action = startAction(semaphore, stop.signal)
  stop.abort(new Error('enough'))
  await assert.rejects(action.ended, /enough/)
  assert.deepEqual([action.hasStarted, semaphore.isIdle()], [false, true])
})
