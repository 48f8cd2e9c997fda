// Trying tools, their visibility, and comparing definitions.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { start } from './setup.ts'

const seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = []
const server = createServer(async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const { method = '', url = '', headers } = request
  seen.push({ method, url, headers, body: Buffer.concat(pieces).toString() })
  response.writeHead(url.startsWith('/gone') ? 404 : 200, { 'content-type': 'application/json' })
  response.end('{"ok":true}')
})
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const { ask, ok, makeKey } = await start({ EGRESS_ALLOW: '127.0.0.1' })
const city = { name: 'city', in: 'path', required: true, schema: { type: 'string' } }
const set = {
  operationId: 'set.weather',
  summary: 'Sets it',
  parameters: [city],
  requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
}
const now = { operationId: 'now', summary: 'Now' }
const definition = {
  openapi: '3.0.0',
  info: { title: 'T', description: 'T' },
  servers: [{ url }],
  paths: {
    '/now': { get: now },
    '/in/{city}': { put: set },
    '/gone': { get: { operationId: 'gone', summary: 'Gone' } },
  },
}
const SECRET = 'canary-0123456789-tail'
const make = async (more: object = {}, key?: string): Promise<number> =>
  (
    await ok('POST', '/admin/tool/custom', {
      body: { name: 'weather', definition, passthrough_auth: false, ...more },
      ...(key !== undefined && { key }),
    })
  ).id
const attempt = (id: number, body: object, key?: string) =>
  ask('POST', `/admin/tool/${id}/try`, { body, ...(key !== undefined && { key }) })

test('the request is shown with masked secrets and not sent', async () => {
  const id = await make({ custom_headers: [{ key: 'X-Key', value: SECRET }] })
  const before = seen.length
  const reply = await attempt(id, { operation: 'set.weather', arguments: { city: 'a/b', body: { degrees: 7 } } })
  assert.deepEqual(reply.body, {
    operation: 'set.weather',
    arguments: { city: 'a/b', body: { degrees: 7 } },
    request: {
      method: 'PUT',
      url: `${url}/in/a%2Fb`,
      headers: {
        accept: 'application/json, text/*;q=0.9, */*;q=0.5',
        'content-type': 'application/json',
        'x-key': 'cana...tail',
      },
      body: '{"degrees":7}',
    },
    answer: null,
    error: null,
  })
  assert.equal(seen.length, before)
})

test('with run, the request is sent and the response is what a model reads', async () => {
  const id = await make({ custom_headers: [{ key: 'X-Key', value: SECRET }] })
  const reply = await attempt(id, { operation: 'set_weather', arguments: { city: 'Bonn', body: {} }, run: true })
  const { took_ms, ...answer } = reply.body.answer
  assert.deepEqual(answer, {
    status_code: 200,
    media_type: 'application/json',
    kind: 'json',
    text: '{"ok":true}',
    is_truncated: false,
  })
  assert.ok(Number.isInteger(took_ms))
  assert.ok(!reply.text.includes(SECRET))
  const last = seen.at(-1)!
  assert.deepEqual([last.method, last.url, last.body, last.headers['x-key']], ['PUT', '/in/Bonn', '{}', SECRET])
})

test('a failed call is a result', async () => {
  const id = await make()
  assert.equal((await attempt(id, { operation: 'gone', run: true })).body.answer.status_code, 404)
  const elsewhere = await make({ definition: { ...definition, servers: [{ url: 'http://nobody.invalid' }] } })
  const { answer, error } = (await attempt(elsewhere, { operation: 'now', run: true })).body
  assert.deepEqual([answer, error], [null, 'The name nobody.invalid has no address.'])
})

test('with passthrough_auth a token of the caller is sent and not shown', async () => {
  const id = await make({ passthrough_auth: true })
  const { body } = await attempt(id, { operation: 'now', run: true })
  assert.match(String(seen.at(-1)!.headers.authorization), /^Bearer pharos_call_[0-9A-Za-z]{10}_/)
  assert.equal(body.request.headers.authorization, 'Bear...ll_…')
})

