import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { rejectOnAbort } from './reject-on-abort.ts'

const never = new Promise<never>(() => {})

test('the result is passed on, and the signal keeps no listener', async () => {
  const { signal } = new AbortController()
  assert.equal(await rejectOnAbort(signal, Promise.resolve('result')), 'result')
  await assert.rejects(rejectOnAbort(signal, Promise.reject(new Error('refused'))), /refused/)
  assert.deepEqual(getEventListeners(signal, 'abort'), [])
})

test('the signal rejects with its reason', async () => {
  const stop = new AbortController()
  const waiting = rejectOnAbort(stop.signal, never)
  stop.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
})

test('a signal that has already aborted rejects at once', async () => {
  await assert.rejects(rejectOnAbort(AbortSignal.abort(new Error('enough')), never), /enough/)
})

test('a failure after the signal is ignored', async () => {
  const late = Promise.withResolvers<never>()
  await assert.rejects(rejectOnAbort(AbortSignal.abort(new Error('enough')), late.promise), /enough/)
  late.reject(new Error('refused'))
})
