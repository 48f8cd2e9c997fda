// OAuth configurations in the API, and connecting an account.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { start } from './setup.ts'

const asked: string[] = []
const provider = createServer(async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  asked.push(Buffer.concat(pieces).toString())
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ access_token: 'canary-token', token_type: 'Bearer', expires_in: 3_600 }))
})
await new Promise<void>((resolve) => void provider.listen(0, '127.0.0.1', resolve))
after(() => provider.close())
const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`

const { ask, ok, makeKey } = await start({ EGRESS_ALLOW: '127.0.0.1', PUBLIC_URL: 'https://pharos.example/' })
const CONFIG = {
  name: 'Elsewhere',
  authorization_url: `${url}/auth`,
  token_url: `${url}/token`,
  client_id: 'pharos',
  client_secret: 'canary-secret',
  scopes: ['read'],
  additional_params: { prompt: 'consent' },
}
const CREATE = '/admin/oauth-config/create'
const make = (more: object = {}, key?: string) =>
  ok('POST', CREATE, { body: { ...CONFIG, ...more }, ...(key !== undefined && { key }) })
const NOT_FOUND = (id: number) => ({
  error_code: 'OAUTH_CONFIG_NOT_FOUND',
  detail: `OAuth config with id ${id} not found.`,
})
const definition = {
  openapi: '3.0.0',
  info: { title: 'T', description: 'T' },
  servers: [{ url: 'https://tool.example.com' }],
  paths: { '/now': { get: { operationId: 'now', summary: 'Now' } } },
}
const makeTool = (oauth_config_id: number | null, key?: string) =>
  ok('POST', '/admin/tool/custom', {
    body: { name: 't', definition, passthrough_auth: false, oauth_config_id },
    ...(key !== undefined && { key }),
  })

test('a configuration is returned without its secrets', async () => {
  const { id, created_at, updated_at, ...rest } = await make()
  assert.deepEqual(rest, {
    name: 'Elsewhere',
    authorization_url: CONFIG.authorization_url,
    token_url: CONFIG.token_url,
    client_id: 'pharos',
    scopes: ['read'],
    additional_params: { prompt: 'consent' },
    has_client_credentials: true,
    tool_count: 0,
  })
  assert.ok(created_at === updated_at && !Number.isNaN(Date.parse(created_at)))
  for (const path of [`/admin/oauth-config/${id}`, '/admin/oauth-config'])
    assert.ok(!(await ask('GET', path)).text.includes('canary'))
})

test('a minimal configuration has neither scopes nor parameters', async () => {
  const { scopes: _, additional_params: __, ...least } = CONFIG
  assert.equal((await ok('POST', CREATE, { body: least })).scopes, null)
})

const INVALID: [body: object, field: string][] = [
  [{ name: '' }, 'name'],
  [{ authorization_url: 'javascript:alert(1)' }, 'authorization_url'],
  [{ authorization_url: 'https://user:secret@idp.example' }, 'authorization_url'],
  [{ authorization_url: 'https://idp.example/#x' }, 'authorization_url'],
  [{ token_url: 'ftp://idp.example' }, 'token_url'],
  [{ token_url: 'http://169.254.169.254/token' }, 'token_url'],
  [{ token_url: 'http://10.0.0.1/token' }, 'token_url'],
  [{ client_id: '' }, 'client_id'],
  [{ client_secret: 7 }, 'client_secret'],
  [{ scopes: ['a b'] }, 'scopes'],
  [{ additional_params: { a: 1 } }, 'additional_params'],
]
for (const [body, field] of INVALID) {
  test(`${JSON.stringify(body)} is 422 at ${field}, on creation and on update`, async () => {
    const { id } = await make()
    for (const [method, path] of [
      ['POST', CREATE],
      ['PUT', `/admin/oauth-config/${id}`],
    ] as const) {
      const reply = await ask(method, path, { body: { ...CONFIG, ...body } })
      assert.deepEqual([reply.status, reply.body.detail[0].loc.slice(0, 2)], [422, ['body', field]])
    }
  })
}

test('an update changes only what is sent', async () => {
  const before = await make()
  const path = `/admin/oauth-config/${before.id}`
  for (const [body, changed] of [
    [{}, {}],
    [{ name: 'New', scopes: null }, { name: 'New' }],
    [{ scopes: [] }, { scopes: [] }],
    [{ clear_client_secret: true }, { has_client_credentials: false }],
    [{ client_secret: 'again' }, { has_client_credentials: true }],
    [
      { clear_client_id: true, client_id: 'x' },
      { client_id: null, has_client_credentials: false },
    ],
    [
      { client_id: 'y', additional_params: {} },
      { client_id: 'y', additional_params: {}, has_client_credentials: true },
    ],
  ] as const) {
    const { updated_at: _, ...stored } = await ok('GET', path)
    const { updated_at: __, ...answered } = await ok('PUT', path, { body })
    assert.deepEqual(answered, { ...stored, ...changed })
  }
})

test('only its owner and administrators access a configuration', async () => {
  const [ann, bob] = [await makeKey({ role: 'basic' }), await makeKey({ role: 'curator' })]
  const { id } = await make({}, ann)
  const ids = async (key: string) =>
    (await ok('GET', '/admin/oauth-config', { key })).map((it: { id: number }) => it.id)
  assert.deepEqual([await ids(ann), await ids(bob)], [[id], []])
  assert.equal((await ok('GET', `/admin/oauth-config/${id}`)).id, id)
  for (const [method, body] of [['GET'], ['PUT', { token_url: 'https://evil.example' }], ['DELETE']] as const) {
    const reply = await ask(method, `/admin/oauth-config/${id}`, { key: bob, ...(body && { body }) })
    assert.deepEqual([reply.status, reply.body], [404, NOT_FOUND(id)])
  }
})

test('a tool is linked, named and unlinked, and its configuration is deleted with its last tool', async () => {
  const { id } = await make()
  const tools = [await makeTool(id), await makeTool(id)]
  assert.deepEqual([tools[0].oauth_config_id, tools[0].oauth_config_name], [id, 'Elsewhere'])
  const path = (at: number) => `/admin/tool/custom/${tools[at].id}`
  const { oauth_config_name } = await ok('GET', `/tool/${tools[1].id}`)
  const listed = (await ok('GET', '/tool?limit=1000')).find((it: { id: number }) => it.id === tools[1].id)
  assert.deepEqual([oauth_config_name, listed.oauth_config_name], ['Elsewhere', 'Elsewhere'])
  assert.equal((await ok('GET', `/admin/oauth-config/${id}`)).tool_count, 2)
  assert.equal((await ok('PUT', path(0), { body: { name: 'x' } })).oauth_config_id, id)
  const unlinked = await ok('PUT', path(0), { body: { oauth_config_id: null } })
  assert.deepEqual([unlinked.oauth_config_id, unlinked.oauth_config_name], [null, null])
  assert.equal((await ok('GET', `/admin/oauth-config/${id}`)).tool_count, 1)
  await ok('DELETE', path(1))
  assert.deepEqual((await ask('GET', `/admin/oauth-config/${id}`)).body, NOT_FOUND(id))
})

test('a tool cannot use an unknown configuration or one of another user', async () => {
  const key = await makeKey({ role: 'basic' })
  const { id } = await make()
  const own = await makeTool(null, key)
  for (const wanted of [id, 999_999]) {
    const body = { name: 't', definition, passthrough_auth: false, oauth_config_id: wanted }
    for (const [method, path] of [
      ['POST', '/admin/tool/custom'],
      ['PUT', `/admin/tool/custom/${own.id}`],
    ] as const) {
      const reply = await ask(method, path, { key, body })
      assert.deepEqual([reply.status, reply.body], [404, NOT_FOUND(wanted)])
    }
  }
})

test('deleting a configuration returns a message, and its tools remain', async () => {
  const { id } = await make()
  const tool = await makeTool(id)
  assert.deepEqual(await ok('DELETE', `/admin/oauth-config/${id}`), {
    message: 'OAuth configuration deleted successfully',
  })
  assert.equal((await ok('GET', `/tool/${tool.id}`)).oauth_config_id, null)
  assert.equal((await ask('DELETE', `/admin/oauth-config/${id}`)).status, 404)
})

test('each user connects, lists and disconnects their own account', async () => {
  const [key, other] = [await makeKey({ role: 'basic' }), await makeKey({ role: 'basic' })]
  const { id } = await make()
  const { authorization_url, state } = await ok('POST', '/oauth-config/initiate', {
    key,
    body: { oauth_config_id: id },
  })
  const sent = new URL(authorization_url)
  assert.equal(sent.searchParams.get('redirect_uri'), 'https://pharos.example/oauth-config/callback')
  assert.deepEqual([sent.searchParams.get('prompt'), sent.searchParams.get('state')], ['consent', state])
  const callback = `/oauth-config/callback?code=the-code&state=${state}`
  const foreign = await ok('POST', callback, { key: other })
  assert.match(foreign.error, /started by another user/)
  assert.deepEqual(await ok('POST', callback, { key }), { redirect_url: '/chat', error: null })
  assert.match(asked.at(-1)!, /^grant_type=authorization_code&code=the-code&/)
  const [status] = await ok('GET', '/user-oauth-token/status', { key })
  assert.deepEqual([status.oauth_config_id, status.oauth_config_name, status.is_expired], [id, 'Elsewhere', false])
  assert.ok(status.expires_at > Date.now() / 1_000 + 3_000)
  assert.deepEqual(await ok('GET', '/user-oauth-token/status', { key: other }), [])
  assert.deepEqual(await ok('DELETE', `/oauth-config/${id}/token`, { key }), {
    message: 'OAuth token revoked successfully',
  })
  assert.deepEqual(await ok('GET', '/user-oauth-token/status', { key }), [])
})

test('administrators see who has connected an account, and no token', async () => {
  const [ann, key] = [await makeKey({ role: 'basic', user_email: 'ann@example.com' }), await makeKey({ role: 'basic' })]
  const { id } = await make()
  const list = () => ok('GET', `/admin/oauth-config/${id}/connections`)
  assert.deepEqual(await list(), [])
  for (const it of [ann, key]) {
    const { state } = await ok('POST', '/oauth-config/initiate', { key: it, body: { oauth_config_id: id } })
    await ok('POST', `/oauth-config/callback?code=the-code&state=${state}`, { key: it })
  }
  const [first, second] = await list()
  assert.deepEqual(Object.keys(first), ['user_id', 'email', 'name', 'connected_at', 'expires_at', 'is_expired'])
  assert.deepEqual([first.email, first.is_expired, second.email], ['ann@example.com', false, null])
  assert.ok(Date.parse(first.expires_at) > Date.parse(first.connected_at))
  assert.equal((await ask('GET', '/admin/oauth-config/999999/connections')).status, 404)
})

test('connecting requires a configuration and a path of this service', async () => {
  const { id } = await make()
  assert.deepEqual(
    (await ask('POST', '/oauth-config/initiate', { body: { oauth_config_id: 999_999 } })).body,
    NOT_FOUND(999_999),
  )
  const away = { oauth_config_id: id, return_path: '//evil.example' }
  assert.equal((await ask('POST', '/oauth-config/initiate', { body: away })).body.error_code, 'INVALID_INPUT')
  assert.match((await ok('POST', '/oauth-config/callback')).error, /Start again/)
  assert.match((await ok('POST', '/oauth-config/callback?error=access_denied&state=x')).error, /Start again/)
  assert.equal((await ask('DELETE', '/oauth-config/999999/token')).status, 404)
})
