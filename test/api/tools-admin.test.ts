// Administration of tools: deleting, enabling, listing and validating.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from './setup.ts'

const { ask, ok, makeKey } = await start()
const TOOL = '/admin/tool/custom'
const VALIDATE = '/admin/tool/custom/validate'
const STATUS = '/admin/tool/status'

const now = { operationId: 'weather.now', summary: 'The weather now' }
const definition = {
  openapi: '3.0.0',
  info: { title: 'Weather', description: 'Says the weather', version: '1' },
  servers: [{ url: 'https://weather.example.com' }],
  paths: { '/now': { get: now } },
}
const make = async (more: object = {}, key?: string) => {
  const body = { name: 'weather', definition, passthrough_auth: false, ...more }
  return ok('POST', TOOL, { body, ...(key !== undefined && { key }) })
}
const NOT_FOUND = { error_code: 'TOOL_NOT_FOUND', detail: 'Tool by specified id does not exist.' }
const NOT_OWNER = { error_code: 'NOT_OWNER', detail: 'You can only modify actions that you created.' }
const BUILT_IN = {
  error_code: 'BUILT_IN_TOOL',
  detail: 'Built-in tools cannot be modified through this endpoint.',
}
const idsOf = (tools: { id: number }[]) => tools.map((it) => it.id)

test('deleting a tool returns null and removes it', async () => {
  const { id } = await make()
  assert.equal(await ok('DELETE', `${TOOL}/${id}`), null)
  for (const [method, path] of [
    ['GET', `/tool/${id}`],
    ['PUT', `${TOOL}/${id}`],
    ['DELETE', `${TOOL}/${id}`],
  ] as const) {
    const { status, body } = await ask(method, path, method === 'PUT' ? { body: {} } : {})
    assert.deepEqual([status, body], [404, NOT_FOUND])
  }
  assert.ok(!idsOf(await ok('GET', '/tool')).includes(id))
})

test('the id of a deleted tool is not reused', async () => {
  const { id } = await make()
  await ok('DELETE', `${TOOL}/${id}`)
  assert.ok((await make()).id > id)
})

test('the built-in search cannot be deleted', async () => {
  const { status, body } = await ask('DELETE', `${TOOL}/1`)
  assert.deepEqual([status, body], [400, BUILT_IN])
  await ok('GET', '/tool/1')
})

test('a basic key can delete only its own tools', async () => {
  const key = await makeKey({ role: 'basic' })
  const own = await make({}, key)
  const foreign = await make()
  assert.equal(await ok('DELETE', `${TOOL}/${own.id}`, { key }), null)
  const { status, body } = await ask('DELETE', `${TOOL}/${foreign.id}`, { key })
  assert.deepEqual([status, body], [403, NOT_OWNER])
  await ok('GET', `/tool/${foreign.id}`)
})

test('an administrator can delete the tool of another user', async () => {
  const { id } = await make({}, await makeKey({ role: 'basic' }))
  assert.equal(await ok('DELETE', `${TOOL}/${id}`), null)
})

for (const id of ['x', '-1', '01', '1e3']) {
  test(`${id} is not a valid tool id in DELETE [C4]`, async () => {
    const { status, body } = await ask('DELETE', `${TOOL}/${id}`)
    assert.deepEqual([status, body.detail[0].loc], [422, ['path', 'tool_id']])
  })
}

test('validating a definition returns its operations', async () => {
  assert.deepEqual(await ok('POST', VALIDATE, { body: { definition } }), {
    methods: [
      {
        name: 'weather_now',
        raw_name: 'weather.now',
        summary: 'The weather now',
        path: '/now',
        method: 'get',
        spec: now,
      },
    ],
  })
})

