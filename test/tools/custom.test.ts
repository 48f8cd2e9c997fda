// Tools made of OpenAPI definitions, called as in a chat, with real servers.
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { PacketObject } from '../../src/domain/chat/packet.ts'
import { rawServer } from '../egress/fake-internet.ts'
import { ADA, ANN, BOB, definitionOf, openToolFixture, runOf } from './tool-fixture.ts'

const it = await openToolFixture({ callTimeoutMs: 2_000 })
const { internet, db, one, make, callables, tools } = it

interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}
const seen: Seen[] = []
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => void response.end()
await internet.site('tool.example', async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const { method = '', url = '', headers } = request
  seen.push({ method, url, headers, body: Buffer.concat(pieces).toString() })
  answer(request, response)
})
const answers = (body: string | Buffer, type: string | null = 'application/json', status = 200) => {
  answer = (_, response) => {
    response.writeHead(status, type === null ? {} : { 'content-type': type })
    response.end(body)
  }
}
const sinceThen = async <T>(work: () => Promise<T>): Promise<{ result: T; requests: Seen[] }> => {
  const before = seen.length
  const result = await work()
  return { result, requests: seen.slice(before) }
}

const GET = definitionOf({ '/now': { get: { operationId: 'now' } } })
const city = { name: 'city', in: 'path', required: true, schema: { type: 'string', minLength: 2 } }
const WRITE = definitionOf({
  '/in/{city}': {
    put: {
      operationId: 'set',
      parameters: [city, { name: 'unit', in: 'query', schema: { enum: ['c', 'f'] } }],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { properties: { degrees: { type: 'number' } } } } },
      },
    },
  },
})
const deltaOf = (packets: readonly PacketObject[]) => {
  const delta = packets.find((packet) => packet.type === 'custom_tool_delta')
  assert.ok(delta?.type === 'custom_tool_delta')
  return delta
}

test('an operation is described with its arguments', async () => {
  const callable = await one(ANN, { definition: WRITE, name: 'Weather' })
  assert.deepEqual([callable.name, callable.description], ['set', 'Weather: It does something'])
  assert.deepEqual(callable.parameters, {
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 2 },
      unit: { enum: ['c', 'f'] },
      body: { type: 'object', properties: { degrees: { type: 'number' } } },
    },
    required: ['city', 'body'],
    additionalProperties: false,
  })
})

test('a call follows the definition, and each step is shown in order', async () => {
  answers('{"now":7}')
  const callable = await one(ANN, { definition: WRITE, custom_headers: [{ key: 'X-Key', value: 'secret' }] })
  const run = runOf(ANN)
  const args = { city: '../a b', unit: 'c', body: { degrees: 7 } }
  const { result, requests } = await sinceThen(() => callable.call(args, run))
  assert.deepEqual(result, { text: '{"now":7}', passages: [], isError: false })
  const [request] = requests
  assert.deepEqual(
    [requests.length, request!.method, request!.url, request!.body, request!.headers['x-key']],
    [1, 'PUT', '/in/..%2Fa%20b?unit=c', '{"degrees":7}', 'secret'],
  )
  assert.deepEqual(
    run.packets.map((packet) => packet.type),
    ['custom_tool_start', 'custom_tool_args', 'custom_tool_delta'],
  )
  const { response_type, data, error, file_ids, tool_name } = deltaOf(run.packets)
  assert.deepEqual([response_type, data, error, file_ids, tool_name], ['json', { now: 7 }, null, null, 'set'])
})

test('a write asks the person and shows the request and its target [X10]', async () => {
  const callable = await one(ANN, { definition: WRITE })
  const args = { city: 'Bonn', body: {} }
  const run = runOf(ANN, {}, false)
  const { result, requests } = await sinceThen(() => callable.call(args, run))
  assert.equal(requests.length, 0)
  assert.equal(result.isError, true)
  assert.match(result.text, /did not allow/)
  assert.deepEqual(
    run.asked.map(({ tool_id: _, ...call }) => call),
    [{ tool_name: 'set', method: 'PUT', url: 'http://tool.example/in/Bonn', tool_args: args }],
  )
  const agreed = runOf(ANN)
  assert.equal((await sinceThen(() => callable.call(args, agreed))).requests.length, 1)
  assert.equal(agreed.asked.length, 1)
})

test('a GET needs no confirmation, nor does a tool whose confirmation an administrator disabled', async () => {
  answers('{}')
  const lifted = await one(ADA, { definition: WRITE, requires_confirmation: false })
  for (const [callable, args] of [
    [await one(ANN, { definition: GET }), {}],
    [lifted, { city: 'Bonn', body: {} }],
  ] as const) {
    const run = runOf(ADA, {}, false)
    assert.equal((await callable.call(args, run)).isError, false)
    assert.deepEqual(run.asked, [])
  }
})

