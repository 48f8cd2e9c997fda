// Remote MCP servers: connecting, discovering and selecting tools, over real HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Remote, startRemote } from '../remote-mcp.ts'
import type { Question } from './request.ts'
import { start } from './setup.ts'

const remote = await startRemote()
const older = await startRemote({ sse: true })
const allowed = [remote, older].map((it) => it.origin.replace('http://', '')).join(',')
const { ask, ok, makeKey } = await start({ EGRESS_ALLOW: allowed })
const KEY = 'secret-api-key-0123456789'

let made = 0
const simple = (more: object = {}, question: Question = {}) =>
  ok('POST', '/admin/mcp/server', { body: { name: `Remote ${++made}`, server_url: remote.url, ...more }, ...question })
const withAuth = (more: object = {}, question: Question = {}) =>
  ok('POST', '/admin/mcp/servers/create', {
    body: { name: `Remote ${++made}`, server_url: remote.url, auth_type: 'API_TOKEN', api_token: KEY, ...more },
    ...question,
  })
const get = (id: number, key?: string) => ok('GET', `/admin/mcp/servers/${id}`, key === undefined ? {} : { key })
const sync = (id: number, question: Question = {}) =>
  ok('GET', `/admin/mcp/server/${id}/tools/snapshots?source=mcp`, question)
const names = (tools: { name: string }[]) => tools.map((it) => it.name)
/** Refuses requests without that header. */
const requireHeader =
  (header: string, value: string): NonNullable<Remote['guard']> =>
  ({ headers }, response) => {
    if (headers[header] === value) return false
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('{"error":"who are you"}')
    return true
  }
async function guarded<T>(guard: Remote['guard'], work: () => Promise<T>): Promise<T> {
  remote.guard = guard
  try {
    return await work()
  } finally {
    remote.guard = null
  }
}

test('a server without authentication is created, its tools are discovered, and it is connected', async () => {
  const server = await simple({ description: 'Orders' })
  assert.deepEqual(
    { ...server, name: '', id: 0, owner: '' },
    {
      id: 0,
      name: '',
      description: 'Orders',
      server_url: remote.url,
      owner: '',
      transport: 'STREAMABLE_HTTP',
      auth_type: 'NONE',
      auth_performer: 'ADMIN',
      auth_template: null,
      oauth_provider_mode: 'AUTO_DISCOVERY',
      oauth_scopes: [],
      oauth_authorization_url: null,
      oauth_token_url: null,
      user_can_authenticate: false,
      is_authenticated: true,
      status: 'CREATED',
      is_public: true,
      groups: [],
      users: [],
      tool_policies: {},
      last_refreshed_at: null,
      passthrough_grant: null,
      tool_count: 0,
      user_credentials: null,
      admin_credentials: null,
      permissions: { edit: true, delete: true },
      version: server.version,
    },
  )
  const listed = await ok('GET', `/admin/mcp/server/${server.id}/tools`)
  assert.deepEqual(names(listed.tools), ['lookup', 'cancel', 'fail', 'pictures', 'huge', 'hang'])
  assert.deepEqual(
    [listed.tools[0].description, listed.tools[0].is_read_only, listed.tools[1].is_read_only],
    ['Finds an order.', true, false],
  )
  assert.equal((await get(server.id)).status, 'CREATED', 'looking changes nothing')
  const tools = await sync(server.id)
  assert.deepEqual(
    { ...tools[0], id: 0, user_id: '' },
    {
      id: 0,
      name: 'lookup',
      description: 'Finds an order.',
      definition: null,
      display_name: 'Look up',
      in_code_tool_id: null,
      custom_headers: null,
      passthrough_auth: false,
      mcp_server_id: server.id,
      user_id: '',
      oauth_config_id: null,
      oauth_config_name: null,
      enabled: true,
      chat_selectable: true,
      agent_creation_selectable: true,
      default_enabled: false,
      requires_confirmation: false,
      is_public: true,
      version: tools[0].version,
      passthrough_grant: null,
    },
  )
  const connected = await get(server.id)
  assert.deepEqual([connected.status, connected.tool_count], ['CONNECTED', 6])
  assert.match(connected.last_refreshed_at, /^2/)
  assert.deepEqual(await ok('GET', `/admin/mcp/server/${server.id}/tools/snapshots`), tools)
  const stored: Record<string, unknown>[] = (await ok('GET', `/admin/mcp/server/${server.id}/db-tools`)).tools
  assert.deepEqual(
    stored.map(({ input_schema: _, is_read_only: __, is_offered: ___, ...it }) => it),
    tools,
  )
  assert.deepEqual(
    stored.slice(0, 2).map((it) => [it.is_offered, it.is_read_only, Object(it.input_schema).required]),
    [
      [true, true, ['id']],
      [true, false, ['id']],
    ],
  )
  assert.ok(names(await ok('GET', '/admin/mcp/tools')).includes('cancel'))
})

