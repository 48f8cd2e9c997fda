// Unfinished requests are closed by a timeout.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../server.ts'
import { sendRaw } from './request.ts'

const server = await startServer()

test('an unfinished header is answered 408 and closed within 15 seconds', async () => {
  const asked = performance.now()
  const replies = await Promise.all(
    ['GET / HTTP/1.1\r\nHost: here.test\r\n', 'GE', ''].map(async (bytes) => {
      const reply = await sendRaw(server, bytes)
      return { ...reply, ms: performance.now() - asked }
    }),
  )
  for (const { status, ms } of replies) {
    assert.ok(status === 408 || status === 0, `answered ${status}`)
    // The service checks timeouts every 5 s (Node's default is 30 s). The margin is for a busy machine.
    assert.ok(ms < 24_000, `closed after ${Math.round(ms)} ms`)
  }
  assert.equal(replies[0]!.status, 408)
})
