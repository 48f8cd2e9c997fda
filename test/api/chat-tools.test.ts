// Tools in a chat, end to end: a scripted model calls them, a person approves or denies, servers are called.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { BUILT_IN_TOOLS } from '../../src/tools/built-in-tools.ts'
import { calls, says, startModelServer } from '../model/model-server.ts'
import { createStreamRequester, isType, type Line, typeOf, wordsOf } from './chat-client.ts'
import { documentOf, start } from './setup.ts'

const seen: { method: string; url: string; body: string; headers: Record<string, unknown> }[] = []
let status = 200
const remote = createServer(async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const { method = '', url = '', headers } = request
  seen.push({ method, url, headers, body: Buffer.concat(pieces).toString() })
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end('{"ticket":"canary-answer"}')
})
await new Promise<void>((resolve) => void remote.listen(0, '127.0.0.1', resolve))
after(() => remote.close())
const url = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`

const model = await startModelServer()
const { server, ok, ask, push, makeKey, makePair } = await start({ EGRESS_ALLOW: '127.0.0.1', ...model.env() })
const stream = createStreamRequester(server)

const definition = {
  openapi: '3.0.0',
  info: { title: 'T', description: 'T' },
  servers: [{ url }],
  paths: {
    '/ticket/{id}': {
      get: {
        operationId: 'getTicket',
        summary: 'Get a ticket',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      },
      put: {
        operationId: 'setTicket',
        summary: 'Change a ticket',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
      },
    },
  },
}

let ann: string
let bob: string
let tool: number
let persona_id: number
before(async () => {
  ann = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
  bob = await makeKey({ role: 'basic', user_email: 'bob@example.com', user_group_ids: ['board'] })
  const pair = await makePair('Closed', { access_type: 'private', groups: ['board'] })
  await push(documentOf('The harbour opens at nine.', { id: 'open', semantic_identifier: 'Harbour' }))
  await push(documentOf('The harbour is sold: canary-board.', { id: 'closed' }), { cc_pair_id: pair })
  const custom_headers = [{ key: 'X-Key', value: 'canary-header-secret' }]
  const made = { name: 'Tickets', definition, passthrough_auth: false, custom_headers }
  tool = (await ok('POST', '/admin/tool/custom', { body: made })).id
  const persona = { name: 'Clerk', description: '', system_prompt: '', task_prompt: '', is_public: true }
  const rest = {
    datetime_aware: false,
    document_set_ids: [],
    tool_ids: [tool],
    starter_messages: [],
    users: [],
    groups: [],
  }
  persona_id = (await ok('POST', '/persona', { body: { ...persona, ...rest } })).id
})

const send = (message: string, more: object = {}, key = ann) =>
  stream('POST', '/chat/send-chat-message', { key, body: { message, ...more } })
const clerk = (message: string) => send(message, { chat_session_info: { persona_id } })
const objects = (lines: readonly Line[], type: string) => lines.filter(isType(type)).map((it) => it.obj)
/** The input of the model's last request, as one text. */
const given = () => JSON.stringify(model.requests.at(-1)!.body.messages)

test('the search tool returns only documents that the person may read', async () => {
  for (const [key, isBoard] of [
    [ann, false],
    [bob, true],
  ] as const) {
    model.script([
      calls({ name: 'internal_search', arguments: { queries: ['harbour', 'canary-board'] } }),
      says('At nine [1].'),
    ])
    const lines = await (await send('When does the harbour open?', {}, key)).rest()
    assert.deepEqual(objects(lines, 'search_tool_queries_delta'), [
      { type: 'search_tool_queries_delta', queries: ['harbour', 'canary-board'] },
    ])
    assert.match(given(), /opens at nine/)
    assert.equal(given().includes('canary-board.'), isBoard)
    const found = objects(lines, 'search_tool_documents_delta')[0].documents.map((it: Line) => it.document_id)
    assert.deepEqual(found.sort(), isBoard ? ['closed', 'open'] : ['open'])
    assert.ok(isBoard || !JSON.stringify(lines).includes('closed'))
  }
})

test('the model reads the tool result, and the person sees each step without secrets', async () => {
  status = 200
  model.script([calls({ name: 'getTicket', arguments: { id: 7 } }), says('Here it is.')])
  const lines = await (await clerk('Show me ticket 7')).rest()
  assert.deepEqual([seen.at(-1)!.method, seen.at(-1)!.url], ['GET', '/ticket/7'])
  assert.equal(seen.at(-1)!.headers['x-key'], 'canary-header-secret')
  assert.match(given(), /canary-answer/)
  assert.ok(!given().includes('canary-header-secret') && !JSON.stringify(lines).includes('canary-header-secret'))
  assert.deepEqual(objects(lines, 'custom_tool_args'), [
    { type: 'custom_tool_args', tool_name: 'getTicket', tool_args: { id: 7 } },
  ])
  assert.deepEqual(objects(lines, 'custom_tool_delta')[0].data, { ticket: 'canary-answer' })
  assert.equal(wordsOf(lines), 'Here it is.')
})

for (const approve of [true, false]) {
  test(`a writing tool is ${approve ? 'called when the person approves' : 'not called when the person denies'}`, async () => {
    model.script([calls({ name: 'setTicket', arguments: { id: 7, body: { state: 'closed' } } }), says('So be it.')])
    const before = seen.length
    const answer = await clerk('Close ticket 7')
    const { chat_session_id } = await answer.until((line) => line.chat_session_id !== undefined)
    const { obj } = await answer.until(isType('custom_tool_confirmation'))
    assert.deepEqual(
      [obj.tool_name, obj.method, obj.url, obj.tool_args],
      ['setTicket', 'PUT', `${url}/ticket/7`, { id: 7, body: { state: 'closed' } }],
    )
    assert.equal(seen.length, before)
    const { confirmation_id } = obj
    const foreign = await ask('POST', '/chat/confirm-tool-call', {
      key: bob,
      body: { chat_session_id, confirmation_id, approve: true },
    })
    assert.equal(foreign.status, 404)
    await ok('POST', '/chat/confirm-tool-call', { key: ann, body: { chat_session_id, confirmation_id, approve } })
    assert.equal(wordsOf(await answer.rest()), 'So be it.')
    assert.deepEqual(
      seen.slice(before).map((it) => [it.method, it.body]),
      approve ? [['PUT', '{"state":"closed"}']] : [],
    )
    if (!approve) assert.match(given(), /did not allow/)
  })
}

test('an address that the model invented is shown to the person first [X8]', async () => {
  const wish = `${url}/?d=everything`
  model.script([calls({ name: 'open_url', arguments: { urls: [wish] } }), says('Done.')])
  const before = seen.length
  const answer = await send('What is new?')
  const { obj } = await answer.until(isType('custom_tool_confirmation'))
  assert.deepEqual([obj.method, obj.url], ['GET', wish])
  answer.leave()
  assert.equal(seen.length, before)
})

test('the model gets an error for invalid arguments and may try again', async () => {
  status = 200
  model.script([
    calls({ name: 'getTicket', arguments: { id: 'seven' } }),
    calls({ name: 'getTicket', arguments: { id: 7 } }),
    says('Found.'),
  ])
  const before = seen.length
  assert.equal(wordsOf(await (await clerk('Ticket seven?')).rest()), 'Found.')
  assert.equal(seen.length, before + 1)
  const told = model.requests
    .at(-2)!
    .body.messages.map((it) => it.content)
    .join('\n')
  assert.match(told, /"id" is invalid/)
})

test('a failed call is reported to the model, stored for the tool owner, and can be replayed', async () => {
  status = 500
  model.script([calls({ name: 'getTicket', arguments: { id: 99 } }), says('It failed.')])
  const lines = await (await clerk('Ticket 99?')).rest()
  assert.equal(objects(lines, 'custom_tool_delta')[0].error.status_code, 500)
  const failures = await ok('GET', `/admin/tool/${tool}/failures`)
  const last = failures.at(-1)
  assert.deepEqual([last.operation, last.arguments, last.status_code], ['getTicket', { id: 99 }, 500])
  status = 200
  const tried = await ok('POST', `/admin/tool/${tool}/try`, { body: { failure_id: last.id, run: true } })
  assert.deepEqual([tried.answer.status_code, tried.request.url], [200, `${url}/ticket/99`])
  assert.equal((await ask('GET', `/admin/tool/${tool}/failures`, { key: ann })).status, 403)
})

test('the calculator and date tools need no approval', async () => {
  model.script([
    calls({ name: 'calculator', arguments: { expression: '0.1 + 0.2' } }, { name: 'date', arguments: {} }),
    says('0.3.'),
  ])
  assert.equal(wordsOf(await (await send('0.1 + 0.2?')).rest()), '0.3.')
  assert.match(given(), /= 0\.3/)
  assert.match(given(), /, week \d+, \d\d:\d\d UTC/)
  const names = model.requests
    .at(-1)!
    .body.tools!.map((it) => it.function.name)
    .sort()
  const builtIn = BUILT_IN_TOOLS.filter((it) => it.row.default_enabled).map((it) => it.row.name)
  assert.deepEqual(names, builtIn.sort())
})

test('a disabled tool is not offered to a model', async () => {
  await ok('PATCH', '/admin/tool/status', { body: { tool_ids: [tool], enabled: false } })
  model.script([says('Nothing to do.')])
  const lines = await (await clerk('Ticket 7?')).rest()
  assert.ok(lines.every((it) => !typeOf(it).startsWith('custom_tool')))
  assert.equal(model.requests.at(-1)!.body.tools, undefined)
})