/** In the order of the checks: each definition also breaks all later rules. */
const BROKEN: [definition: object, detail: string][] = [
  [{}, '`info` section is required in OpenAPI schema'],
  [{ info: {} }, '`title` is required in `info` section of OpenAPI schema'],
  [{ info: { title: '' } }, '`description` is required in `info` section of OpenAPI schema'],
  [{ info: { title: '', description: '' } }, '`openapi` field which specifies OpenAPI schema version is required'],
  [{ info: { title: '', description: '' }, openapi: '2.0' }, "OpenAPI version '2.0' is not supported"],
  [{ info: { title: '', description: '' }, openapi: '3.0' }, '`paths` section is required in OpenAPI schema'],
  [{ ...definition, servers: [], paths: {} }, 'Expected exactly one URL in OpenAPI schema, but found []'],
  [
    { ...definition, servers: [{ url: 'https://a' }, { url: 'https://b' }], paths: {} },
    "Expected exactly one URL in OpenAPI schema, but found ['https://a', 'https://b']",
  ],
  [{ ...definition, paths: { '/{p}': { trace: {} } } }, 'Operation ID is not specified for TRACE /{p}'],
  [{ ...definition, paths: { '/{p}': { trace: { operationId: 'x' } } } }, 'Summary is not specified for TRACE /{p}'],
  [
    { ...definition, paths: { '/{p}': { trace: now, head: now } } },
    "Duplicate operation ID 'weather.now'. Each operation must have a unique operationId.",
  ],
  [
    { ...definition, paths: { '/{p}': { trace: now, head: { ...now, operationId: 'weather now' } } } },
    "Operation IDs 'weather.now' and 'weather now' both become 'weather_now'. Rename one of them.",
  ],
  [{ ...definition, paths: {} }, 'No methods found in OpenAPI schema'],
  [
    { ...definition, paths: { '/{p}': { trace: { ...now, requestBody: { content: { 'text/plain': {} } } } } } },
    "Missing path parameter: 'p'",
  ],
  [
    { ...definition, paths: { '/p': { trace: { ...now, requestBody: { content: { 'text/plain': {} } } } } } },
    "Unsupported content type: 'text/plain'. Only 'application/json' is supported.",
  ],
  [{ ...definition, paths: { '/p': { trace: now } } }, "HTTP method 'trace' is not supported."],
]
for (const [broken, detail] of BROKEN) {
  test(`"${detail}" is 422 wherever a definition is sent`, async () => {
    const { id } = await make()
    const invalid = {
      detail: [{ loc: ['body', 'definition'], msg: detail, type: 'INVALID_DEFINITION' }],
      message: `body.definition: ${detail}`,
    }
    const isEmpty = Object.keys(broken).length === 0
    for (const [method, path, body] of [
      ['POST', VALIDATE, { definition: broken }],
      ['POST', TOOL, { name: 'x', definition: broken, passthrough_auth: false }],
      ['PUT', `${TOOL}/${id}`, { definition: broken }],
    ] as const) {
      if (isEmpty && method === 'PUT') continue
      const reply = await ask(method, path, { body })
      assert.deepEqual([method, path, reply.status, reply.body], [method, path, 422, invalid])
    }
    assert.deepEqual((await ok('GET', `/tool/${id}`)).definition, definition)
  })
}

test('a tool with a refused definition is not created', async () => {
  const before = idsOf(await ok('GET', '/tool/openapi'))
  assert.equal((await ask('POST', TOOL, { body: { name: 'x', definition: {}, passthrough_auth: false } })).status, 422)
  assert.deepEqual(idsOf(await ok('GET', '/tool/openapi')), before)
})

test('an update with an empty definition removes the stored one', async () => {
  const { id } = await make()
  assert.deepEqual((await ok('PUT', `${TOOL}/${id}`, { body: { definition: {} } })).definition, {})
  assert.deepEqual((await ok('GET', `/tool/${id}`)).definition, {})
})

for (const field of ['name', 'description']) {
  test(`a NUL character in the ${field} of a tool is 422`, async () => {
    const { id } = await make()
    const created = await ask('POST', TOOL, {
      body: { name: 'x', definition, passthrough_auth: false, [field]: 'a\0b' },
    })
    const updated = await ask('PUT', `${TOOL}/${id}`, { body: { [field]: 'a\0b' } })
    for (const { status, body } of [created, updated]) {
      assert.deepEqual([status, body.detail[0].loc], [422, ['body', field]])
    }
  })
}

