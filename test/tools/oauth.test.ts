// OAuth accounts with a fake provider that can give any response. test/servers/oidc.test.ts has a real one.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Subject } from '../../src/domain/subject.ts'
import { OauthConfigCreate, OauthConfigUpdate } from '../../src/domain/tools/oauth-config.ts'
import { CustomToolCreate, CustomToolUpdate } from '../../src/domain/tools/tool.ts'
import { isLocalPath } from '../../src/domain/values/local-path.ts'
import { insertTool, updateTool } from '../../src/store/tools/custom-tools.ts'
import { deleteOauthConfig, insertOauthConfig, updateOauthConfig } from '../../src/store/tools/oauth-configs.ts'
import { ADA, ANN, BOB, definitionOf, openToolFixture, runOf } from './tool-fixture.ts'

type Json = Record<string, unknown>

let time = Date.now()
const { internet, db, secrets, tools, one } = await openToolFixture({ now: () => time })
const signal = () => AbortSignal.timeout(20_000)

interface Asked {
  form: Record<string, string>
  authorization: string | undefined
}
const asked: Asked[] = []
let answer: (asked: Asked) => { status?: number; body: unknown; headers?: Record<string, string> } = () => ({
  body: {},
})
await internet.site('idp.example', async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const form = Object.fromEntries(new URLSearchParams(Buffer.concat(pieces).toString()))
  const it = { form, authorization: request.headers.authorization }
  asked.push(it)
  const { status = 200, body, headers = {} } = answer(it)
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
})
let tokenSeen: string | undefined
await internet.site(
  'tool.example',
  (request, response) => {
    tokenSeen = request.headers.authorization
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  },
  { address: '93.184.216.40' },
)

const CONFIG = {
  name: 'Elsewhere',
  authorization_url: 'https://idp.example/auth?tenant=7',
  token_url: 'http://idp.example/token',
  client_id: 'pharos & co',
  client_secret: 'a:secret%of the client',
  scopes: ['read', 'offline'],
  additional_params: { prompt: 'consent', state: 'theirs', client_id: 'theirs', redirect_uri: 'https://evil.example' },
}
const configured = (more: Json = {}) =>
  insertOauthConfig({ db, secrets }, ADA, OauthConfigCreate.parse({ ...CONFIG, ...more }), time)
const begin = async (subject: Subject, oauth_config_id: number, return_path = '/chat') => {
  const { authorization_url, state } = await tools.oauth.startFlow(subject, { oauth_config_id, return_path })
  return { url: new URL(authorization_url), state }
}
const end = (subject: Subject, query: { code?: string; state?: string; error?: string; error_description?: string }) =>
  tools.oauth.finishFlow(subject, { code: null, state: null, error: null, error_description: null, ...query }, signal())
const connected = async (subject: Subject, id: number, token: Json = {}) => {
  const { state } = await begin(subject, id)
  answer = () => ({ body: { access_token: 'first', token_type: 'Bearer', ...token } })
  assert.deepEqual(await end(subject, { code: 'c', state }), { redirect_url: '/chat', error: null })
}
const GET = definitionOf({ '/now': { get: { operationId: 'now' } } })
const call = async (subject: Subject, oauth_config_id: number) => {
  tokenSeen = undefined
  const callable = await one(ADA, { definition: GET, oauth_config_id })
  const run = runOf(subject)
  const result = await callable.call({}, run)
  return { result, run, token: tokenSeen }
}

test('the redirect has a challenge, a state and the configured parameters, which replace none of ours', async () => {
  const { id } = await configured()
  const { url, state } = await begin(ANN, id)
  const { code_challenge, ...query } = Object.fromEntries(url.searchParams)
  assert.equal(`${url.origin}${url.pathname}`, 'https://idp.example/auth')
  assert.deepEqual(query, {
    tenant: '7',
    prompt: 'consent',
    response_type: 'code',
    client_id: 'pharos & co',
    redirect_uri: 'https://pharos.example/oauth-config/callback',
    scope: 'read offline',
    state,
    code_challenge_method: 'S256',
  })
  assert.match(code_challenge ?? '', /^[\w-]{43}$/)
  assert.match(state, /^[\w-]{43}$/)
})