test('selected tools are enabled, others disabled, and an unknown tool is named in the error', async () => {
  const { id } = await simple()
  await sync(id)
  const choose = (selected_tools: string[]) =>
    ask('POST', '/admin/mcp/servers/update', { body: { server_id: id, selected_tools } })
  assert.equal((await choose(['lookup'])).body.updated_tools, 1)
  const enabled = async () =>
    names((await ok('GET', `/admin/mcp/server/${id}/tools/snapshots`)).filter((it: { enabled: boolean }) => it.enabled))
  assert.deepEqual(await enabled(), ['lookup'])
  const refused = await choose(['lookup', 'nothing'])
  assert.equal(refused.status, 400)
  assert.match(refused.body.detail, /"nothing"/)
  assert.deepEqual(await enabled(), ['lookup'])
})

test('a new tool of a connected server is disabled, and a tool that returns has its former state', async () => {
  const { id } = await simple()
  await sync(id)
  remote.more = (server) => void server.registerTool('later', { description: 'New' }, () => ({ content: [] }))
  const tools = await sync(id).finally(() => {
    remote.more = () => {}
  })
  assert.deepEqual(
    tools.filter((it: { enabled: boolean }) => !it.enabled).map((it: { name: string }) => it.name),
    ['later'],
  )
  const [first] = tools
  assert.equal((await sync(id))[0].id, first.id)
})

test('a token is sent to the server and returned masked, and writing back the mask keeps it', async () => {
  const made = await withAuth()
  assert.deepEqual([made.is_authenticated, made.no_user_authentication_required, made.status], [true, true, 'CREATED'])
  const { server_id: id, server_name: name } = made
  await guarded(requireHeader('authorization', `Bearer ${KEY}`), () => sync(id))
  const server = await get(id)
  assert.deepEqual([server.status, server.admin_credentials], ['CONNECTED', { api_key: 'secr...6789' }])
  await withAuth({ name, existing_server_id: id, api_token: 'secr...6789' })
  await guarded(requireHeader('authorization', `Bearer ${KEY}`), () => sync(id))
  const bad = {
    name,
    server_url: remote.url,
    auth_type: 'API_TOKEN',
    existing_server_id: id,
    api_token: '••••••••••••',
  }
  assert.equal((await ask('POST', '/admin/mcp/servers/create', { body: bad })).status, 400)
})

test('a server that rejects the credentials awaits other ones', async () => {
  const { server_id: id } = await withAuth()
  const refused = await guarded(requireHeader('authorization', 'Bearer other'), () =>
    ask('GET', `/admin/mcp/server/${id}/tools/snapshots?source=mcp`),
  )
  assert.deepEqual([refused.status, refused.body.error_code], [424, 'MCP_SERVER_REFUSES'])
  assert.doesNotMatch(refused.text, /secret-api-key/)
  assert.equal((await get(id)).status, 'AWAITING_AUTH')
})

test('a template defines the headers of the credential fields', async () => {
  const auth_template = {
    headers: { 'X-Team': 'port', 'X-Key': 'k {api_key} {user_email}' },
    required_fields: ['api_key'],
  }
  const { server_id: id } = await withAuth({ auth_template })
  await guarded(requireHeader('x-key', `k ${KEY}`), () => sync(id))
  assert.equal(remote.seen.at(-1)?.headers['x-team'], 'port')
})

test('changing the origin or the authentication deletes credentials', async () => {
  const { server_id: id } = await withAuth()
  await ok('PATCH', `/admin/mcp/server/${id}`, { body: { server_url: `${remote.url}?a=1` } })
  assert.notEqual((await get(id)).admin_credentials, null, 'the same origin')
  await ok('PATCH', `/admin/mcp/server/${id}`, { body: { server_url: older.url } })
  assert.equal((await get(id)).admin_credentials, null)
})