test('a tool that needs an account returns the configuration to connect', async () => {
  const body = { name: 'A', authorization_url: `${url}/a`, token_url: `${url}/t`, client_id: 'c', client_secret: 's' }
  const { id: oauth_config_id } = await ok('POST', '/admin/oauth-config/create', { body })
  const reply = await attempt(await make({ oauth_config_id }), { operation: 'now' })
  assert.deepEqual([reply.status, reply.body.error_code], [400, 'TOOL_NEEDS_CONSENT'])
})

for (const [body, said] of [
  [{}, '`operation` must be an operation of the tool: now, set.weather, gone.'],
  [{ operation: 'then' }, '`operation` must be an operation of the tool: now, set.weather, gone.'],
  [{ operation: 'set.weather' }, /"city"/],
  [{ operation: 'set.weather', arguments: { city: '..' } }, /"\." or "\.\."/],
  [{ operation: 'now', arguments: { colour: 'red' } }, /colour/],
] as const) {
  test(`${JSON.stringify(body)} cannot be sent, with the reason`, async () => {
    const reply = await attempt(await make(), body)
    assert.deepEqual([reply.status, reply.body.error_code], [400, 'INVALID_INPUT'])
    if (typeof said === 'string') assert.equal(reply.body.detail, said)
    else assert.match(reply.body.detail, said)
  })
}

test('an unknown failed call is 404, and a built-in tool cannot be tried', async () => {
  const id = await make()
  assert.equal((await attempt(id, { failure_id: 7 })).body.error_code, 'TOOL_FAILURE_NOT_FOUND')
  assert.equal((await attempt(1, { operation: 'x' })).body.error_code, 'BUILT_IN_TOOL')
  assert.equal((await attempt(999_999, { operation: 'x' })).body.error_code, 'TOOL_NOT_FOUND')
  assert.deepEqual(await ok('GET', `/admin/tool/${id}/failures`), [])
})

test('trying a tool is audited', async () => {
  const id = await make()
  await attempt(id, { operation: 'now' })
  const entries = await ok('GET', `/admin/audit?action=tool.try&object_id=${id}`)
  assert.equal(entries.length, 1)
})

test('added, removed and changed operations are listed with their changes', async () => {
  const id = await make()
  const changed = {
    ...definition,
    servers: [{ url: `${url}/v2` }],
    paths: {
      '/now': { get: now },
      '/at/{city}': { post: { ...set, parameters: [{ ...city, schema: { type: 'integer' } }] } },
      '/then': { get: { operationId: 'then', summary: 'Then' } },
    },
  }
  const {
    added,
    removed,
    changed: changes,
    server: servers,
  } = await ok('POST', `/admin/tool/${id}/diff`, {
    body: { definition: changed },
  })
  assert.deepEqual(added, [{ name: 'then', summary: 'Then', method: 'get', path: '/then' }])
  assert.deepEqual(removed, [{ name: 'gone', summary: 'Gone', method: 'get', path: '/gone' }])
  assert.deepEqual(servers, { before: url, after: `${url}/v2` })
  assert.equal(changes.length, 1)
  assert.deepEqual(
    changes[0].changes.map((it: { field: string; before: unknown; after: unknown }) =>
      it.field === 'parameters' ? it.field : [it.field, it.before, it.after],
    ),
    [['method', 'PUT', 'POST'], ['path', '/in/{city}', '/at/{city}'], 'parameters'],
  )
})

test('references are resolved, and the same definition changes nothing', async () => {
  const withSchema = (type: string) => ({
    ...definition,
    components: { parameters: { Day: { name: 'day', in: 'query', schema: { type } } } },
    paths: { '/now': { get: { ...now, parameters: [{ $ref: '#/components/parameters/Day' }] } } },
  })
  const id = await make({ definition: withSchema('string') })
  const diff = async (type: string) =>
    (await ok('POST', `/admin/tool/${id}/diff`, { body: { definition: withSchema(type) } })).changed.length
  assert.deepEqual([await diff('string'), await diff('integer')], [0, 1])
})

test('an unusable definition is rejected, and nothing is stored', async () => {
  const id = await make()
  const reply = await ask('POST', `/admin/tool/${id}/diff`, { body: { definition: { openapi: '2.0' } } })
  assert.deepEqual([reply.status, reply.body.detail[0].type], [422, 'INVALID_DEFINITION'])
  await ok('POST', `/admin/tool/${id}/diff`, { body: { definition: { ...definition, paths: { '/x': { get: now } } } } })
  assert.deepEqual((await ok('GET', `/tool/${id}`)).definition, definition)
})

