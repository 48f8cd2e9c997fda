import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecognitionError } from '../recognition-error.ts'
import { startRecogniserProcess } from './process-of-pictures.ts'

const { signal } = new AbortController()
const blank = { width: 64, height: 64, pixels: new Uint8Array(64 * 64).fill(255) }

test('a process that is killed fails its picture, and is known to have ended', async () => {
  const child = startRecogniserProcess({ memoryBytes: 1 << 30, processorMs: 60_000 })
  const reading = assert.rejects(child.read(blank, signal), (error) => {
    assert.ok(error instanceof RecognitionError)
    assert.match(error.message, /ended \(SIGKILL\)/)
    return true
  })
  await child.end()
  await reading
  assert.equal(child.hasEnded(), true)
  // Ending it again does nothing.
  await child.end()
})
