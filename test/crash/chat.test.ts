// Answers that are being written when the service stops or is killed.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createStreamRequester, isType } from '../api/chat-client.ts'
import { createRequester } from '../api/request.ts'
import { delta, inPieces, says, startModelServer, text } from '../model/model-server.ts'
import { type Server, startServer, waitFor } from '../server.ts'

const hanging = {
  steps: [delta({ role: 'assistant', content: '' }), ...inPieces('It begins and').map(text), { hang: true } as const],
}

/** A program whose model has begun an answer and then hangs. */
async function inTheMiddle(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-chat-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const model = await startModelServer([hanging])
  const options = { dataDir, env: model.env('scripted') }
  const server = await startServer(options)
  const answer = await createStreamRequester(server)('POST', '/chat/send-chat-message', { body: { message: 'Who?' } })
  const { chat_session_id } = await answer.next()
  await answer.until(isType('message_delta'))
  model.script([says('Again.')])
  return { server, answer, chat_session_id, again: () => startServer(options) }
}

async function answerIn(server: Server, id: string) {
  const { body } = await createRequester(server)('GET', `/chat/get-chat-session/${id}`)
  return body.messages.find((it: { message_type: string }) => it.message_type === 'assistant')
}

async function goesOn(server: Server, chat_session_id: string): Promise<void> {
  const body = { message: 'Again?', chat_session_id, stream: false }
  const { status, body: answer } = await createRequester(server)('POST', '/chat/send-chat-message', { body })
  assert.deepEqual([status, answer.answer], [200, 'Again.'])
}

test('SIGTERM ends an answer with a message, keeps its text, and completes in time', async (t) => {
  const { server, answer, chat_session_id, again } = await inTheMiddle(t)
  const ended = server.stop()
  const lines = await answer.rest()
  assert.match(lines.at(-2).obj.message, /service shut down/)
  assert.deepEqual(lines.at(-1).obj, { type: 'stop', stop_reason: null })
  assert.equal((await ended).code, 0)
  const next = await again()
  const { status, message, error } = await answerIn(next, chat_session_id)
  assert.equal(status, 'failed')
  assert.match(message, /^It begins/)
  assert.match(error, /service shut down/)
  await goesOn(next, chat_session_id)
})

test('after SIGKILL the answer has a message and no partial text, and the session continues', async (t) => {
  const { server, answer, chat_session_id, again } = await inTheMiddle(t)
  await server.kill()
  await answer.rest()
  const next = await again()
  // With PostgreSQL another process might still write the answer, so some seconds must pass.
  const isFailed = async () => (await answerIn(next, chat_session_id)).status === 'failed'
  await waitFor(isFailed, 'the answer to fail', 50_000)
  const { message, error } = await answerIn(next, chat_session_id)
  assert.equal(message, '')
  assert.match(error, /The service stopped during this answer/)
  await goesOn(next, chat_session_id)
})
