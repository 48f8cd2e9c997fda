import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import fastify, { type FastifyReply } from 'fastify'
import type { Subject } from '../../domain/subject.ts'
import { acquirePermit, createRequestPools } from './request-pools.ts'

const { replay: pool } = createRequestPools()
const subject = { api_key_id: 1, user_id: 'ann' } as Subject
const authenticated = Promise.withResolvers<void>()
const replies: FastifyReply[] = []

const app = fastify()
app.addHook('onRequest', async (_, reply) => {
  replies.push(reply)
  await authenticated.promise
  await acquirePermit(pool, subject, reply)
})
app.get('/', () => 'done')
const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
after(() => app.close())

test('a client that leaves while it is authenticated keeps no permit', { timeout: 60_000 }, async () => {
  const socket = connect(Number(url.port), url.hostname)
  socket.write('GET / HTTP/1.1\r\nHost: here.test\r\n\r\n')
  while (replies.length === 0) await new Promise(setImmediate)
  socket.destroy()
  await once(replies[0]!.raw, 'close')
  authenticated.resolve()
  assert.equal(await (await fetch(url)).text(), 'done')
})