for (const [args, said] of [
  [{ body: {} }, /"city"/],
  [{ city: 'x', body: {} }, /"city"/],
  [{ city: 'Bonn' }, /"body"/],
  [{ city: 'Bonn', body: { degrees: 'warm' } }, /"body\.degrees"/],
  [{ city: 'Bonn', unit: 'k', body: {} }, /"unit"/],
  [{ city: 'Bonn', body: {}, role: 'admin' }, /role/],
  [{ city: '..', body: {} }, /"\." or "\.\."/],
] as const) {
  test(`invalid arguments ${JSON.stringify(args)} are not sent, and the person is not asked`, async () => {
    const callable = await one(ANN, { definition: WRITE })
    const run = runOf(ANN)
    const { result, requests } = await sinceThen(() => callable.call(args, run))
    assert.deepEqual([requests.length, run.asked.length, result.isError], [0, 0, true])
    assert.match(result.text, said)
    assert.match(deltaOf(run.packets).error!.message, said)
  })
}

test('passthrough sends a token of the caller, without consent if the tool is their own', async () => {
  answers('{}')
  const { id } = await make(ANN, { definition: GET, passthrough_auth: true })
  const [callable] = await callables(ANN, [id])
  const run = runOf(ANN)
  const { requests } = await sinceThen(() => callable!.call({}, run))
  assert.deepEqual([requests[0]!.headers.authorization, run.asked], [`Bearer token-of-ann-for-tool-${id}`, []])
  const other = await one(ANN, { definition: GET })
  const silent = await sinceThen(() => other.call({}, runOf(ANN)))
  assert.equal(silent.requests[0]!.headers.authorization, undefined)
})

test('a tool that changed while its call was prepared receives no token', async () => {
  answers('{}')
  const { id } = await make(ANN, { definition: GET, passthrough_auth: true })
  const [callable] = await callables(ANN, [id])
  await db.updateTable('tool').set({ time_updated: 2 }).where('id', '=', id).execute()
  const { requests, result } = await sinceThen(() => callable!.call({}, runOf(ANN)))
  assert.equal(requests.length, 0)
  assert.match(result.text, /was changed during/)
})

test('a header of the tool takes precedence over one from a model', async () => {
  answers('{}')
  const parameters = [{ name: 'X-Key', in: 'header', schema: { type: 'string' } }]
  const definition = definitionOf({ '/now': { get: { operationId: 'now', parameters } } })
  const callable = await one(ANN, { definition, custom_headers: [{ key: 'x-key', value: 'ours' }] })
  const { requests } = await sinceThen(() => callable.call({ 'X-Key': 'theirs' }, runOf(ANN)))
  assert.equal(requests[0]!.headers['x-key'], 'ours')
})

test('only redirects within the origin are followed [O3]', async () => {
  await internet.site('evil.example', (_, response) => void response.end('got it'), { address: '93.184.216.99' })
  const before = internet.opened.length
  answer = (_, response) => void response.writeHead(302, { location: 'http://evil.example/' }).end()
  const callable = await one(ANN, { definition: GET, custom_headers: [{ key: 'X-Key', value: 'secret' }] })
  const away = await callable.call({}, runOf(ANN))
  assert.equal(away.isError, true)
  assert.match(away.text, /redirects to another origin, evil\.example/)
  assert.ok(internet.opened.slice(before).every((place) => !place.startsWith('93.184.216.99')))
  answer = (request, response) => {
    if (request.url === '/now') response.writeHead(307, { location: '/then' }).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end('"there"')
  }
  const { result, requests } = await sinceThen(() => callable.call({}, runOf(ANN)))
  assert.equal(result.text, '"there"')
  assert.deepEqual(
    requests.map((request) => [request.url, request.headers['x-key']]),
    [
      ['/now', 'secret'],
      ['/then', 'secret'],
    ],
  )
})

test('a server on a private network is not called, even if its name changes later [O3]', async () => {
  internet.names('inner.example', ['10.0.0.1'])
  for (const server of ['http://inner.example', 'http://169.254.169.254', 'http://127.0.0.1:9200']) {
    const callable = await one(ANN, { definition: definitionOf({ '/x': { get: { operationId: 'x' } } }, server) })
    const result = await callable.call({}, runOf(ANN))
    assert.equal(result.isError, true)
    assert.match(result.text, /not on the public internet|metadata service/)
  }
  assert.equal(internet.canary.connections, 0)
})

