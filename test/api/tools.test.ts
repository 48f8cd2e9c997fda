import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { start } from './setup.ts'

const { server, ask, ok, makeKey } = await start()
const TOOL = '/admin/tool/custom'

const definition = {
  openapi: '3.0.0',
  info: { title: 'Weather', description: 'Says the weather', version: '1' },
  servers: [{ url: 'https://weather.example.com' }],
  paths: { '/now': { get: { operationId: 'now', summary: 'The weather now' } } },
}
const SECRET = 'Bearer canary-0123456789-tail'
const whole = {
  name: 'weather',
  description: 'Says the weather.',
  definition,
  custom_headers: [{ key: 'X-Weather-Key', value: SECRET }],
  passthrough_auth: false,
  oauth_config_id: null,
}
const MASKED = [{ key: 'X-Weather-Key', value: 'Bear...tail' }]

const make = (more: object = {}, key?: string) =>
  ok('POST', TOOL, { body: { ...whole, ...more }, ...(key !== undefined && { key }) })

const without = (tool: Record<string, unknown>) => {
  const { id: _, user_id: __, version: ___, ...rest } = tool
  return rest
}

const SNAPSHOT = {
  name: 'weather',
  description: 'Says the weather.',
  definition,
  display_name: 'weather',
  in_code_tool_id: null,
  custom_headers: [{ key: 'X-Weather-Key', value: SECRET }],
  passthrough_auth: false,
  mcp_server_id: null,
  oauth_config_id: null,
  oauth_config_name: null,
  enabled: true,
  chat_selectable: true,
  agent_creation_selectable: true,
  default_enabled: false,
  requires_confirmation: true,
  is_public: true,
  passthrough_grant: null,
}

test('a created tool is returned with all fields and defaults', async () => {
  const tool = await make()
  assert.deepEqual(without(tool), SNAPSHOT)
  assert.ok(Number.isInteger(tool.id))
  assert.equal(typeof tool.user_id, 'string')
})

test('an updated tool is returned with all fields and defaults', async () => {
  const { id } = await make()
  const tool = await ok('PUT', `${TOOL}/${id}`, { body: whole })
  assert.deepEqual(without(tool), SNAPSHOT)
  assert.equal(tool.id, id)
})

test('a tool is returned with all fields and defaults, its headers masked [O5]', async () => {
  const { id } = await make()
  assert.deepEqual(without(await ok('GET', `/tool/${id}`)), { ...SNAPSHOT, custom_headers: MASKED })
})

test('a minimal tool has a name, a definition and passthrough_auth', async () => {
  const body = { name: 'least', definition, passthrough_auth: true }
  const { passthrough_grant, ...made } = await ok('POST', TOOL, { body })
  assert.match(passthrough_grant.granted_at, /^2/)
  assert.deepEqual(without({ ...made, passthrough_grant: null }), {
    ...SNAPSHOT,
    name: 'least',
    display_name: 'least',
    description: '',
    custom_headers: [],
    passthrough_auth: true,
  })
})

const CHANGES: [sent: object, changed: object][] = [
  [{ name: 'climate' }, { name: 'climate', display_name: 'climate' }],
  [{ description: 'Says the climate.' }, { description: 'Says the climate.' }],
  [{ description: '' }, { description: '' }],
  [{ definition: { ...definition, openapi: '3.1.0' } }, { definition: { ...definition, openapi: '3.1.0' } }],
  [{ custom_headers: [{ key: 'A', value: 'b' }] }, { custom_headers: [{ key: 'A', value: '•'.repeat(12) }] }],
  [{ custom_headers: [] }, { custom_headers: [] }],
  [{ passthrough_auth: true }, { passthrough_auth: true }],
  [{ passthrough_auth: 'true' }, { passthrough_auth: true }],
  [{}, {}],
  [{ oauth_config_id: null }, {}],
  [
    {
      name: null,
      description: null,
      definition: null,
      custom_headers: null,
      passthrough_auth: null,
      oauth_config_id: null,
    },
    {},
  ],
  [{ colour: 'blue', id: 1, user_id: 'x', enabled: false }, {}],
]
for (const [sent, changed] of CHANGES) {
  test(`an update with ${JSON.stringify(sent)} changes only what is sent`, async () => {
    const { id } = await make()
    const before = await ok('GET', `/tool/${id}`)
    await ok('PUT', `${TOOL}/${id}`, { body: sent })
    const after = await ok('GET', `/tool/${id}`)
    // An administrator who enables it also grants it.
    assert.equal(after.passthrough_grant !== null, after.passthrough_auth)
    assert.deepEqual({ ...after, passthrough_grant: null }, { ...before, ...changed, version: after.version })
  })
}

