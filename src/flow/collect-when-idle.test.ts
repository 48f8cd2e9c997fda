import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdleCheck } from './collect-when-idle.ts'

function prepare() {
  const thread = { utilization: 0, heapBytes: 80e6, collections: 0 }
  const check = createIdleCheck({
    utilization: () => thread.utilization,
    heapBytes: () => thread.heapBytes,
    collect: () => {
      thread.collections += 1
      thread.heapBytes = 50e6
    },
  })
  return { thread, check }
}

test('an idle thread collects once, and again when its heap has grown', () => {
  const { thread, check } = prepare()
  check()
  assert.equal(thread.collections, 1)
  check()
  thread.heapBytes = 60e6
  check()
  assert.equal(thread.collections, 1)
  thread.heapBytes = 65e6
  check()
  assert.equal(thread.collections, 2)
})

test('a thread that works does not collect', () => {
  const { thread, check } = prepare()
  thread.utilization = 0.1
  check()
  assert.equal(thread.collections, 0)
  thread.utilization = 0.01
  check()
  assert.equal(thread.collections, 1)
})

test('a large heap is not collected, because that would stop the thread for long', () => {
  const { thread, check } = prepare()
  thread.heapBytes = 200e6
  check()
  assert.equal(thread.collections, 0)
})