test('ownership is checked before the definition', async () => {
  const { id } = await make()
  const key = await makeKey({ role: 'basic' })
  const definition = { openapi: '2.0' }
  assert.equal((await ask('PUT', `${TOOL}/${id}`, { key, body: { definition } })).body.error_code, 'NOT_OWNER')
  assert.equal((await ask('PUT', `${TOOL}/999999`, { body: { definition } })).body.error_code, 'TOOL_NOT_FOUND')
})

for (const [body, type] of [
  [{}, 'missing'],
  [{ definition: null }, 'dict_type'],
  [{ definition: [] }, 'dict_type'],
  [{ definition: 'openapi: 3.0.0' }, 'dict_type'],
] as const) {
  test(`${JSON.stringify(body)} cannot be validated`, async () => {
    const reply = await ask('POST', VALIDATE, { body })
    assert.deepEqual(
      [reply.status, reply.body.detail[0].loc, reply.body.detail[0].type],
      [422, ['body', 'definition'], type],
    )
  })
}

test('__proto__ in a definition inherits nothing [B9]', async () => {
  const info = '{"__proto__":{"title":"x","description":"x"}}'
  const { status, body } = await ask('POST', VALIDATE, { bytes: `{"definition":{"info":${info}}}` })
  assert.deepEqual([status, body.detail[0].msg], [422, '`title` is required in `info` section of OpenAPI schema'])
})

test('a definition of 10,000 operations is validated', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, at) => [`/${at}`, { get: { operationId: `get${at}`, summary: 'x' } }]),
  )
  const { methods } = await ok('POST', VALIDATE, { body: { definition: { ...definition, paths } } })
  assert.equal(methods.length, 10_000)
})

test('a definition of 10,001 operations is refused [S22]', async () => {
  const operation = (at: number) => [`/${at}`, { get: { operationId: `get${at}`, summary: 'x' } }]
  const paths = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => operation(at)))
  const { status, body } = await ask('POST', VALIDATE, { body: { definition: { ...definition, paths } } })
  assert.deepEqual([status, body.detail[0].msg], [422, 'The definition has more than 10000 operations'])
})

for (const [what, more] of [
  ['a server with variables', { servers: [{ url: 'https://{region}.example.com', variables: {} }] }],
  ['an external reference', { components: { schemas: { A: { $ref: 'http://127.0.0.1:1/schema.json' } } } }],
  ['circular references', { components: { schemas: { A: { $ref: '#/components/schemas/A' } } } }],
  ['a path with ..', { paths: { '/../admin': { get: now } } }],
  ['a path without a leading slash', { paths: { '.evil.example/': { get: now } } }],
] as const) {
  test(`a definition with ${what} is refused at validation and at storage [S22]`, async () => {
    const broken = { ...definition, ...more }
    const body = { name: 'x', definition: broken, passthrough_auth: false }
    for (const path of [VALIDATE, TOOL]) {
      const { status, body: answer } = await ask('POST', path, { body })
      assert.deepEqual([status, answer.detail[0].type], [422, 'INVALID_DEFINITION'], path)
    }
  })
}