test('a tool is updated under /api too', async () => {
  const { id } = await make()
  assert.equal((await ok('PUT', `/api${TOOL}/${id}`, { body: { name: 'by api' } })).name, 'by api')
  assert.equal((await ok('GET', `/api/tool/${id}`)).name, 'by api')
})

test('an update needs a body', async () => {
  const { id } = await make()
  const { status, body } = await ask('PUT', `${TOOL}/${id}`)
  assert.deepEqual(
    [status, body],
    [422, { detail: [{ loc: ['body'], msg: 'Field required', type: 'missing' }], message: 'body: Field required' }],
  )
})

const INVALID: [body: unknown, loc: (string | number)[], type: string][] = [
  [[], ['body'], 'model_attributes_type'],
  [{ name: 5 }, ['body', 'name'], 'string_type'],
  [{ description: [] }, ['body', 'description'], 'string_type'],
  [{ definition: 'x' }, ['body', 'definition'], 'dict_type'],
  [{ custom_headers: {} }, ['body', 'custom_headers'], 'list_type'],
  [{ custom_headers: ['x'] }, ['body', 'custom_headers', 0], 'model_attributes_type'],
  [{ custom_headers: [{ key: 'a' }] }, ['body', 'custom_headers', 0, 'value'], 'missing'],
  [{ custom_headers: [{ key: 'a', value: 'b' }, { value: 'b' }] }, ['body', 'custom_headers', 1, 'key'], 'missing'],
  [{ custom_headers: [{ key: 'a', value: 5 }] }, ['body', 'custom_headers', 0, 'value'], 'string_type'],
  [{ passthrough_auth: 'perhaps' }, ['body', 'passthrough_auth'], 'bool_parsing'],
  [{ passthrough_auth: 2 }, ['body', 'passthrough_auth'], 'bool_parsing'],
  [{ oauth_config_id: 'x' }, ['body', 'oauth_config_id'], 'int_parsing'],
]
for (const [body, loc, type] of INVALID) {
  test(`an update with ${JSON.stringify(body)} is refused`, async () => {
    const { id } = await make()
    const reply = await ask('PUT', `${TOOL}/${id}`, { body })
    assert.equal(reply.status, 422)
    assert.deepEqual([reply.body.detail[0].loc, reply.body.detail[0].type], [loc, type])
  })
}

for (const field of ['name', 'definition', 'passthrough_auth']) {
  test(`a tool without ${field} is refused`, async () => {
    const { [field]: _, ...body } = whole as Record<string, unknown>
    const reply = await ask('POST', TOOL, { body })
    assert.deepEqual(
      [reply.status, reply.body.detail],
      [422, [{ loc: ['body', field], msg: 'Field required', type: 'missing' }]],
    )
  })
}

for (const [method, path, body] of [
  ['PUT', `${TOOL}/999999`, {}],
  ['GET', '/tool/999999', undefined],
  ['PUT', `${TOOL}/0`, {}],
] as const) {
  test(`${method} ${path} is 404`, async () => {
    const reply = await ask(method, path, { body })
    assert.deepEqual(
      [reply.status, reply.body],
      [404, { error_code: 'TOOL_NOT_FOUND', detail: 'Tool by specified id does not exist.' }],
    )
  })
}

for (const id of ['1e3', '0x1', '+1', '%201', '1%00', '01', '1.0', '-1', '9223372036854775808', '%EF%BC%91', 'NaN']) {
  test(`${id} is not a valid tool id [C4]`, async () => {
    for (const [method, path] of [
      ['PUT', `${TOOL}/${id}`],
      ['GET', `/tool/${id}`],
    ] as const) {
      const { status, body } = await ask(method, path, method === 'PUT' ? { body: {} } : {})
      assert.deepEqual([status, body.detail[0].loc], [422, ['path', 'tool_id']])
    }
  })
}

test('errors in path and body are reported together', async () => {
  const { status, body } = await ask('PUT', `${TOOL}/x`, { body: { name: 5 } })
  assert.equal(status, 422)
  assert.deepEqual(
    body.detail.map((it: { loc: string[] }) => it.loc),
    [
      ['path', 'tool_id'],
      ['body', 'name'],
    ],
  )
})

test('the built-in search is tool 1', async () => {
  const { in_code_tool_id, name, display_name, definition } = await ok('GET', '/tool/1')
  assert.deepEqual(
    [in_code_tool_id, name, display_name, definition],
    ['SearchTool', 'internal_search', 'Internal Search', null],
  )
})

test('a built-in tool cannot be updated', async () => {
  const before = await ok('GET', '/tool/1')
  const { status, body } = await ask('PUT', `${TOOL}/1`, { body: { name: 'mine' } })
  assert.deepEqual(
    [status, body],
    [400, { error_code: 'BUILT_IN_TOOL', detail: 'Built-in tools cannot be modified through this endpoint.' }],
  )
  assert.deepEqual(await ok('GET', '/tool/1'), before)
})

