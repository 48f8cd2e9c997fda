// Chats with a scripted language model server; everything else is the real program.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import {
  calls,
  delta,
  inPieces,
  type ModelScript,
  type ModelScripts,
  says,
  startModelServer,
  text,
} from '../model/model-server.ts'
import { KEY, ODD_ANSWERS } from '../model/odd-answers.ts'
import { waitFor } from '../server.ts'
import { createStreamRequester, isType, typeOf, withoutRoot, wordsOf } from './chat-client.ts'
import { documentOf, start } from './setup.ts'

const model = await startModelServer()
const { server, ask, ok, push, makeKey } = await start({
  ...model.env('scripted'),
  LLM_KEY: KEY,
  EGRESS_ALLOW: '127.0.0.1',
})
const stream = createStreamRequester(server)

let ann: string
before(async () => {
  ann = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
  const sections = [{ text: 'The capital of France is Paris.', link: 'https://f.example/' }]
  await push(documentOf('', { id: 'france', sections }))
})

// biome-ignore lint/suspicious/noExplicitAny: a body that is about to be looked at.
type Json = any
const QUESTION = 'What is the capital of France?'
const send = (more: object = {}, key = ann): Promise<Json> =>
  ok('POST', '/chat/send-chat-message', { key, body: { message: QUESTION, stream: false, ...more } })
const open = (more: object = {}, key = ann) =>
  stream('POST', '/chat/send-chat-message', { key, body: { message: QUESTION, ...more } })
const get = async (id: string): Promise<Json> =>
  withoutRoot(await ok('GET', `/chat/get-chat-session/${id}`, { key: ann }))

/** In a turn with tools the first request gets this tool call; the request after the tool result gets text. */
const afterTool =
  (first: ModelScript, then: ModelScript): ModelScripts =>
  (asked) =>
    asked.body.messages.some((it) => it.role === 'tool') ? then : first
const search = calls({ name: 'internal_search', arguments: { queries: ['capital of France'] } })
/** Starts an answer and then stalls. */
const hanging: ModelScript = {
  steps: [delta({ role: 'assistant', content: '' }), ...inPieces('It begins and').map(text), { hang: true }],
}

test('a model searches and answers, and its citations link to the passage', async () => {
  model.script(afterTool(search, says('It is Paris [1].')))
  const lines = await (await open()).rest()
  assert.match(wordsOf(lines), /^It is Paris ?\[\[1\]\]\(https:\/\/f\.example\/[^)]*\)\.$/)
  const kinds = lines.map(typeOf)
  for (const kind of ['search_tool_queries_delta', 'search_tool_documents_delta', 'citation_info', 'token_usage']) {
    assert.ok(kinds.includes(kind), `${kind} is not among ${kinds}`)
  }
  const session = await get(lines[0].chat_session_id)
  const [, answer] = session.messages
  assert.deepEqual([answer.model_display_name, answer.token_count > 0], ['scripted', true])
  assert.deepEqual(answer.citations, { 1: 'france' })
})

test('a disconnect cancels the model request and keeps the partial answer', async () => {
  model.script([hanging])
  const answer = await open()
  const { chat_session_id } = await answer.next()
  await answer.until(isType('message_delta'))
  const asked = model.requests.at(-1)!
  assert.equal(asked.isAbandoned, false)
  const left = performance.now()
  answer.leave()
  await waitFor(() => asked.isAbandoned, 'the model to be left')
  const took = performance.now() - left
  assert.ok(took < 20_000, `the model was left after ${took} ms`)
  const stopped = async () => (await get(chat_session_id)).messages[1].status === 'stopped'
  await waitFor(stopped, 'the answer to be kept')
  const [, kept] = (await get(chat_session_id)).messages
  assert.match(kept.message, /^It begins/)
  assert.match(kept.error, /connection closed/)
})

