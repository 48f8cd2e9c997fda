import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLifecycle, type ServicePart } from './lifecycle.ts'

/** A part that records its calls and takes a turn of the event loop for each. */
const recordedPart = (calls: string[], name: string): ServicePart => {
  const record = async (call: string) => {
    calls.push(`${call} ${name}`)
    await new Promise(setImmediate)
    calls.push(`${name} done`)
  }
  return { start: () => record('start'), close: () => record('close') }
}

test('parts start one after another', async () => {
  const calls: string[] = []
  await createLifecycle([recordedPart(calls, 'a'), recordedPart(calls, 'b')]).start()
  assert.deepEqual(calls, ['start a', 'a done', 'start b', 'b done'])
})

test('parts close one after another in reverse order', async () => {
  const calls: string[] = []
  await createLifecycle([recordedPart(calls, 'a'), recordedPart(calls, 'b')]).close()
  assert.deepEqual(calls, ['close b', 'b done', 'close a', 'a done'])
})

test('a part may lack a start and a close', async () => {
  const calls: string[] = []
  const lifecycle = createLifecycle([{}, { close: () => void calls.push('close b') }])
  await lifecycle.start()
  await lifecycle.close()
  assert.deepEqual(calls, ['close b'])
})

test('an error ends the start, and later parts do not start', async () => {
  const calls: string[] = []
  const failing = { start: () => Promise.reject(new Error('no port')) }
  const lifecycle = createLifecycle([recordedPart(calls, 'a'), failing, recordedPart(calls, 'b')])
  await assert.rejects(lifecycle.start(), /no port/)
  assert.deepEqual(calls, ['start a', 'a done'])
})

test('an error while closing is reported', async () => {
  const failing = { close: () => Promise.reject(new Error('disk full')) }
  await assert.rejects(createLifecycle([failing]).close(), /disk full/)
})