for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
  test(`a definition with 5,000 schemas in one ${keyword} is 422 on every route, and the error names the limit`, async () => {
    const schema = { [keyword]: Array.from({ length: 5_000 }, () => ({ type: 'string' })) }
    const get = { ...now, parameters: [{ name: 'a', in: 'query', schema: { $ref: '#/components/schemas/A' } }] }
    const large = { ...definition, paths: { '/now': { get } }, components: { schemas: { A: schema } } }
    const { id } = await make()
    const body = { name: 'x', definition: large, passthrough_auth: false }
    for (const [method, path] of [
      ['POST', TOOL],
      ['PUT', `${TOOL}/${id}`],
      ['POST', VALIDATE],
      ['POST', `/admin/tool/${id}/diff`],
    ] as const) {
      const { status, body: answer } = await ask(method, path, { body })
      const [{ loc, msg }] = answer.detail
      const limit = `Value error, \`${keyword}\` has 5000 schemas, and at most 100 are allowed in one list`
      assert.deepEqual([status, loc, msg], [422, ['body', 'definition'], limit], path)
    }
    const small = { ...large, components: { schemas: { A: { [keyword]: schema[keyword]!.slice(0, 100) } } } }
    const { id: usable } = await make({ definition: small })
    const tried = await ask('POST', `/admin/tool/${usable}/try`, {
      body: { operation: now.operationId, arguments: { a: 'b' } },
    })
    assert.equal(tried.status, keyword === 'oneOf' ? 400 : 200, tried.text)
  })
}

test('errors in a long definition are short', async () => {
  const servers = Array.from({ length: 50_000 }, () => ({ url: 'https://weather.example.com' }))
  const { status, body } = await ask('POST', VALIDATE, { body: { definition: { ...definition, servers } } })
  assert.deepEqual([status, body.detail[0].msg.length], [422, 1_000])
})

test('an update of an outdated version is 409, and leaves the newer one', async () => {
  const { id, version } = await make({ custom_headers: [{ key: 'X', value: 'canary-0123456789-tail' }] })
  const update = (body: object) => ask('PUT', `${TOOL}/${id}`, { body })
  const renamed = await update({ name: 'Renamed', expected_version: version })
  assert.notEqual(renamed.body.version, version)
  const late = await update({ description: 'Late', expected_version: version })
  assert.deepEqual([late.status, late.body.error_code], [409, 'TOOL_CHANGED'])
  const stored = await ok('GET', `/tool/${id}`)
  assert.deepEqual([stored.name, stored.version], ['Renamed', renamed.body.version])
  await ok('PATCH', '/admin/tool/status', { body: { tool_ids: [id], enabled: false } })
  await ok('PUT', `${TOOL}/${id}`, { body: { description: 'In time', expected_version: stored.version } })
})

test('tools can be disabled and enabled', async () => {
  const ids = [(await make()).id, (await make()).id]
  const off = await ok('PATCH', STATUS, { body: { tool_ids: ids, enabled: false } })
  assert.deepEqual(off, { updated_count: 2, tool_ids: ids })
  for (const id of ids) assert.equal((await ok('GET', `/tool/${id}`)).enabled, false)
  const on = await ok('PATCH', STATUS, { body: { tool_ids: [ids[1], ids[0], ids[1]], enabled: 'true' } })
  assert.deepEqual(on, { updated_count: 2, tool_ids: [ids[1], ids[0]] })
  for (const id of ids) assert.equal((await ok('GET', `/tool/${id}`)).enabled, true)
})

test('a disabled tool is listed only among the custom tools', async () => {
  const { id } = await make()
  await ok('PATCH', STATUS, { body: { tool_ids: [id], enabled: false } })
  assert.deepEqual(
    [idsOf(await ok('GET', '/tool')).includes(id), idsOf(await ok('GET', '/tool/openapi')).includes(id)],
    [false, true],
  )
})

test('an empty list of tools is 400', async () => {
  const { status, body } = await ask('PATCH', STATUS, { body: { tool_ids: [], enabled: true } })
  assert.deepEqual([status, body], [400, { error_code: 'INVALID_INPUT', detail: 'No tool IDs provided.' }])
})

test('one unknown tool is 404, and no tool changes', async () => {
  const { id } = await make()
  const { status, body } = await ask('PATCH', STATUS, { body: { tool_ids: [999998, id, 999999], enabled: false } })
  assert.deepEqual(
    [status, body],
    [404, { error_code: 'TOOLS_NOT_FOUND', detail: 'Tools with IDs [999998, 999999] not found.' }],
  )
  assert.equal((await ok('GET', `/tool/${id}`)).enabled, true)
})