test('the code is exchanged with its verifier and Basic authentication', async () => {
  const { id } = await configured()
  const { url, state } = await begin(ANN, id, '/chat?session=1')
  answer = () => ({ body: { access_token: 'token-of-ann', token_type: 'bearer', expires_in: '3600' } })
  const before = asked.length
  assert.deepEqual(await end(ANN, { code: 'the code', state }), { redirect_url: '/chat?session=1', error: null })
  const [{ form, authorization }] = asked.slice(before) as [Asked]
  const { code_verifier, ...rest } = form
  assert.deepEqual(rest, {
    grant_type: 'authorization_code',
    code: 'the code',
    redirect_uri: 'https://pharos.example/oauth-config/callback',
  })
  assert.equal(createHash('sha256').update(code_verifier!).digest('base64url'), url.searchParams.get('code_challenge'))
  assert.equal(Buffer.from(authorization!.slice(6), 'base64').toString(), 'pharos+%26+co:a%3Asecret%25of+the+client')
  const [status] = await tools.oauth.listStatuses(ANN)
  assert.equal(status!.is_expired, false)
  assert.ok(Math.abs(status!.expires_at! - time / 1_000 - 3_600) <= 1)
})

test('a tool on another server ends consents of other people, unless an administrator creates it', async () => {
  const { id } = await insertOauthConfig({ db, secrets }, BOB, OauthConfigCreate.parse(CONFIG), time)
  const tool = (url: string, more: Json = {}) => {
    const definition = { ...definitionOf({ '/now': { get: { operationId: 'now' } } }), servers: [{ url }] }
    return CustomToolCreate.parse({ name: 'T', definition, passthrough_auth: false, oauth_config_id: id, ...more })
  }
  const isConnected = async (subject: Subject) =>
    (await tools.oauth.listStatuses(subject)).some((it) => it.oauth_config_id === id)
  const first = await insertTool({ db, secrets }, BOB, tool('https://tool.example'), time)
  await connected(ANN, id)
  await connected(BOB, id)
  await insertTool({ db, secrets }, BOB, tool('https://tool.example/other'), time)
  await insertTool({ db, secrets }, ADA, tool('https://third.example'), time)
  assert.equal(await isConnected(ANN), true)
  const { definition } = tool('https://evil.example')
  await updateTool({ db, secrets }, BOB, first.id, CustomToolUpdate.parse({ definition }), time)
  assert.deepEqual([await isConnected(ANN), await isConnected(BOB)], [false, true])
  await connected(ANN, id)
  await insertTool({ db, secrets }, BOB, tool('https://evil2.example'), time)
  assert.equal(await isConnected(ANN), false)
})

test('a tool is called only with the token of the caller', async () => {
  const { id } = await configured()
  await connected(ANN, id, { access_token: 'token-of-ann' })
  assert.equal((await call(ANN, id)).token, 'Bearer token-of-ann')
  const { result, run, token } = await call(BOB, id)
  assert.deepEqual([token, result.isError], [undefined, true])
  assert.match(result.text, /account of the person at "Elsewhere" is not connected/)
  const delta = run.packets.find((it) => it.type === 'custom_tool_delta')
  assert.deepEqual(delta?.type === 'custom_tool_delta' && delta.error, {
    is_auth_error: true,
    status_code: 401,
    message: 'This tool uses your account at "Elsewhere", which is not connected.',
    oauth_config_id: id,
  })
})

test('a provider that requires client authentication in the body gets it there', async () => {
  const { id } = await configured()
  const { state } = await begin(ANN, id)
  answer = ({ authorization }) =>
    authorization === undefined ? { body: { access_token: 'x' } } : { status: 401, body: { error: 'invalid_client' } }
  const before = asked.length
  assert.equal((await end(ANN, { code: 'c', state })).error, null)
  assert.deepEqual(
    asked.slice(before).map(({ form }) => [form.client_id, form.client_secret]),
    [
      [undefined, undefined],
      [CONFIG.client_id, CONFIG.client_secret],
    ],
  )
})

test('a state works only once', async () => {
  const { id } = await configured()
  const { state } = await begin(ANN, id)
  answer = () => ({ body: { access_token: 'x' } })
  assert.equal((await end(ANN, { code: 'c', state })).error, null)
  assert.match((await end(ANN, { code: 'c', state })).error ?? '', /Start again/)
})

test('a state works only for its user and stays valid for them', async () => {
  const { id } = await configured()
  const { state } = await begin(ANN, id)
  answer = () => ({ body: { access_token: 'x' } })
  const before = asked.length
  assert.match((await end(BOB, { code: 'code of the attacker', state })).error ?? '', /started by another user/)
  assert.equal(asked.length, before)
  assert.equal((await end(ANN, { code: 'c', state })).error, null)
})