const grants = ({ requires_confirmation, is_public }: { requires_confirmation: boolean; is_public: boolean }) => [
  requires_confirmation,
  is_public,
]

test('a tool of a basic key is private and requires confirmation, which the key cannot disable', async () => {
  const key = await makeKey({ role: 'basic' })
  const id = await make({}, key)
  assert.deepEqual(grants(await ok('GET', `/tool/${id}`, { key })), [true, false])
  for (const body of [{ requires_confirmation: false }, { is_public: true }]) {
    const changed = await ask('PUT', `/admin/tool/custom/${id}`, { key, body })
    const made = await ask('POST', '/admin/tool/custom', {
      key,
      body: { name: 'x', definition, passthrough_auth: false, ...body },
    })
    for (const reply of [changed, made]) {
      assert.deepEqual([reply.status, reply.body.error_code], [403, 'INSUFFICIENT_PERMISSIONS'])
    }
  }
  const curator = await makeKey({ role: 'curator' })
  const own = await make({}, curator)
  assert.deepEqual(grants(await ok('GET', `/tool/${own}`)), [true, true])
  const lifted = await ask('PUT', `/admin/tool/custom/${own}`, { key: curator, body: { requires_confirmation: false } })
  assert.equal(lifted.status, 403)
})

test('grants of an administrator end when the owner changes the tool', async () => {
  const key = await makeKey({ role: 'basic' })
  const id = await make({}, key)
  const put = (body: object, by?: string) =>
    ok('PUT', `/admin/tool/custom/${id}`, { body, ...(by !== undefined && { key: by }) })
  for (const body of [{ definition }, { passthrough_auth: false }, { custom_headers: [] }]) {
    assert.deepEqual(grants(await put({ requires_confirmation: false, is_public: true })), [false, true])
    assert.deepEqual(grants(await put({ name: 'another', description: 'x' }, key)), [false, true])
    assert.deepEqual(grants(await put(body, key)), [true, false])
  }
  await put({ requires_confirmation: false, is_public: true })
  assert.deepEqual(grants(await put({ definition })), [false, true])
})

test('an unshared tool is visible to its owner and administrators only', async () => {
  const [ann, bob] = [await makeKey({ role: 'basic' }), await makeKey({ role: 'basic' })]
  const [own, shared] = [await make({}, ann), await make()]
  for (const list of ['/tool?limit=1000', '/tool/openapi?limit=1000']) {
    const idsOf = async (key?: string) =>
      (await ok('GET', list, key === undefined ? {} : { key })).map((it: { id: number }) => it.id)
    const [toAnn, toBob, toAdmin] = [await idsOf(ann), await idsOf(bob), await idsOf()]
    assert.deepEqual(
      [toAnn, toBob, toAdmin].map((it) => it.includes(own)),
      [true, false, true],
    )
    assert.ok(toBob.includes(shared))
  }
  assert.equal((await ask('GET', `/tool/${own}`, { key: bob })).status, 404)
  await ok('PUT', `/admin/tool/custom/${own}`, { body: { is_public: true } })
  assert.equal((await ok('GET', `/tool/${own}`, { key: bob })).id, own)
})

test('the operations of a tool are listed with the arguments that a model sends', async () => {
  const operations = await ok('GET', `/admin/tool/${await make()}/operations`)
  assert.deepEqual(
    operations.map((it: { raw_name: string }) => it.raw_name),
    ['now', 'set.weather', 'gone'],
  )
  assert.deepEqual(operations[1], {
    name: 'set_weather',
    raw_name: 'set.weather',
    summary: 'Sets it',
    method: 'PUT',
    path: '/in/{city}',
    arguments: {
      type: 'object',
      properties: { city: { type: 'string' }, body: { type: 'object' } },
      required: ['city'],
      additionalProperties: false,
    },
  })
  assert.equal((await ask('GET', '/admin/tool/1/operations')).body.error_code, 'BUILT_IN_TOOL')
})
