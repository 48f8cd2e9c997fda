// Tools that act for the caller: the attacker's server must never receive a key.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { calls, says, startModelServer } from '../model/model-server.ts'
import { startRemote } from '../remote-mcp.ts'
import { createStreamRequester, isType, type Line } from './chat-client.ts'
import { documentOf, start } from './setup.ts'

/** The requests that the attacker receives. */
const seen: { method: string; authorization: string | undefined; headers: string }[] = []
const attacker = createServer((request, response) => {
  const { method = '', headers } = request
  seen.push({ method, authorization: headers.authorization, headers: JSON.stringify(headers) })
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"state":"done"}')
})
await new Promise<void>((resolve) => void attacker.listen(0, '127.0.0.1', resolve))
after(() => attacker.close())
const url = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}`
const remote = await startRemote()

const model = await startModelServer()
const { server, ok, ask, push, makeKey, alterRecord } = await start({ EGRESS_ALLOW: '127.0.0.1', ...model.env() })
const stream = createStreamRequester(server)
await push(documentOf('The harbour opens at nine.', { id: 'harbour' }))

const definition = (path = '/now') => ({
  openapi: '3.0.0',
  info: { title: 'T', description: 'T' },
  servers: [{ url }],
  paths: {
    [path]: {
      get: { operationId: 'now', summary: 'Says something' },
      post: { operationId: 'write', summary: 'Writes something' },
    },
  },
})
const curator = await makeKey({ role: 'curator' })
const makeTool = async (more: object = {}, key = curator): Promise<number> =>
  (
    await ok('POST', '/admin/tool/custom', {
      key,
      body: { name: 'Tickets', definition: definition(), passthrough_auth: true, ...more },
    })
  ).id
const personaWith = async (tool: number, key = curator): Promise<number> => {
  const text = { name: 'Clerk', description: '', system_prompt: '', task_prompt: '', datetime_aware: false }
  const lists = { document_set_ids: [], tool_ids: [tool], starter_messages: [], users: [], groups: [] }
  return (await ok('POST', '/persona', { key, body: { ...text, ...lists, is_public: true } })).id
}
const grant = (tool: number) => ok('POST', `/admin/tool/${tool}/passthrough-grant`, { body: { server_url: url } })
const consents = (key: string) => ok('GET', '/user/passthrough-consent', { key })

interface Asking {
  key?: string
  headers?: Record<string, string>
  /** The person's answers, question by question. */
  decisions?: boolean[]
  call?: string
}

/** Asks the persona, whose model calls the tool at once. Returns all lines and the questions to the person. */
async function chat(persona_id: number, { decisions = [], call = 'now', ...who }: Asking) {
  model.script([calls({ name: call, arguments: {} }), says('Done.')])
  const body = { message: 'What is new?', chat_session_info: { persona_id } }
  const answer = await stream('POST', '/chat/send-chat-message', { ...who, body })
  const lines: Line[] = []
  const asked: Line[] = []
  let session = ''
  for (let line = await answer.next(); line !== undefined; line = await answer.next()) {
    lines.push(line)
    session = line.chat_session_id ?? session
    if (!isType('custom_tool_confirmation')(line)) continue
    asked.push(line.obj)
    const decision = {
      chat_session_id: session,
      confirmation_id: line.obj.confirmation_id,
      approve: decisions.shift() === true,
    }
    await ok('POST', '/chat/confirm-tool-call', {
      ...(who.headers ? { headers: who.headers, key: null } : who),
      body: decision,
    })
  }
  const error = lines.filter(isType('custom_tool_delta')).map((it) => it.obj.error?.message)[0]
  return { asked, error }
}

/** Returns the requests that the attacker received. None may contain a key. */
async function received(work: () => Promise<unknown>): Promise<typeof seen> {
  const before = seen.length
  await work()
  const requests = seen.slice(before)
  for (const { headers } of requests) {
    for (const secret of [server.key, curator]) assert.ok(!headers.includes(secret))
    assert.doesNotMatch(headers, /cookie|pharos_(?!call_)|x-onyx/i)
  }
  return requests
}

test('a tool of a curator receives no token of other users until an administrator grants it', async () => {
  const tool = await makeTool()
  const persona = await personaWith(tool)
  const admin = await makeKey({ role: 'admin' })
  const requests = await received(async () => {
    const { asked, error } = await chat(persona, { key: admin, decisions: [true] })
    assert.deepEqual(asked, [])
    assert.match(error, new RegExp(`no administrator has allowed that.*POST /admin/tool/${tool}/passthrough-grant`))
  })
  assert.deepEqual(requests, [])
  const early = await ask('PUT', '/user/passthrough-consent', { key: admin, body: { tool_id: tool } })
  assert.deepEqual([early.status, early.body.error_code], [403, 'PASSTHROUGH_NOT_GRANTED'])
})

test('after grant and consent, the tool receives a short-lived token that can only search as the user', async () => {
  const tool = await makeTool()
  const persona = await personaWith(tool)
  const { api_key: admin, api_key_id, user_id } = await ok('POST', '/admin/api-key', { body: { role: 'admin' } })
  const { passthrough_grant } = await grant(tool)
  assert.equal(passthrough_grant.granted_by, (await ok('GET', '/me')).id)
  const [entry] = await ok('GET', `/admin/audit?action=tool.grant_passthrough&object_id=${tool}`)
  assert.equal(entry.outcome, 'success')

  const declined = await received(async () => {
    const { asked } = await chat(persona, { key: admin, decisions: [false] })
    assert.deepEqual([asked.length, asked[0].passes_token, asked[0].url], [1, true, `${url}/now`])
  })
  assert.deepEqual([declined, await consents(admin)], [[], []])

  const [request, ...rest] = await received(() => chat(persona, { key: admin, decisions: [true] }))
  assert.deepEqual(rest, [])
  const token = request!.authorization!.replace('Bearer ', '')
  assert.match(token, /^pharos_call_/)
  assert.equal((await ok('GET', '/me', { key: token })).id, user_id)
  assert.deepEqual((await ok('GET', '/me/permissions', { key: token })).permissions, ['read:search', 'search'])
  assert.equal((await ok('POST', '/search', { key: token, body: { query: 'harbour' } })).total, 1)
  for (const [method, path, body] of [
    ['POST', '/admin/api-key', { role: 'admin' }],
    ['GET', '/admin/api-key', undefined],
    ['POST', '/user/pats', { name: 'x' }],
    ['GET', '/user/pats', undefined],
    ['PUT', '/user/passthrough-consent', { tool_id: tool }],
    ['POST', `/admin/tool/${tool}/passthrough-grant`, { server_url: url }],
    ['GET', '/chat/get-user-chat-sessions', undefined],
    ['POST', '/chat/send-chat-message', { message: 'x' }],
    ['POST', '/service-api/ingestion', {}],
    ['GET', '/tool', undefined],
  ] as const) {
    const reply = await ask(method, path, { key: token, ...(body && { body }) })
    assert.equal(reply.status, 403, `${method} ${path}`)
  }
  const session = { key: null, headers: { 'x-requested-with': 'test' }, body: { api_key: token } }
  assert.equal((await ask('POST', '/auth/session', session)).status, 401)

  const [again] = await received(async () => {
    const { asked } = await chat(persona, { key: admin })
    assert.deepEqual(asked, [], 'the person is asked once')
  })
  const other = again!.authorization!.replace('Bearer ', '')
  assert.notEqual(other, token)
  await alterRecord(`update call_token set expires_at = ${Date.now() - 1} where kid = '${token.split('_')[2]}'`)
  assert.equal((await ask('GET', '/me', { key: token })).status, 401, 'it lasts five minutes')
  await ok('GET', '/me', { key: other })
  await ok('DELETE', `/admin/api-key/${api_key_id}`)
  assert.equal((await ask('GET', '/me', { key: other })).status, 401, 'it ends with the key')
})

test('for a browser session the tool receives a token, never the cookie', async () => {
  const tool = await makeTool()
  const persona = await personaWith(tool)
  await grant(tool)
  const key = await makeKey({ role: 'basic', user_email: 'cookie@example.com' })
  const page = { 'x-requested-with': 'test' }
  const signedIn = await ask('POST', '/auth/session', { key: null, headers: page, body: { api_key: key } })
  const cookie = signedIn.headers['set-cookie']![0]!.split(';')[0]!
  model.script([calls({ name: 'now', arguments: {} }), says('Done.')])
  await ok('PUT', '/user/passthrough-consent', { key, body: { tool_id: tool } })
  const body = { message: 'What is new?', chat_session_info: { persona_id: persona }, stream: false }
  const [request] = await received(() =>
    ok('POST', '/chat/send-chat-message', { key: null, headers: { ...page, cookie }, body }),
  )
  assert.match(request!.authorization!, /^Bearer pharos_call_/)
  assert.equal((await ok('GET', '/me', { key: request!.authorization!.slice(7) })).email, 'cookie@example.com')
})

test('if consent cannot be requested, no token is passed on', async () => {
  const tool = await makeTool()
  const persona_id = await personaWith(tool)
  await grant(tool)
  model.script([calls({ name: 'now', arguments: {} }), says('Done.')])
  const body = { message: 'What is new?', chat_session_info: { persona_id }, stream: false }
  assert.deepEqual(await received(() => ok('POST', '/chat/send-chat-message', { body, key: server.key })), [])
})

test('a write operation requires its own confirmation in addition to consent', async () => {
  const tool = await makeTool()
  const persona = await personaWith(tool)
  await grant(tool)
  const key = await makeKey({ role: 'basic' })
  const requests = await received(async () => {
    const { asked } = await chat(persona, { key, call: 'write', decisions: [true, false] })
    assert.deepEqual(
      asked.map((it) => it.passes_token ?? false),
      [true, false],
    )
  })
  assert.deepEqual([requests, (await consents(key)).length], [[], 1])
})

test('a passthrough token of a personal access token has no more rights and ends with it', async () => {
  const tool = await makeTool()
  const persona = await personaWith(tool)
  await grant(tool)
  const key = await makeKey({ role: 'admin' })
  const pat = await ok('POST', '/user/pats', { key, body: { name: 'x', scopes: ['write:chat'] } })
  const [request] = await received(() => chat(persona, { key: pat.token, decisions: [true] }))
  const token = request!.authorization!.slice(7)
  assert.deepEqual((await ok('GET', '/me/permissions', { key: token })).permissions, [])
  await ok('DELETE', `/user/pats/${pat.id}`, { key })
  assert.equal((await ask('GET', '/me', { key: token })).status, 401)
})

test('only the user can withdraw a consent, which revokes the issued tokens', async () => {
  const tool = await makeTool()
  const persona = await personaWith(tool)
  await grant(tool)
  const ann = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
  const second = await makeKey({ role: 'basic', user_email: 'Ann@example.com' })
  const bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
  const [request] = await received(() => chat(persona, { key: ann, decisions: [true] }))
  const [consent] = await consents(second)
  assert.deepEqual([consent.kind, consent.id, consent.name], ['tool', tool, 'Tickets'])
  assert.deepEqual(await consents(bob), [])
  const path = `/user/passthrough-consent/${consent.consent_id}`
  assert.equal((await ask('DELETE', path, { key: bob })).status, 404)
  assert.equal(await ok('DELETE', path, { key: second }), null)
  assert.equal((await ask('GET', '/me', { key: request!.authorization!.slice(7) })).status, 401)
  const requests = await received(async () => assert.equal((await chat(persona, { key: ann })).asked.length, 1))
  assert.deepEqual(requests, [])
})

for (const [what, body] of [
  ['another definition', { definition: definition('/other') }],
  ['other headers', { custom_headers: [{ key: 'X-A', value: 'b' }] }],
  ['passthrough_auth sent again', { passthrough_auth: true }],
] as const) {
  test(`the grant and every consent end with ${what}, and so do the tokens`, async () => {
    const tool = await makeTool()
    const persona = await personaWith(tool)
    await grant(tool)
    const key = await makeKey({ role: 'basic' })
    const [request] = await received(() => chat(persona, { key, decisions: [true] }))
    await ok('PUT', `/admin/tool/custom/${tool}`, { key: curator, body: { name: 'Another name' } })
    assert.notEqual((await ok('GET', `/tool/${tool}`)).passthrough_grant, null, 'a name is no other tool')
    await ok('PUT', `/admin/tool/custom/${tool}`, { key: curator, body })
    assert.equal((await ok('GET', `/tool/${tool}`)).passthrough_grant, null)
    assert.deepEqual(await consents(key), [])
    assert.equal((await ask('GET', '/me', { key: request!.authorization!.slice(7) })).status, 401)
    assert.deepEqual(await received(() => chat(persona, { key, decisions: [true] })), [])
  })
}

test('an administrator grants by enabling passthrough, not by writing back the value of a curator', async () => {
  const own = await makeTool({}, server.key)
  assert.notEqual((await ok('GET', `/tool/${own}`)).passthrough_grant, null)
  const tool = await makeTool()
  const put = async (body: object) =>
    (await ok('PUT', `/admin/tool/custom/${tool}`, { body })).passthrough_grant !== null
  const whole = { name: 'Tickets', definition: definition(), passthrough_auth: true }
  assert.equal(await put(whole), false)
  assert.equal(await put({ passthrough_auth: false }), false)
  assert.equal(await put({ passthrough_auth: true }), true)
  assert.equal(await put({ definition: definition('/other') }), true)
  assert.equal(await put({ passthrough_auth: false }), false)
  const pat = await ok('POST', '/user/pats', { key: await makeKey({ role: 'admin' }), body: { name: 'x' } })
  const byToken = await makeTool({}, pat.token)
  assert.equal((await ok('GET', `/tool/${byToken}`)).passthrough_grant, null)
})

test('a grant names the reviewed address and is for administrators', async () => {
  const tool = await makeTool()
  const path = `/admin/tool/${tool}/passthrough-grant`
  assert.equal((await ask('POST', path, { key: curator, body: { server_url: url } })).status, 403)
  const elsewhere = await ask('POST', path, { body: { server_url: 'https://tickets.example.com' } })
  assert.deepEqual([elsewhere.status, elsewhere.body.error_code], [400, 'INVALID_INPUT'])
  const plain = await makeTool({ passthrough_auth: false })
  assert.equal((await ask('POST', `/admin/tool/${plain}/passthrough-grant`, { body: { server_url: url } })).status, 400)
  const key = await makeKey({ role: 'basic' })
  await grant(tool)
  await ok('PUT', '/user/passthrough-consent', { key, body: { tool_id: tool } })
  assert.equal((await ok('DELETE', path)).passthrough_grant, null)
  assert.deepEqual(await consents(key), [])
})

test('an administrator who tries the tool of another user passes no token on either', async () => {
  const tool = await makeTool()
  const attempt = { body: { operation: 'now', run: true } }
  const requests = await received(async () => {
    const { status, body } = await ask('POST', `/admin/tool/${tool}/try`, attempt)
    assert.deepEqual([status, body.error_code], [403, 'PASSTHROUGH_NOT_GRANTED'])
    await grant(tool)
    const granted = await ask('POST', `/admin/tool/${tool}/try`, attempt)
    assert.deepEqual([granted.status, granted.body.error_code], [400, 'PASSTHROUGH_NEEDS_CONSENT'])
  })
  assert.deepEqual(requests, [])
  const [own] = await received(() => ok('POST', `/admin/tool/${tool}/try`, { ...attempt, key: curator }))
  assert.match(own!.authorization!, /^Bearer pharos_call_/)
})

test('an MCP server with PT_OAUTH has the same rules', async () => {
  const body = { name: 'Remote', server_url: remote.url, auth_type: 'PT_OAUTH' }
  const { server_id: id } = await ok('POST', '/admin/mcp/servers/create', { key: curator, body })
  await ok('GET', `/admin/mcp/server/${id}/tools/snapshots?source=mcp`, { key: curator })
  await ok('PATCH', `/admin/mcp/server/${id}`, { body: { is_public: true } })
  const [lookup] = await ok('GET', `/admin/mcp/server/${id}/db-tools`).then((it) => it.tools)
  const persona = await personaWith(lookup.id)
  const key = await makeKey({ role: 'admin' })
  const used = () => chat(persona, { key, call: `mcp${id}_fail`, decisions: [true] })
  model.script([])
  let before = remote.seen.length
  const failTool = (await ok('GET', `/admin/mcp/server/${id}/db-tools`)).tools.find((it: Line) => it.name === 'fail')
  await ok('PATCH', `/persona/${persona}`, {
    key: curator,
    body: {
      ...{ name: 'Clerk', description: '', system_prompt: '', task_prompt: '', datetime_aware: false },
      ...{ document_set_ids: [], tool_ids: [failTool.id] },
    },
  })
  assert.match((await used()).error, /no administrator has allowed that/)
  for (const path of [`/mcp/server/${id}/tools`, `/admin/mcp/server/${id}/tools`]) {
    assert.equal((await ask('GET', path, { key })).body.error_code, 'PASSTHROUGH_NOT_GRANTED')
  }
  assert.equal(remote.seen.length, before)
  assert.equal((await ok('GET', '/mcp/servers', { key })).mcp_servers.at(-1).is_authenticated, false)
  await ok('POST', `/admin/mcp/server/${id}/passthrough-grant`, { body: { server_url: remote.url } })
  before = remote.seen.length
  assert.equal((await used()).asked[0].passes_token, true)
  const sent = remote.seen.slice(before)
  assert.ok(sent.length > 0)
  for (const { headers } of sent) assert.match(headers.authorization!, /^Bearer pharos_call_/)
  const token = sent[0]!.headers.authorization!.slice(7)
  assert.deepEqual((await ok('GET', '/me/permissions', { key: token })).permissions, ['read:search', 'search'])
  await ok('PATCH', `/admin/mcp/server/${id}`, { key: curator, body: { server_url: `${remote.origin}/other` } })
  const moved = await ok('GET', `/admin/mcp/servers/${id}`)
  assert.deepEqual([moved.passthrough_grant, await consents(key)], [null, []])
  assert.equal((await ask('GET', '/me', { key: token })).status, 401)
})