test('a basic key can enable or disable its own tools, and changes none if one belongs to another user', async () => {
  const key = await makeKey({ role: 'basic' })
  const own = (await make({}, key)).id
  const foreign = (await make()).id
  assert.equal((await ok('PATCH', STATUS, { key, body: { tool_ids: [own], enabled: false } })).updated_count, 1)
  for (const tool_ids of [[foreign], [own, foreign], [1]]) {
    const { status, body } = await ask('PATCH', STATUS, { key, body: { tool_ids, enabled: true } })
    assert.deepEqual([status, body], [403, NOT_OWNER])
  }
  assert.equal((await ok('GET', `/tool/${own}`)).enabled, false)
})

test('an owner cannot enable a tool that an administrator disabled', async () => {
  const key = await makeKey({ role: 'basic' })
  const { id } = await make({}, key)
  await ok('PATCH', STATUS, { body: { tool_ids: [id], enabled: false } })
  const { status, body } = await ask('PATCH', STATUS, { key, body: { tool_ids: [id], enabled: true } })
  assert.deepEqual([status, body.error_code], [403, 'TOOL_HELD_OFF'])
  assert.match(body.detail, new RegExp(`switched tool ${id} off`))
  assert.equal((await ok('GET', `/tool/${id}`)).enabled, false)
  await ok('PATCH', STATUS, { body: { tool_ids: [id], enabled: true } })
  await ok('PATCH', STATUS, { key, body: { tool_ids: [id], enabled: false } })
  assert.equal((await ok('PATCH', STATUS, { key, body: { tool_ids: [id], enabled: true } })).updated_count, 1)
})

test('an administrator can disable and enable a built-in tool', async () => {
  await ok('PATCH', STATUS, { body: { tool_ids: [1], enabled: false } })
  assert.ok(!idsOf(await ok('GET', '/tool')).includes(1))
  await ok('PATCH', STATUS, { body: { tool_ids: [1], enabled: true } })
  assert.ok(idsOf(await ok('GET', '/tool')).includes(1))
})

const UNSWITCHABLE: [body: object, loc: (string | number)[]][] = [
  [{ enabled: true }, ['body', 'tool_ids']],
  [{ tool_ids: [1] }, ['body', 'enabled']],
  [{ tool_ids: 1, enabled: true }, ['body', 'tool_ids']],
  [{ tool_ids: ['x'], enabled: true }, ['body', 'tool_ids', 0]],
  [{ tool_ids: [1], enabled: 'perhaps' }, ['body', 'enabled']],
  [{ tool_ids: Array.from({ length: 1_001 }, () => 1), enabled: true }, ['body', 'tool_ids']],
]
for (const [body, loc] of UNSWITCHABLE) {
  test(`the status change ${JSON.stringify(body).slice(0, 50)} is 422`, async () => {
    const reply = await ask('PATCH', STATUS, { body })
    assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, loc])
  })
}

test('a change of server deletes the headers of a tool unless they are sent again', async () => {
  const owner = await makeKey({ role: 'basic' })
  const { id } = await make({}, owner)
  const secret = { key: 'X-Key', value: 'canary-0123456789-tail' }
  await ok('PUT', `${TOOL}/${id}`, { body: { custom_headers: [secret] } })
  const moved = { ...definition, servers: [{ url: 'https://elsewhere.example/v1' }] }
  const masked = [{ ...secret, value: 'cana...tail' }]
  for (const more of [{}, { custom_headers: masked }, { custom_headers: [...masked, { key: 'Y', value: 'z' }] }]) {
    const reply = await ask('PUT', `${TOOL}/${id}`, { key: owner, body: { definition: moved, ...more } })
    assert.equal(reply.status, 400, reply.text)
    assert.match(reply.body.detail, /^`definition` names another server\. Send `custom_headers` again/)
  }
  const path = { ...definition, info: { ...definition.info, title: 'Another title' } }
  await ok('PUT', `${TOOL}/${id}`, { key: owner, body: { definition: path } })
  for (const custom_headers of [[secret], []]) {
    await ok('PUT', `${TOOL}/${id}`, { key: owner, body: { definition: moved, custom_headers } })
  }
})

