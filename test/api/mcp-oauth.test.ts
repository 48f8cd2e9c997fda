// Signing in at a remote MCP server: discovery, registration, code with PKCE, refresh.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { startRemote } from '../remote-mcp.ts'
import { answerJson, startAuthority } from '../remote-oauth.ts'
import { waitFor } from '../server.ts'
import { start } from './setup.ts'

const remote = await startRemote()
const authority = await startAuthority(remote)
const { clients, access, refresh, approve } = authority
const allowed = [remote, authority].map((it) => it.origin.replace('http://', '')).join(',')
const { server, ask, ok, makeKey } = await start({ EGRESS_ALLOW: allowed })
const CALLBACK = `${server.url}/mcp/oauth/callback`

beforeEach(() => {
  clients.clear()
  access.clear()
  refresh.clear()
  authority.issued = 0
  authority.seen.length = 0
})

let made = 0
const make = async (more: object = {}): Promise<number> =>
  (
    await ok('POST', '/admin/mcp/servers/create', {
      body: { name: `Orders ${++made}`, server_url: remote.url, auth_type: 'OAUTH', ...more },
    })
  ).server_id
const connect = async (server_id: number, key?: string): Promise<string> =>
  (
    await ok('POST', '/mcp/oauth/connect', {
      body: { server_id, return_path: '/chat?from=orders' },
      ...(key !== undefined && { key }),
    })
  ).oauth_url
const comeBack = (query: Record<string, string>, key?: string) =>
  ask('POST', `/mcp/oauth/callback?${new URLSearchParams(query)}`, key === undefined ? {} : { key })
const get = (id: number) => ok('GET', `/admin/mcp/servers/${id}`)

test('the owner signs in, the server is connected, and its tools are called with the token', async () => {
  const id = await make()
  assert.equal((await get(id)).status, 'AWAITING_AUTH')
  const { status, body } = await comeBack(approve(await connect(id)))
  assert.equal(status, 200)
  assert.deepEqual(
    { ...body, server_name: '' },
    {
      success: true,
      message: 'You are signed in.',
      server_id: id,
      server_name: '',
      authenticated: true,
      redirect_url: '/chat?from=orders',
    },
  )
  const connected = await get(id)
  assert.deepEqual(
    [connected.status, connected.is_authenticated, connected.oauth_provider_mode, connected.tool_count],
    ['CONNECTED', true, 'AUTO_DISCOVERY', 6],
  )
  assert.doesNotMatch(JSON.stringify(connected), /access-|refresh-/)
  const [client] = clients.values()
  assert.deepEqual(client?.redirect_uris, [CALLBACK])
})

test('an expired token is refreshed once, even by concurrent calls', async () => {
  const id = await make()
  await comeBack(approve(await connect(id)))
  for (let round = 1; round <= 3; round++) {
    access.clear()
    const answers = await Promise.all([1, 2, 3].map(() => ask('GET', `/mcp/server/${id}/tools`)))
    assert.deepEqual([answers.map((it) => it.status), authority.issued], [[200, 200, 200], 1 + round])
  }
})

test('without a refresh token, the user must sign in again', async () => {
  const id = await make()
  await comeBack(approve(await connect(id)))
  access.clear()
  refresh.clear()
  const refused = await ask('GET', `/admin/mcp/server/${id}/tools/snapshots?source=mcp`)
  assert.deepEqual([refused.status, refused.body.error_code], [424, 'MCP_SERVER_REFUSES'], refused.text)
  assert.equal((await get(id)).status, 'AWAITING_AUTH')
  assert.equal((await comeBack(approve(await connect(id)))).status, 200)
})

test('a refused renewal is one alert for administrators, until the owner has signed in again', async () => {
  const id = await make()
  await comeBack(approve(await connect(id)))
  const alerts = () => ok('GET', '/admin/alerts')
  const isOurs = (it: { kind: string; object_id: string }) =>
    it.kind === 'mcp_credential_refused' && it.object_id === String(id)
  assert.ok(!(await alerts()).open.some(isOurs))
  access.clear()
  refresh.clear()
  const refused = await ask('GET', `/mcp/server/${id}/tools`)
  assert.equal(refused.body.error_code, 'MCP_SERVER_REFUSES')
  const alert = await waitFor(async () => (await alerts()).open.find(isOurs), 'the alert', 30_000)
  const { name, page } = alert
  assert.deepEqual([name, page], [(await get(id)).name, `/admin/mcp-servers/${id}`])
  await comeBack(approve(await connect(id)))
  await waitFor(async () => (await alerts()).ended.some(isOurs), 'the end of the alert', 30_000)
})