for (const [what, body, type, text, shown] of [
  ['JSON', '{"a":[1]}', 'application/json; charset=utf-8', '{"a":[1]}', 'json'],
  ['JSON of another media type', '{"a":1}', 'application/problem+json', '{"a":1}', 'json'],
  ['JSON without a type', '[1]', null, '[1]', 'json'],
  ['text', 'It rains', 'text/plain', 'It rains', 'text'],
  ['XML', '<a>b</a>', 'application/xml', '<a>b</a>', 'text'],
  ['invalid JSON', '{"a":', 'application/json', '{"a":', 'text'],
  ['text in Latin-1', Buffer.from('caf\xe9', 'latin1'), 'text/plain; charset=iso-8859-1', 'café', 'text'],
  ['text in an unknown charset', 'x', 'text/plain; charset=klingon', 'x', 'text'],
  ['an empty body', '', 'application/json', 'The response is empty.', 'empty'],
  [
    'a picture',
    Buffer.from([0x89, 0x50, 0, 1]),
    'image/png',
    'The response is image/png, 4 bytes, and is not shown.',
    'other',
  ],
  [
    'binary data declared as text',
    Buffer.from([0, 1, 2]),
    'text/plain',
    'The response is text/plain, 3 bytes, and is not shown.',
    'other',
  ],
  [
    'the media type constructor',
    'x',
    'constructor',
    'The response is constructor, 1 bytes, and is not shown.',
    'other',
  ],
] as const) {
  test(`a response with ${what} is read as ${shown} [S23]`, async () => {
    answers(body, type)
    const run = runOf(ANN)
    const result = await (await one(ANN, { definition: GET })).call({}, run)
    assert.deepEqual([result.text, result.isError, deltaOf(run.packets).response_type], [text, false, shown])
  })
}

test('a page is read as text [S23]', async () => {
  answers(
    '<html><head><title>T</title><script>alert(1)</script></head><body><main><h1>Sky</h1><p>It rains.</p></main></body></html>',
    'text/html',
  )
  const result = await (await one(ANN, { definition: GET })).call({}, runOf(ANN))
  assert.match(result.text, /It rains\./)
  assert.doesNotMatch(result.text, /alert|<p>/)
})

test('an endless response is cut at a mebibyte and marked [S23]', async () => {
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  }
  const run = runOf(ANN)
  const { text, isError } = await (await one(ANN, { definition: GET })).call({}, run)
  assert.equal(isError, false)
  assert.match(text.slice(-100), /\[truncated: only the first 1048576 bytes were read\]$/)
  assert.equal(text.indexOf('\n'), 1_048_576)
  assert.ok(JSON.stringify(run.packets).length < 20_000)
})

test('a response that unpacks to a gibibyte is cut too [S23]', async () => {
  const bomb = gzipSync(Buffer.alloc(64 << 20, 'x'))
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
    response.end(bomb)
  }
  const { text } = await (await one(ANN, { definition: GET })).call({}, runOf(ANN))
  assert.match(text.slice(-100), /truncated/)
  assert.ok(text.length < 1_050_000)
})

test('truncated JSON is returned as text without half characters [S23]', async () => {
  answers(`["${'ü'.repeat(600_000)}"]`)
  const run = runOf(ANN)
  const { text } = await (await one(ANN, { definition: GET })).call({}, run)
  assert.equal(deltaOf(run.packets).response_type, 'text')
  assert.doesNotMatch(text, /\ufffd/)
})

test('a call to a server that never answers times out [S23]', async () => {
  answer = () => {}
  const run = runOf(ANN)
  const result = await (await one(ANN, { definition: GET })).call({}, run)
  assert.deepEqual([result.isError, result.text], [true, 'tool.example did not answer completely within 2000 ms.'])
  assert.deepEqual(deltaOf(run.packets).error, { is_auth_error: false, status_code: null, message: result.text })
})