test('a state works for ten minutes', async () => {
  const { id } = await configured()
  const { state } = await begin(ANN, id)
  time += 600_001
  assert.match((await end(ANN, { code: 'c', state })).error ?? '', /longer than ten minutes/)
})

for (const query of [{}, { code: 'c' }, { state: 'x', code: 'c' }, { state: '', code: 'c' }]) {
  test(`${JSON.stringify(query)} matches no sign-in`, async () => {
    assert.deepEqual(await end(ANN, query), { redirect_url: '/chat', error: (await end(ANN, {})).error })
  })
}

for (const [path, is] of [
  ['/chat', true],
  ['/chat?x=https://a#b', true],
  ['//evil.example', false],
  ['/\\evil.example', false],
  ['https://evil.example', false],
  ['javascript:alert(1)', false],
  ['/\t/evil.example', false],
  ['chat', false],
  ['', false],
] as const) {
  test(`"${path}" ${is ? 'is' : 'is not'} a local path`, () => assert.equal(isLocalPath(path), is))
}

test('a return path to another origin is refused', async () => {
  const { id } = await configured()
  await assert.rejects(begin(ANN, id, '//evil.example'), { code: 'INVALID_INPUT' })
  await assert.rejects(begin(ANN, 999_999), { code: 'OAUTH_CONFIG_NOT_FOUND' })
})

const REFUSALS: [
  what: string,
  answer: { status?: number; body: unknown; headers?: Record<string, string> },
  said: RegExp,
][] = [
  [
    'an error',
    { status: 400, body: { error: 'invalid_grant', error_description: 'Too\u202e late.' } },
    /^The provider refused the request: Too late\.$/,
  ],
  ['an error with status 200', { body: { error: 'bad_verification_code' } }, /bad_verification_code/],
  ['no JSON', { body: '<html>' }, /status 200 and no valid token/],
  ['no token', { body: { token_type: 'bearer' } }, /no valid token/],
  ['a token with a line break', { body: { access_token: 'a\r\nb: c' } }, /no valid token/],
  ['another kind of token', { body: { access_token: 'x', token_type: 'mac' } }, /is mac instead of bearer/],
  ['a redirect', { status: 307, headers: { location: 'http://evil.example/token' }, body: '' }, /redirects/],
  ['a mebibyte', { body: 'x'.repeat(2 << 20) }, /larger than/],
  ['a failure', { status: 500, body: { access_token: 'x' } }, /status 500/],
]
for (const [what, refusal, said] of REFUSALS) {
  test(`a provider that answers ${what} connects no account, with the reason`, async () => {
    const { id } = await configured()
    const { state } = await begin(BOB, id)
    answer = () => refusal
    const { error } = await end(BOB, { code: 'c', state })
    assert.match(error ?? '', said)
    assert.ok(!(await tools.oauth.listStatuses(BOB)).some((it) => it.oauth_config_id === id))
  })
}

test('a person who declines at the provider returns with that result', async () => {
  const { id } = await configured()
  const { state } = await begin(ANN, id)
  const error = 'access_denied'
  assert.deepEqual(await end(ANN, { state, error }), {
    redirect_url: '/chat',
    error: `The provider refused the request: ${error}.`,
  })
})

test('concurrent calls renew an expiring token once before its use', async () => {
  const { id } = await configured()
  await connected(ANN, id, { expires_in: 120, refresh_token: 'r1' })
  time += 61_000
  let count = 0
  answer = ({ form }) => {
    assert.deepEqual(form, { grant_type: 'refresh_token', refresh_token: `r${count + 1}` })
    count += 1
    return { body: { access_token: `renewed-${count}`, expires_in: 120, refresh_token: `r${count + 1}` } }
  }
  const seen = await Promise.all(Array.from({ length: 8 }, () => call(ANN, id)))
  assert.ok(seen.every((it) => !it.result.isError))
  assert.equal(count, 1)
  time += 61_000
  assert.equal((await call(ANN, id)).token, 'Bearer renewed-2')
})