test('two tools may have the same name', async () => {
  assert.notEqual((await make()).id, (await make()).id)
})

for (const role of ['curator', 'basic']) {
  test(`a ${role} can update its own tool`, async () => {
    const key = await makeKey({ role })
    const { id } = await make({}, key)
    assert.equal((await ok('PUT', `${TOOL}/${id}`, { key, body: { name: 'own' } })).name, 'own')
  })

  test(`a ${role} cannot update the tool of another user`, async () => {
    const { id } = await make({}, await makeKey({ role }))
    const key = await makeKey({ role })
    const { status, body } = await ask('PUT', `${TOOL}/${id}`, { key, body: { name: 'stolen' } })
    assert.deepEqual(
      [status, body],
      [403, { error_code: 'NOT_OWNER', detail: 'You can only modify actions that you created.' }],
    )
    assert.equal((await ok('GET', `/tool/${id}`)).name, 'weather')
  })
}

test('an administrator can update any tool, and the owner stays', async () => {
  const key = await makeKey({ role: 'basic' })
  const { id, user_id } = await make({}, key)
  assert.equal((await ok('PUT', `${TOOL}/${id}`, { body: { name: 'mended' } })).user_id, user_id)
  await ok('PUT', `${TOOL}/${id}`, { key, body: { name: 'still mine' } })
})

test('an administrator key with only the scope tools can update only its own tools', async () => {
  const key = await makeKey({ role: 'admin', scopes: ['tools'] })
  const { id } = await make()
  assert.equal((await ask('PUT', `${TOOL}/${id}`, { key, body: { name: 'x' } })).status, 403)
})

const CONFLICT = {
  error_code: 'PASSTHROUGH_CONFLICT',
  detail: 'Cannot use passthrough auth with custom authorization headers.',
}
const authorization = [{ key: 'aUTHORIZATION', value: 'x' }]

test('passthrough_auth with an Authorization header is 400 on creation [C13]', async () => {
  const body = { ...whole, custom_headers: authorization, passthrough_auth: true }
  const reply = await ask('POST', TOOL, { body })
  assert.deepEqual([reply.status, reply.body], [400, CONFLICT])
})

for (const [what, first, second] of [
  ['in one update', {}, { custom_headers: authorization, passthrough_auth: true }],
  ['when the header is stored', { custom_headers: authorization }, { passthrough_auth: true }],
  ['when passthrough_auth is stored', { passthrough_auth: true }, { custom_headers: authorization }],
] as const) {
  test(`passthrough_auth with an Authorization header is 400 ${what} [C13]`, async () => {
    const { id } = await make(first)
    const before = await ok('GET', `/tool/${id}`)
    const reply = await ask('PUT', `${TOOL}/${id}`, { body: second })
    assert.deepEqual([reply.status, reply.body], [400, CONFLICT])
    assert.deepEqual(await ok('GET', `/tool/${id}`), before)
  })
}

test('an update without headers returns them masked', async () => {
  const { id } = await make()
  assert.deepEqual((await ok('PUT', `${TOOL}/${id}`, { body: {} })).custom_headers, MASKED)
})

test('writing back a masked value keeps the stored one', async () => {
  const { id } = await make({ custom_headers: [{ key: 'Short', value: 'short' }, ...whole.custom_headers] })
  const { custom_headers } = await ok('GET', `/tool/${id}`)
  assert.deepEqual(custom_headers, [{ key: 'Short', value: '••••••••••••' }, ...MASKED])
  await ok('PUT', `${TOOL}/${id}`, { body: { custom_headers } })
  // Masked a second time, a stored mask would look different.
  assert.deepEqual((await ok('GET', `/tool/${id}`)).custom_headers, custom_headers)
})

test('only changed headers are updated', async () => {
  const { id } = await make({ custom_headers: [{ key: 'Other', value: 'o'.repeat(20) }, ...whole.custom_headers] })
  const custom_headers = [{ key: 'Other', value: 'a new value of some length' }, ...MASKED]
  await ok('PUT', `${TOOL}/${id}`, { body: { custom_headers } })
  assert.deepEqual((await ok('GET', `/tool/${id}`)).custom_headers, [{ key: 'Other', value: 'a ne...ngth' }, ...MASKED])
})

test('header values are neither in the data folder nor in the log', async () => {
  await make()
  const files = readdirSync(server.dataDir, { recursive: true, encoding: 'utf8' }).map((it) => join(server.dataDir, it))
  for (const file of files.filter((it) => statSync(it).isFile())) {
    assert.ok(!readFileSync(file).includes('canary-0123456789'), file)
  }
  assert.ok(!server.output().includes('canary-0123456789'))
})