test('each user stores their own key, which is tested first', async () => {
  const { server_id: id } = await withAuth({ auth_performer: 'PER_USER', api_token: null })
  const ann = await makeKey({ role: 'basic' })
  const bob = await makeKey({ role: 'basic' })
  const mine = async (key: string) =>
    (await ok('GET', '/mcp/servers', { key })).mcp_servers.find((it: { id: number }) => it.id === id)
  const before = await mine(ann)
  assert.deepEqual(
    [before.user_can_authenticate, before.is_authenticated, before.auth_template.required_fields],
    [true, false, ['api_key']],
  )
  const give = (api_key: string) =>
    ask('POST', '/mcp/user-credentials', { key: ann, body: { server_id: id, credentials: { api_key } } })
  await guarded(requireHeader('authorization', 'Bearer of-ann-0123456789'), async () => {
    assert.deepEqual([(await give('wrong')).status, (await mine(ann)).is_authenticated], [424, false])
    const given = await give('of-ann-0123456789')
    assert.deepEqual([given.status, given.body.authenticated], [200, true])
    assert.equal((await ok('GET', `/mcp/server/${id}/tools`, { key: ann })).tools.length, 6)
    assert.equal((await ask('GET', `/mcp/server/${id}/tools`, { key: bob })).body.error_code, 'MCP_SERVER_REFUSES')
  })
  assert.deepEqual(
    [(await mine(ann)).user_credentials, (await mine(bob)).user_credentials],
    [{ api_key: 'of-a...6789' }, null],
  )
  const none = await ask('POST', '/mcp/user-credentials', {
    key: ann,
    body: { server_id: id, credentials: { x: 'y' } },
  })
  assert.match(none.body.detail, /"api_key"/)
})

test('PT_OAUTH servers receive a token of the caller after consent', async () => {
  const { server_id: id } = await withAuth({ auth_type: 'PT_OAUTH', api_token: null })
  const ann = await makeKey({ role: 'basic' })
  const before = remote.seen.length
  const refused = await ask('GET', `/mcp/server/${id}/tools`, { key: ann })
  assert.deepEqual([refused.status, refused.body.error_code], [400, 'PASSTHROUGH_NEEDS_CONSENT'])
  assert.equal(remote.seen.length, before)
  await ok('PUT', '/user/passthrough-consent', { key: ann, body: { mcp_server_id: id } })
  await ok('GET', `/mcp/server/${id}/tools`, { key: ann })
  for (const { headers } of remote.seen.slice(before)) assert.match(headers.authorization!, /^Bearer pharos_call_/)
})

test('the older SSE transport is supported', async () => {
  const { server_id: id } = await withAuth({ server_url: older.url, transport: 'SSE' })
  assert.deepEqual(names(await sync(id)).slice(0, 2), ['lookup', 'cancel'])
  assert.ok(older.seen.every((it) => it.headers.authorization === `Bearer ${KEY}`))
})

test('only its owner and administrators see its address, and nobody else changes it', async () => {
  const { id } = await simple()
  const ann = await makeKey({ role: 'basic' })
  const seen = await get(id, ann)
  assert.deepEqual([seen.server_url, seen.owner, seen.permissions.edit], ['', '', false])
  for (const [method, path, body] of [
    ['PATCH', `/admin/mcp/server/${id}`, { name: 'x' }],
    ['PATCH', `/admin/mcp/server/${id}/status?status=DISCONNECTED`, undefined],
    ['DELETE', `/admin/mcp/server/${id}`, undefined],
    ['GET', `/admin/mcp/server/${id}/tools`, undefined],
    ['GET', `/admin/mcp/server/${id}/tools/snapshots?source=mcp`, undefined],
    ['POST', '/admin/mcp/servers/update', { server_id: id, selected_tools: [] }],
  ] as const) {
    const { status, body: answer } = await ask(method, path, { key: ann, ...(body && { body }) })
    assert.deepEqual([method, path, status, answer.error_code], [method, path, 403, 'NOT_OWNER'])
  }
})

test('a server of a user is private, and sharing it requires more rights', async () => {
  const ann = await makeKey({ role: 'basic' })
  const bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
  const { id, is_public } = await simple({}, { key: ann })
  assert.equal(is_public, false)
  for (const path of [`/admin/mcp/servers/${id}`, `/admin/mcp/server/${id}/tools`, `/mcp/server/${id}/tools`]) {
    assert.equal((await ask('GET', path, { key: bob })).status, 404, path)
  }
  const connect = { key: bob, body: { server_id: id } }
  assert.equal((await ask('POST', '/mcp/oauth/connect', connect)).status, 404)
  assert.equal(
    (await ask('POST', '/mcp/user-credentials', { key: bob, body: { server_id: id, credentials: {} } })).status,
    404,
  )
  for (const change of [{ is_public: true }, { users: ['bob@example.com'] }, { groups: [7] }]) {
    assert.equal((await ask('PATCH', `/admin/mcp/server/${id}`, { key: ann, body: change })).status, 403)
  }
  await ok('PATCH', `/admin/mcp/server/${id}`, { body: { users: ['Bob@example.com'] } })
  assert.equal((await get(id, bob)).id, id)
})