test('tools are listed with all fields, in order of creation', async () => {
  const { id } = await make({ custom_headers: [{ key: 'X', value: 'canary-0123456789-tail' }] })
  const listed = await ok('GET', '/tool')
  assert.deepEqual(listed.at(-1), await ok('GET', `/tool/${id}`))
  assert.deepEqual(listed.at(-1).custom_headers, [{ key: 'X', value: 'cana...tail' }])
  assert.deepEqual([listed[0].id, listed[0].in_code_tool_id, listed[0].custom_headers], [1, 'SearchTool', null])
  assert.deepEqual(
    idsOf(listed),
    idsOf(listed).sort((a, b) => a - b),
  )
})

test('the custom tools do not include built-in ones', async () => {
  await make()
  const listed = await ok('GET', '/tool/openapi')
  assert.ok(listed.length > 0)
  assert.ok(listed.every((it: { in_code_tool_id: string | null }) => it.in_code_tool_id === null))
})

test('a basic key sees the tools of others with masked headers [O5]', async () => {
  const { id } = await make({ custom_headers: [{ key: 'X', value: 'canary-0123456789-tail' }] })
  const { text, body } = await ask('GET', '/tool', { key: await makeKey({ role: 'basic' }) })
  assert.ok(idsOf(body).includes(id))
  assert.ok(!text.includes('canary-0123456789'))
})

test('list pages have no gaps', async () => {
  for (let at = 0; at < 3; at++) await make()
  for (const path of ['/tool', '/tool/openapi']) {
    const all = idsOf(await ok('GET', path))
    const paged: number[] = []
    for (let after = '0'; ; after = String(paged.at(-1))) {
      const page = idsOf(await ok('GET', `${path}?limit=2&after=${after}`))
      paged.push(...page)
      if (page.length < 2) break
    }
    assert.deepEqual(paged, all)
    assert.deepEqual(idsOf(await ok('GET', `${path}?limit=1000`)), all)
    assert.deepEqual(await ok('GET', `${path}?after=999999999`), [])
  }
})

for (const query of [
  'limit=0',
  'limit=1001',
  'limit=x',
  'limit=',
  'limit=1&limit=2',
  'after=-1',
  'after=x',
  'limit[]=1&after=',
]) {
  test(`a page of ${query} is 422 [Q5]`, async () => {
    assert.equal((await ask('GET', `/tool?${query}`)).status, 422)
  })
}

test('a 405 lists all methods of the path, and a fixed path is not taken for an id', async () => {
  for (const [path, methods] of [
    ['/admin/tool/custom/validate', ['POST']],
    ['/admin/tool/custom/7', ['PUT', 'DELETE']],
    ['/admin/tool/custom', ['POST']],
  ] as const) {
    const { status, headers } = await ask('PATCH', path, { body: {} })
    assert.equal(status, 405)
    assert.deepEqual(String(headers.allow).split(', ').sort(), [...methods].sort())
  }
})

test('built-in tools are listed alone, disabled ones on request', async () => {
  const { id } = await make()
  await ok('PATCH', STATUS, { body: { tool_ids: [1, id], enabled: false } })
  const list = async (query: string) => idsOf(await ok('GET', `/tool?limit=1000${query}`))
  assert.ok(!(await list('')).includes(1))
  const all = await list('&include_disabled=true')
  assert.ok(all.includes(1) && all.includes(id))
  const builtIn = await list('&include_disabled=true&built_in=true')
  assert.ok(builtIn.includes(1) && !builtIn.includes(id))
  const others = await list('&include_disabled=true&built_in=false')
  assert.ok(!others.includes(1) && others.includes(id))
  await ok('PATCH', STATUS, { body: { tool_ids: [1], enabled: true } })
})
