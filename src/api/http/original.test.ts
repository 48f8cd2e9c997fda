// A large file flows from the disk to the client, as fast as the client reads.
import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import Fastify from 'fastify'
import { OriginalResponse, sendOriginal } from './original.ts'

const PIECE = Buffer.alloc(65_536, 'x')
const PIECES = 4_096
const FILE = {
  ...{ id: 'f', blob: '0'.repeat(64), name: 'large.txt', file_type: 'text/plain', user_id: 'ann' },
  ...{ size: PIECES * PIECE.length, created_at: 0 },
}

test('a file of 256 MiB is read from the disk as fast as the client reads it', async (t) => {
  let read = 0
  const closed = Promise.withResolvers<void>()
  const blobs = {
    async get(_: string, range?: { end: number }) {
      if (range !== undefined) return Readable.from([PIECE.subarray(0, range.end + 1)])
      const bytes = new Readable({
        read() {
          this.push(read < PIECES ? PIECE : null)
          read++
        },
      })
      return bytes.once('close', closed.resolve)
    },
  }
  const app = Fastify()
  t.after(() => app.close())
  app.get('/', (request, reply) => sendOriginal({ blobs }, request, reply, new OriginalResponse(FILE)))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = await new Promise<IncomingMessage>((resolve, reject) => get(url, resolve).once('error', reject))
  let received = 0
  for await (const piece of answer) {
    received += piece.length
    // Ends the request.
    if (received > 1_000_000) break
  }
  await closed.promise
  assert.ok(read < PIECES / 4, `${read} of ${PIECES} pieces were read for ${received} bytes`)
})
