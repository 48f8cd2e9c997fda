// Streams over real sockets.
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import Fastify from 'fastify'
import { createEventLog, EVENT_LOG_LIMITS, type EventLog } from '../../chat/session/event-log.ts'
import type { Packet } from '../../domain/chat/packet.ts'
import { clientGoneSignal } from './create-call.ts'
import { LineStreamResponse, sendLineStream } from './line-stream.ts'

const placement = { turn_index: 0, tab_index: 0, sub_turn_index: null, model_index: null }
const delta = (content: string): Packet => ({ placement, obj: { type: 'message_delta', content } })

const app = Fastify()
let run: EventLog
/** Bytes of the newest response that its client has not read. */
let held = () => 0
app.get('/lines', (request, reply) => {
  held = () => reply.raw.writableLength
  return sendLineStream(request, reply, new LineStreamResponse(run.read(0, clientGoneSignal(reply))))
})
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo
after(() => {
  // A disconnected client may have reconnected without a request.
  app.server.closeAllConnections()
  return app.close()
})

const begin = (limits = {}, onLeft: () => void = () => {}) => {
  run = createEventLog([{ chat_session_id: 's' }], { ...EVENT_LOG_LIMITS, ...limits }, onLeft)
}
const get = (headers: Record<string, string> = {}) => fetch(`http://127.0.0.1:${port}/lines`, { headers })

for (const accept of ['*/*', 'application/json', 'text/event-stream, */*']) {
  test(`Accept: ${accept} gives lines of JSON`, async () => {
    begin()
    const answer = await get({ accept })
    assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    run.emit(delta('ä\n\n'))
    run.end()
    assert.equal(await answer.text(), `{"chat_session_id":"s"}\n${JSON.stringify(delta('ä\n\n'))}\n`)
  })
}

test('a client that accepts only event streams gets events with cursors as ids', async () => {
  begin()
  run.emit(delta('a'))
  run.emit(delta('b'))
  run.end()
  assert.equal(
    await (await get({ accept: 'text/event-stream' })).text(),
    `data: {"chat_session_id":"s"}\n\nid: 1\ndata: ${JSON.stringify(delta('a'))}\n\nid: 2\ndata: ${JSON.stringify(delta('b'))}\n\n`,
  )
})

test('a line is sent as soon as it is written', async () => {
  begin()
  const body = (await get()).body!.getReader()
  const next = async () => new TextDecoder().decode((await body.read()).value)
  assert.equal(await next(), '{"chat_session_id":"s"}\n')
  run.emit(delta('a'))
  assert.equal(await next(), `${JSON.stringify(delta('a'))}\n`)
  run.end()
  assert.equal((await body.read()).done, true)
})

test('a client that stops reading is disconnected, and buffers little until then', async () => {
  const left = Promise.withResolvers<void>()
  begin({ stuckMs: 20, graceMs: 20 }, left.resolve)
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /lines HTTP/1.1\r\nHost: x\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  socket.pause()
  let most = 0
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.once('error', () => {})
  let isCut = false
  left.promise.then(() => {
    isCut = true
  })
  const line = delta('x'.repeat(4_000))
  for (let at = 0; at < 200_000 && !isCut; at++) {
    run.emit(line)
    if (at % 50 === 0) await new Promise(setImmediate)
    most = Math.max(most, held())
  }
  await left.promise
  socket.destroy()
  await closed
  assert.ok(most > 0 && most < 256 << 10, `${most} bytes were held`)
})

test('a disconnected client is detected', async () => {
  const left = Promise.withResolvers<void>()
  begin({ graceMs: 1 }, left.resolve)
  const client = new AbortController()
  const answer = await fetch(`http://127.0.0.1:${port}/lines`, { signal: client.signal })
  await answer.body!.getReader().read()
  client.abort()
  await left.promise
})