test('a renewal waits for another process that renews the same token', async () => {
  const { id } = await configured()
  await connected(ANN, id, { expires_in: 30, refresh_token: 'r1' })
  const held = { held_until: time + 30_000 }
  await db.updateTable('oauth_token').set(held).where('oauth_config_id', '=', id).execute()
  answer = () => assert.fail('it is renewed elsewhere')
  const waiting = call(ANN, id)
  await db
    .updateTable('oauth_token')
    .set({ expires_at: time + 3_600_000, held_until: 0, time_updated: time + 1 })
    .where('oauth_config_id', '=', id)
    .execute()
  assert.equal((await waiting).token, 'Bearer first')
})

test('without a new refresh token the old one is kept', async () => {
  const { id } = await configured()
  await connected(ANN, id, { expires_in: 30, refresh_token: 'r1' })
  for (const name of ['second', 'third']) {
    answer = ({ form }) => {
      assert.equal(form.refresh_token, 'r1')
      return { body: { access_token: name, expires_in: 30 } }
    }
    assert.equal((await call(ANN, id)).token, `Bearer ${name}`)
  }
})

test('a revoked consent is deleted and requested again', async () => {
  const { id } = await configured()
  await connected(ANN, id, { expires_in: 30, refresh_token: 'r1' })
  answer = () => ({ status: 400, body: { error: 'invalid_grant' } })
  assert.match((await call(ANN, id)).result.text, /is not connected/)
  assert.ok(!(await tools.oauth.listStatuses(ANN)).some((it) => it.oauth_config_id === id))
})

test('a temporary provider error ends no consent', async () => {
  const { id } = await configured()
  await connected(ANN, id, { expires_in: 30, refresh_token: 'r1' })
  answer = () => ({ status: 503, body: 'later' })
  assert.match((await call(ANN, id)).result.text, /could not be renewed/)
  answer = () => ({ body: { access_token: 'well-again' } })
  assert.equal((await call(ANN, id)).token, 'Bearer well-again')
})

test('a token without a refresh token is used until it expires', async () => {
  const { id } = await configured()
  await connected(ANN, id, { expires_in: 30 })
  assert.equal((await call(ANN, id)).token, 'Bearer first')
  time += 31_000
  assert.equal((await call(ANN, id)).result.isError, true)
  assert.equal((await tools.oauth.listStatuses(ANN)).find((it) => it.oauth_config_id === id)?.is_expired, true)
})

test('revoking a consent deletes it, and revoking again succeeds', async () => {
  const { id } = await configured()
  await connected(ANN, id)
  await connected(BOB, id)
  await tools.oauth.revoke(ANN, id)
  await tools.oauth.revoke(ANN, id)
  assert.equal((await call(ANN, id)).result.isError, true)
  assert.equal((await call(BOB, id)).token, 'Bearer first')
})

test('the record contains no readable token, secret or verifier', async () => {
  const { id } = await configured({ client_secret: 'canary-secret' })
  await connected(ANN, id, { access_token: 'canary-access', refresh_token: 'canary-refresh' })
  const { state } = await begin(ANN, id)
  for (const table of ['oauth_config', 'oauth_token', 'oauth_state'] as const) {
    const text = JSON.stringify(await db.selectFrom(table).selectAll().execute())
    assert.ok(!text.includes('canary') && !text.includes(state), table)
  }
})

test('another provider or client deletes the tokens, another name keeps them', async () => {
  const { id } = await configured()
  const change = (body: Json) => updateOauthConfig({ db, secrets }, ADA, id, OauthConfigUpdate.parse(body), time)
  for (const [body, isKept] of [
    [{ name: 'New', client_secret: 'new', scopes: [] }, true],
    [{ token_url: 'http://other.example/token' }, false],
    [{ clear_client_id: true }, false],
  ] as const) {
    await change({ token_url: CONFIG.token_url, client_id: CONFIG.client_id })
    await connected(ANN, id)
    await change(body)
    const ids = (await tools.oauth.listStatuses(ANN)).map((it) => it.oauth_config_id)
    assert.equal(ids.includes(id), isKept, JSON.stringify(body))
  }
})

test('deleting a configuration deletes its tokens, and its tools remain', async () => {
  const { id } = await configured()
  await connected(ANN, id)
  const callable = await one(ADA, { definition: GET, oauth_config_id: id })
  const { state } = await begin(ANN, id)
  await deleteOauthConfig(db, ADA, id)
  assert.equal((await callable.call({}, runOf(ANN))).isError, true)
  assert.match((await end(ANN, { code: 'c', state })).error ?? '', /Start again/)
  assert.ok(!(await tools.oauth.listStatuses(ANN)).some((it) => it.oauth_config_id === id))
})