test('the part before a server stalls is kept [S23]', async () => {
  answer = (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('the beginning')
  const { text, isError } = await (await one(ANN, { definition: GET })).call({}, runOf(ANN))
  assert.equal(isError, false)
  assert.match(text, /^the beginning\n\[truncated: tool\.example did not answer completely/)
})

test('a response that is not HTTP is a failure [S23]', async () => {
  internet.name('odd.example', '93.184.216.77')
  await internet.place('93.184.216.77', 80, rawServer('SSH-2.0-OpenSSH\r\n'))
  const definition = definitionOf({ '/x': { get: { operationId: 'x' } } }, 'http://odd.example')
  const result = await (await one(ANN, { definition })).call({}, runOf(ANN))
  assert.deepEqual(
    [result.isError, result.text],
    [true, 'The response of odd.example is incomplete or not valid HTTP.'],
  )
})

for (const [status, is_auth_error] of [
  [401, true],
  [403, true],
  [404, false],
  [500, false],
] as const) {
  test(`a response ${status} is a failure that a model can read`, async () => {
    answers('{"why":"because"}', 'application/json', status)
    const run = runOf(ANN)
    const result = await (await one(ANN, { definition: GET })).call({}, run)
    assert.deepEqual(
      [result.isError, result.text],
      [true, `The server responded with status ${status}.\n{"why":"because"}`],
    )
    assert.deepEqual(deltaOf(run.packets).error, {
      is_auth_error,
      status_code: status,
      message: `The server responded with status ${status}.`,
    })
  })
}

test('the end of a chat aborts its call', async () => {
  const reason = new Error('the person left')
  const stop = new AbortController()
  answer = () => stop.abort(reason)
  const callable = await one(ANN, { definition: GET })
  await assert.rejects(callable.call({}, runOf(ANN, { signal: stop.signal })), reason)
})

test('a failed call of a chat is stored sealed for the owner and can be replayed', async () => {
  answers('no', 'text/plain', 500)
  const { id } = await make(ANN, { definition: WRITE })
  const [callable] = await callables(ANN, [id])
  await callable!.call({ city: 'canary-city', body: { degrees: 1 } }, runOf(ANN))
  await callable!.call({ city: 'Bonn', body: {} }, runOf(ANN, {}, false))
  const failures = await tools.tester.listFailedCalls(ANN, id, { after: 0, limit: 10 })
  assert.deepEqual(
    failures.map(({ operation, arguments: args, reason, status_code }) => [operation, args, reason, status_code]),
    [['set', { city: 'canary-city', body: { degrees: 1 } }, 'The server responded with status 500. no', 500]],
  )
  const rows = await it.db.selectFrom('tool_failure').selectAll().execute()
  assert.ok(!JSON.stringify(rows).includes('canary-city'))
  await assert.rejects(tools.tester.listFailedCalls(BOB, id, { after: 0, limit: 10 }), { code: 'NOT_OWNER' })
  answers('{"ok":true}')
  const request = { operation: null, arguments: null, failure_id: failures[0]!.id, run: true }
  const asked = { signal: AbortSignal.timeout(20_000) }
  const tried = await tools.tester.tryCall(ANN, id, request, asked)
  assert.deepEqual([tried.request.url, tried.answer?.text], ['http://tool.example/in/canary-city', '{"ok":true}'])
  const { id: other } = await make(ANN, { definition: WRITE })
  await assert.rejects(tools.tester.tryCall(ANN, other, request, asked), { code: 'TOOL_FAILURE_NOT_FOUND' })
})

test('the newest hundred failed calls are kept', async () => {
  answers('no', 'text/plain', 500)
  const { id } = await make(ANN, { definition: GET })
  const [callable] = await callables(ANN, [id])
  for (let at = 0; at < 103; at++) await callable!.call({}, runOf(ANN))
  assert.equal((await tools.tester.listFailedCalls(ANN, id, { after: 0, limit: 1_000 })).length, 100)
})

test('a tool belongs to its owner until a person with the right shares it', async () => {
  const own = await make(ANN, { definition: GET })
  const shared = await make(ADA, { definition: GET })
  const kept = await make(ADA, { definition: GET, is_public: false })
  const ids = [own.id, shared.id, kept.id]
  const idsFor = async (subject: typeof ANN) => (await tools.toolsFor(subject, ids)).map((tool) => tool.id)
  assert.deepEqual(await idsFor(ANN), [own.id, shared.id])
  assert.deepEqual(await idsFor(BOB), [shared.id])
  assert.deepEqual(await idsFor(ADA), ids)
})

test('callables have unique names, whatever the names of their tools', async () => {
  const ids = []
  for (const name of ['Wetter Köln', 'Wetter Köln', 'x'.repeat(80)])
    ids.push((await make(ANN, { name, definition: GET })).id)
  const long = definitionOf({
    '/a': { get: { operationId: 'a'.repeat(70) } },
    '/b': { get: { operationId: `${'a'.repeat(70)}b` } },
  })
  ids.push((await make(ANN, { definition: long })).id)
  const names = (await callables(ANN, ids)).map((callable) => callable.name)
  assert.equal(names.length, 5)
  assert.equal(new Set(names).size, 5)
  for (const name of names) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
  assert.deepEqual(names.slice(0, 2), ['now', 'Wetter_K_ln_now'])
})

test('a definition of 10,000 operations offers a limited number to a model', async () => {
  const many = definitionOf(
    Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`/${at}`, { get: { operationId: `get${at}` } }])),
  )
  const { id } = await make(ANN, { definition: many })
  assert.equal((await callables(ANN, [1, id])).length, 128)
})

test('a tool without a definition is omitted', async () => {
  const { id } = await make(ANN, { definition: GET })
  await it.db.updateTable('tool').set({ definition: '{}' }).where('id', '=', id).execute()
  assert.deepEqual(await tools.toolsFor(ANN, [id]), [])
})