test('an update of an outdated version is 409, and leaves the newer one', async () => {
  const { server_id: id, server_name: name } = await withAuth()
  const { version } = await get(id)
  const patch = (body: object) => ask('PATCH', `/admin/mcp/server/${id}`, { body })
  const described = await patch({ description: 'Orders', expected_version: version })
  const late = await patch({ users: ['ann@example.com'], expected_version: version })
  assert.deepEqual([late.status, late.body.error_code], [409, 'MCP_SERVER_CHANGED'])
  const body = { name, server_url: remote.url, auth_type: 'API_TOKEN', existing_server_id: id, api_token: `${KEY}-2` }
  const upsert = (expected_version: string) =>
    ask('POST', '/admin/mcp/servers/create', { body: { ...body, expected_version } })
  assert.equal((await upsert(version)).body.error_code, 'MCP_SERVER_CHANGED')
  assert.equal((await upsert(described.body.version)).status, 200)
  const stored = await get(id)
  assert.deepEqual([stored.description, stored.users], ['Orders', []])
  assert.notEqual(stored.version, described.body.version, 'another key is another version')
})

test('a deleted server takes its tools and credentials with it', async () => {
  const { server_id: id } = await withAuth()
  const [tool] = await sync(id)
  assert.equal((await ask('DELETE', `/admin/tool/custom/${tool.id}`)).status, 400, 'not one by one')
  assert.deepEqual(await ok('DELETE', `/admin/mcp/server/${id}`), { success: true })
  assert.equal((await ask('GET', `/admin/mcp/servers/${id}`)).body.detail, 'MCP server not found.')
  assert.equal((await ask('GET', `/tool/${tool.id}`)).status, 404)
})

test('only an administrator can disable confirmation, and only for this server', async () => {
  const curator = await makeKey({ role: 'curator' })
  const { id } = await simple({}, { key: curator })
  const lift = { tool_policies: { cancel: 'allow' } }
  const lifted = await ask('PATCH', `/admin/mcp/server/${id}`, { key: curator, body: lift })
  assert.deepEqual([lifted.status, lifted.body.error_code], [403, 'INSUFFICIENT_PERMISSIONS'])
  assert.deepEqual((await ok('PATCH', `/admin/mcp/server/${id}`, { body: lift })).tool_policies, { cancel: 'allow' })
  const more = { tool_policies: { cancel: 'allow', lookup: 'ask' } }
  await ok('PATCH', `/admin/mcp/server/${id}`, { key: curator, body: more })
  await ok('PATCH', `/admin/mcp/server/${id}`, { key: curator, body: { server_url: older.url } })
  assert.deepEqual((await get(id)).tool_policies, {})
})

test('tools of inaccessible or disconnected servers are not listed', async () => {
  const ann = await makeKey({ role: 'basic' })
  const bob = await makeKey({ role: 'basic' })
  const { id } = await simple({}, { key: ann })
  const [tool] = await sync(id, { key: ann })
  const listed = async (key: string) =>
    (await ok('GET', '/tool', { key })).filter((it: { mcp_server_id: number }) => it.mcp_server_id === id)
  assert.deepEqual([(await listed(ann)).length, (await listed(bob)).length], [6, 0])
  assert.equal((await ask('GET', `/tool/${tool.id}`, { key: bob })).body.error_code, 'TOOL_NOT_FOUND')
  await ok('PATCH', `/admin/mcp/server/${id}`, { body: { is_public: true } })
  assert.deepEqual(
    (await listed(bob)).map((it: { is_public: boolean }) => it.is_public),
    [true, true, true, true, true, true],
  )
  await ok('PATCH', `/admin/mcp/server/${id}/status?status=DISCONNECTED`, { key: ann })
  assert.deepEqual(await listed(ann), [])
  assert.equal((await ok('GET', `/tool/${tool.id}`, { key: ann })).name, 'lookup')
})

test('a forbidden address is rejected when stored, and another origin when called', async () => {
  const inside = await ask('POST', '/admin/mcp/server', {
    body: { name: 'x', server_url: 'http://169.254.169.254/mcp' },
  })
  assert.equal(inside.status, 422)
  const { id } = await simple()
  const before = older.seen.length
  const led = await guarded(
    (_, response) => {
      response.writeHead(307, { location: older.url }).end()
      return true
    },
    () => ask('GET', `/admin/mcp/server/${id}/tools`),
  )
  assert.ok(led.status === 400 || led.status === 424, led.text)
  assert.equal(older.seen.length, before, 'the former address is not called')
})

for (const [what, answer] of [
  ['no JSON', '{'],
  ['another JSON', '{"hello":1}'],
  ['a page', '<html></html>'],
  ['nothing', ''],
] as const) {
  test(`a server that answers ${what} fails with a reason`, async () => {
    const { id } = await simple()
    const failed = await guarded(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
        return true
      },
      () => ask('GET', `/admin/mcp/server/${id}/tools/snapshots?source=mcp`),
    )
    assert.deepEqual([failed.status, failed.body.error_code], [424, 'MCP_SERVER_FAILED'], failed.text)
    assert.match(failed.body.detail, /do not follow the protocol/)
    assert.equal((await get(id)).status, 'CREATED')
  })
}