test('an OAuth configuration that does not exist is 404', async () => {
  const { id } = await make()
  const { status, body } = await ask('PUT', `${TOOL}/${id}`, { body: { oauth_config_id: 7 } })
  assert.deepEqual(
    [status, body],
    [404, { error_code: 'OAUTH_CONFIG_NOT_FOUND', detail: 'OAuth config with id 7 not found.' }],
  )
})

/** The valid definition with one more field, as JSON. */
const definitionWith = (field: string) => `{${field},${JSON.stringify(definition).slice(1)}`

test('__proto__ and constructor in a definition are data [B9]', async () => {
  const sent = definitionWith('"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}')
  const bytes = `{"name":"proto","passthrough_auth":false,"definition":${sent}}`
  const { id, enabled, polluted } = await ok('POST', TOOL, { bytes })
  assert.deepEqual([enabled, polluted], [true, undefined])
  assert.equal(JSON.stringify((await ok('GET', `/tool/${id}`)).definition), sent)
  assert.equal((await ok('GET', '/tool/1')).polluted, undefined)
})

test('__proto__ in the request sets nothing [B9]', async () => {
  const bytes = '{"__proto__":{"name":"inherited"},"passthrough_auth":false,"definition":{}}'
  const { status, body } = await ask('POST', TOOL, { bytes })
  assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'name']])
})

/** A tool whose body has this nesting depth. */
const nestedTool = (depth: number) => {
  const within = depth - 2
  const deep = `"x-deep":${'{"a":'.repeat(within)}1${'}'.repeat(within)}`
  return `{"name":"deep","passthrough_auth":false,"definition":${definitionWith(deep)}}`
}

test('a body nested 64 deep is accepted [B5]', async () => {
  await ok('POST', TOOL, { bytes: nestedTool(64) })
})

test('a body nested 65 deep is refused [B5]', async () => {
  const { status, body } = await ask('POST', TOOL, { bytes: nestedTool(65) })
  assert.deepEqual(
    [status, body.detail],
    [422, [{ loc: ['body'], msg: 'JSON is nested deeper than 64 levels', type: 'too_deep' }]],
  )
})

test('brackets inside a string are not nesting', async () => {
  const name = '[{"'.repeat(200)
  assert.equal((await make({ name })).name, name)
})

test('names in any script are preserved', async () => {
  const name = '天気 🌦 <b>"\\ \u202e'
  const { id } = await make({ name })
  assert.equal((await ok('GET', `/tool/${id}`)).name, name)
})

const HEADERS: [what: string, headers: { key: string; value: string }[]][] = [
  ['a line break in its value', [{ key: 'X-A', value: 'a\r\nX-B: b' }]],
  ['a line break in its name', [{ key: 'X-A\r\nX-B', value: 'b' }]],
  ['a NUL', [{ key: 'X-A', value: 'a\u0000' }]],
  ['a character beyond Latin-1', [{ key: 'X-A', value: 'ключ' }]],
  ['a space in its name', [{ key: 'X A', value: 'a' }]],
  ['no name', [{ key: '', value: 'a' }]],
  ['the name Host', [{ key: 'Host', value: 'evil.test' }]],
  ['the name transfer-encoding', [{ key: 'transfer-encoding', value: 'chunked' }]],
  ['the name Proxy-Authorization', [{ key: 'Proxy-Authorization', value: 'a' }]],
  ['the name :authority', [{ key: ':authority', value: 'a' }]],
  [
    'the name of another one in capitals',
    [
      { key: 'x-a', value: '1' },
      { key: 'X-A', value: '2' },
    ],
  ],
]
for (const [what, custom_headers] of HEADERS) {
  test(`a custom header with ${what} is 422 [C12]`, async () => {
    const body = { name: 'headers', definition: whole.definition, passthrough_auth: false, custom_headers }
    const reply = await ask('POST', '/admin/tool/custom', { body })
    assert.equal(reply.status, 422)
    assert.equal(reply.body.detail[0].loc[1], 'custom_headers')
  })
}

test('a masked value under another name is rejected', async () => {
  const custom_headers = [{ key: 'X-Secret', value: 'a secret of some length' }]
  const body = { name: 'renamed', definition: whole.definition, passthrough_auth: false, custom_headers }
  const { id } = await ok('POST', '/admin/tool/custom', { body })
  const [{ value }] = (await ok('GET', `/tool/${id}`)).custom_headers
  const reply = await ask('PUT', `/admin/tool/custom/${id}`, { body: { custom_headers: [{ key: 'X-Other', value }] } })
  assert.equal(reply.status, 400)
})