test('a disconnect also cancels an answer that is not streamed', async () => {
  model.script([hanging])
  const client = new AbortController()
  const count = model.requests.length
  const sent = fetch(`${server.url}/chat/send-chat-message`, {
    method: 'POST',
    signal: client.signal,
    headers: { authorization: `Bearer ${ann}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: QUESTION, stream: false }),
  })
  await waitFor(() => model.requests.length > count, 'the model to be asked')
  client.abort()
  await assert.rejects(sent)
  await waitFor(() => model.requests.at(-1)?.isAbandoned, 'the model to be left')
})

test('a client can resume after a lost connection while the model continues', async () => {
  model.script([hanging])
  const first = await open()
  const { chat_session_id } = await first.next()
  await first.until(isType('message_delta'))
  const asked = model.requests.at(-1)!
  const again = await stream('GET', `/chat/chat-session/${chat_session_id}/resume-stream`, { key: ann })
  first.leave()
  await again.until(isType('message_delta'))
  const foreign = await ask('GET', `/chat/chat-session/${chat_session_id}/resume-stream`)
  assert.equal(foreign.status, 404)
  assert.equal((await ask('POST', `/chat/stop-chat-session/${chat_session_id}`)).status, 404)
  assert.equal(asked.isAbandoned, false)
  const busy = await ask('POST', '/chat/send-chat-message', { key: ann, body: { message: 'Now?', chat_session_id } })
  assert.deepEqual([busy.status, busy.body.error_code], [409, 'SESSION_BUSY'])
  assert.equal((await get(chat_session_id)).messages[1].status, 'running')
  const stopped = await ok('POST', `/chat/stop-chat-session/${chat_session_id}`, { key: ann })
  assert.deepEqual(stopped, { message: 'Chat session stopped' })
  assert.deepEqual((await again.rest()).at(-1).obj, { type: 'stop', stop_reason: 'user_cancelled' })
  await waitFor(() => asked.isAbandoned, 'the model to be left')
  assert.equal((await get(chat_session_id)).messages[1].status, 'stopped')
})

test('the prompt names the company', async () => {
  model.script([says('Noted.')])
  await ok('PATCH', '/admin/settings', { body: { company_name: 'Ada & Co', company_description: 'They sell looms.' } })
  await send({ message: 'Who are we?' })
  const [first] = model.requests.at(-1)!.body.messages
  assert.equal(first!.role, 'system')
  assert.match(String(first!.content), /The company is called Ada & Co\. About the company: They sell looms\./)
  await ok('PATCH', '/admin/settings', { body: { company_name: null, company_description: null } })
})

test('the prompt contains history, files and context', async () => {
  model.script([says('Noted.')])
  const head =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="mine.txt"\r\nContent-Type: text/plain\r\n\r\n'
  const { id } = await ok('POST', '/user/file/upload', {
    key: ann,
    bytes: `${head}The password of the vault is swordfish.\r\n--b--\r\n`,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  })
  const file_descriptors = [{ id, type: 'document' }]
  const { chat_session_id } = await send({ message: 'Remember this.', file_descriptors, additional_context: 'Monday' })
  const first = JSON.stringify(model.requests.at(-1)!.body.messages)
  assert.match(first, /swordfish/)
  assert.match(first, /Monday/)
  await send({ chat_session_id, message: 'What did I say?' })
  const second = JSON.stringify(model.requests.at(-1)!.body.messages)
  assert.match(second, /Remember this\..*Noted\..*What did I say\?/)
  const { messages } = await get(chat_session_id)
  assert.deepEqual(messages[0].files, [{ id, type: 'document', name: 'mine.txt' }])
})

test('quotes replace the answer of a model that is down', async () => {
  model.script([{ status: 500, steps: [{ raw: 'broken' }] }])
  const answer = await send()
  assert.equal(answer.is_extractive, true)
  assert.match(answer.answer, /capital of France is Paris/)
})

/** A service with an OpenAPI description. */
const written: { method: string; path: string; authorization: string | undefined }[] = []
const service = createServer((request: IncomingMessage, response) => {
  request.resume().on('end', () => {
    const { method = '', url: path = '', headers } = request
    written.push({ method, path, authorization: headers.authorization })
    response.setHeader('content-type', 'application/json').end('{"state":"written"}')
  })
})
before(() => new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve)))
after(() => service.close())

async function ticketTool(key: string): Promise<number> {
  const definition = {
    openapi: '3.0.0',
    info: { title: 'Tickets', description: 'Writes tickets', version: '1' },
    servers: [{ url: `http://127.0.0.1:${(service.address() as AddressInfo).port}` }],
    paths: {
      '/ticket/{id}': {
        post: {
          operationId: 'closeTicket',
          summary: 'Closes a ticket',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        },
      },
    },
  }
  const body = { name: 'Tickets', description: '', definition, passthrough_auth: true }
  return (await ok('POST', '/admin/tool/custom', { key, body })).id
}

test('a tool writes only after the person approves, and with the rights of the person', async () => {
  const tool = await ticketTool(ann)
  const persona = {
    ...{ name: 'Clerk', description: '', system_prompt: '', task_prompt: '', datetime_aware: true },
    ...{ tool_ids: [tool], document_set_ids: [] },
  }
  const { id: persona_id } = await ok('POST', '/persona', { key: ann, body: persona })
  model.script(afterTool(calls({ name: 'closeTicket', arguments: { id: '7/../8' } }), says('It is as you wished.')))
  for (const approve of [false, true]) {
    written.length = 0
    const answer = await open({ chat_session_info: { persona_id } })
    const { chat_session_id } = await answer.next()
    const { obj } = await answer.until(isType('custom_tool_confirmation'))
    assert.deepEqual([obj.method, obj.tool_args], ['POST', { id: '7/../8' }])
    assert.equal(written.length, 0)
    const decide = (key: string, confirmation_id: string) =>
      ask('POST', '/chat/confirm-tool-call', { key, body: { chat_session_id, confirmation_id, approve } })
    const bob = await makeKey({ role: 'basic' })
    assert.equal((await decide(bob, obj.confirmation_id)).body.error_code, 'SESSION_NOT_FOUND')
    assert.equal((await decide(ann, 'another')).body.error_code, 'CONFIRMATION_NOT_FOUND')
    assert.equal((await decide(ann, obj.confirmation_id)).status, 200)
    assert.equal(wordsOf(await answer.rest()), 'It is as you wished.')
    assert.deepEqual(
      written.map(({ method, path }) => [method, path]),
      approve ? [['POST', '/ticket/7%2F..%2F8']] : [],
    )
    // The server gets a token for this call, never the API key.
    for (const { authorization } of written) assert.match(authorization ?? '', /^Bearer pharos_call_/)
    assert.equal((await decide(ann, obj.confirmation_id)).status, 404)
  }
  // Without a person to approve the call, nothing is written.
  written.length = 0
  await send({ chat_session_info: { persona_id } })
  assert.deepEqual(written, [])
})

const slow = (it: (typeof ODD_ANSWERS)[number]) =>
  it.first_token_timeout_ms !== undefined || it.idle_timeout_ms !== undefined
for (const odd of ODD_ANSWERS.filter((it) => !slow(it))) {
  test(`with a misbehaving model (${odd.name}) the person gets text and an end`, async () => {
    const { script } = odd
    model.script(typeof script === 'function' ? script : [script])
    const answer = await open()
    assert.equal(answer.status, 200)
    const lines = await answer.rest()
    assert.equal(typeOf(lines.at(-1)), 'stop')
    assert.equal(lines.filter(isType('stop')).length, 1)
    const seen = wordsOf(lines)
    const errors = lines.filter(isType('error')).map((it) => it.obj.message)
    assert.ok(seen !== '' || errors.length > 0, 'the person gets neither text nor an error')
    assert.ok(!JSON.stringify(lines).includes(KEY))
    const { messages } = await get(lines[0].chat_session_id)
    assert.notEqual(messages[1].status, 'running')
    assert.ok(messages[1].message.startsWith(seen.replaceAll('\0', '').toWellFormed().slice(0, 1_000)))
  })
}