test('a server that was never connected, or that each person signs in at, is no alert', async () => {
  const ids = [await make(), await make({ auth_performer: 'PER_USER' })].map(String)
  const { open } = await ok('GET', '/admin/alerts')
  assert.ok(!open.some((it: { kind: string; object_id: string }) => /^mcp/.test(it.kind) && ids.includes(it.object_id)))
})

test('each person signs in for themselves', async () => {
  const id = await make({ auth_performer: 'PER_USER' })
  const ann = await makeKey({ role: 'basic' })
  const bob = await makeKey({ role: 'basic' })
  assert.equal((await comeBack(approve(await connect(id, ann)), ann)).status, 200)
  assert.equal((await ask('GET', `/mcp/server/${id}/tools`, { key: ann })).status, 200)
  assert.equal((await ask('GET', `/mcp/server/${id}/tools`, { key: bob })).body.error_code, 'MCP_SERVER_REFUSES')
})

test('a state works once and only for its user, and an unknown one is rejected', async () => {
  const id = await make({ auth_performer: 'PER_USER' })
  const ann = await makeKey({ role: 'basic' })
  const bob = await makeKey({ role: 'basic' })
  const way = approve(await connect(id, ann))
  for (const [query, key] of [
    [way, bob],
    [{ ...way, state: 'made-up' }, ann],
  ] as const) {
    const { status, body } = await comeBack(query, key)
    assert.deepEqual([status, body.error_code], [400, 'MCP_SIGN_IN_FAILED'])
  }
  assert.equal((await comeBack(way, ann)).status, 200)
  assert.equal((await comeBack(way, ann)).status, 400)
})

test('the headers of a request do not choose the address to which the provider returns [C11]', async () => {
  const body = { server_id: await make(), return_path: '/chat' }
  const evil = 'https://evil.example'
  const headers = {
    host: 'evil.example',
    origin: evil,
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
  }
  const { oauth_url } = await ok('POST', '/mcp/oauth/connect', { headers, body })
  assert.equal(new URL(oauth_url).searchParams.get('redirect_uri'), CALLBACK)
})

test('only the owner can start the sign-in of an administrator server', async () => {
  const id = await make()
  const ann = await makeKey({ role: 'basic' })
  const { status, body } = await ask('POST', '/mcp/oauth/connect', { key: ann, body: { server_id: id } })
  assert.deepEqual([status, body.error_code], [403, 'NOT_OWNER'])
})

test('a configured client is used without registration, and its secret is masked', async () => {
  clients.set('given', { redirect_uris: [CALLBACK] })
  const id = await make({ oauth_client_id: 'given', oauth_client_secret: 'the-secret-of-the-client' })
  await comeBack(approve(await connect(id)))
  assert.ok(!authority.seen.some((it) => it.path === '/register'))
  const { admin_credentials, oauth_provider_mode } = await get(id)
  assert.deepEqual(
    [admin_credentials, oauth_provider_mode],
    [{ client_id: 'given', client_secret: 'the-...ient' }, 'AUTO_DISCOVERY'],
  )
})

test('configured OAuth addresses are used if the server publishes none', async () => {
  clients.set('given', { redirect_uris: [CALLBACK] })
  const id = await make({
    oauth_client_id: 'given',
    oauth_authorization_url: `${authority.origin}/authorize`,
    oauth_token_url: `${authority.origin}/token`,
    oauth_scopes: ['orders', 'more'],
  })
  const url = await connect(id)
  assert.ok(!authority.seen.some((it) => it.path.startsWith('/.well-known')))
  assert.equal((await comeBack(approve(url))).body.authenticated, true)
  const one = { name: 'x', server_url: remote.url, auth_type: 'OAUTH', oauth_token_url: `${authority.origin}/token` }
  assert.equal((await ask('POST', '/admin/mcp/servers/create', { body: one })).status, 400)
})

test('a user who declines returns without a sign-in, and the reason is reported', async () => {
  const id = await make()
  const { state } = approve(await connect(id))
  const { status, body } = await comeBack({ state, error: 'access_denied', error_description: 'Not today' })
  assert.equal(status, 400)
  assert.match(body.detail, /access_denied.*Not today/)
})

test('the return path must be on this origin', async () => {
  const id = await make()
  for (const return_path of ['https://evil.example/', '//evil.example', '/\\evil.example', 'chat']) {
    const { status } = await ask('POST', '/mcp/oauth/connect', { body: { server_id: id, return_path } })
    assert.equal(status, 422, return_path)
  }
})

test('a server without an authorization server is reported', async () => {
  const id = await make()
  const guard = remote.guard
  remote.guard = (_, response) => answerJson(response, 404, {})
  const { status, body } = await ask('POST', '/mcp/oauth/connect', { body: { server_id: id } })
  remote.guard = guard
  assert.deepEqual([status, body.error_code], [400, 'MCP_SIGN_IN_FAILED'], body.detail)
})
