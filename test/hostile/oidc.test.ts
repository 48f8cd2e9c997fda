// Published attacks on the sign-in with OpenID Connect, by a provider and by other people.
import assert from 'node:assert/strict'
import { createHmac, createSecretKey, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { after, beforeEach, test } from 'node:test'
import { SignJWT } from 'jose'
import { start } from '../api/setup.ts'
import { failureIn, openOidcBrowser } from '../oidc-browser.ts'
import { startSmallProvider } from '../small-oidc-provider.ts'

const PUBLIC_URL = 'http://pharos.example:8080'
const idp = await startSmallProvider()
const other = await startSmallProvider()
const { server, ask, ok, makeKey } = await start({ EGRESS_ALLOW: '127.0.0.1', PUBLIC_URL })
const SECRET = 'a secret of the client'

let count = 0
async function makeProvider(
  policy: Record<string, unknown> = {},
  issuer = idp.url,
  oidc: Record<string, unknown> = {},
) {
  const slug = `p-${count++}`
  const body = {
    ...{ slug, name: `Provider ${slug}`, is_enabled: true, policy: { groups_claim: 'groups', ...policy } },
    oidc: { issuer, client_id: 'pharos', client_secret: SECRET, ...oidc },
  }
  const { id } = await ok('POST', '/admin/sign-in/providers', { body })
  return { slug, id: id as number }
}
const shared = await makeProvider()
const person = (name: string) => ({ sub: name, email: `${name}@example.com`, email_verified: true })
const signIn = async (claims: Record<string, unknown>, slug = shared.slug) => {
  const browser = openOidcBrowser(ask)
  const reply = await browser.comeBack(idp.agree(await browser.leave(slug), claims))
  return { browser, reply, failure: failureIn(reply) }
}
const whoIs = async (browser: ReturnType<typeof openOidcBrowser>) => (await browser.ask('GET', '/me')).body.email

beforeEach(() => {
  idp.reset()
  other.reset()
})

test('an honest sign-in opens a session', async () => {
  const { browser, failure } = await signIn(person('ann'))
  assert.equal(failure, null)
  assert.equal(await whoIs(browser), 'ann@example.com')
  assert.equal(browser.cookies.has('pharos_sign_in'), false)
})

const unsigned = (payload: object, header: object) =>
  [header, payload].map((it) => Buffer.from(JSON.stringify(it)).toString('base64url')).join('.')

const FORGERIES: Record<string, (token: string, payload: Record<string, unknown>) => string | Promise<string>> = {
  'alg none': (_, payload) => `${unsigned(payload, { alg: 'none' })}.`,
  'alg None in another case': (_, payload) => `${unsigned(payload, { alg: 'nOnE' })}.`,
  'alg none with a signature': (token, payload) => `${unsigned(payload, { alg: 'none' })}.${token.split('.')[2]}`,
  'HS256 with the client secret': (_, payload) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(createSecretKey(Buffer.from(SECRET))),
  'HS256 with the public key': (_, payload) => {
    const text = unsigned(payload, { alg: 'HS256', kid: idp.publicKey().kid })
    return `${text}.${createHmac('sha256', JSON.stringify(idp.publicKey())).update(text).digest('base64url')}`
  },
  'a key in the header': async (_, payload) => {
    const forged = await other.sign(payload, { jwk: other.publicKey(), kid: idp.publicKey().kid })
    return forged
  },
  'keys at an address in the header': (_, payload) =>
    other.sign(payload, { jku: `${other.url}/jwks`, kid: other.publicKey().kid }),
  'a key of another provider': (_, payload) => other.sign(payload, { kid: other.publicKey().kid }),
  'an empty signature': (token) => `${token.slice(0, token.lastIndexOf('.'))}.`,
  'another payload under the same signature': (token, payload) => {
    const [head, , signature] = token.split('.')
    const changed = Buffer.from(JSON.stringify({ ...payload, sub: 'root' })).toString('base64url')
    return `${head}.${changed}.${signature}`
  },
  'no token': () => '',
  'text that is no token': () => 'a.b.c',
}
for (const [name, forge] of Object.entries(FORGERIES)) {
  test(`an ID token is refused: ${name}`, async () => {
    idp.forge = forge
    const { browser, failure } = await signIn(person('forged'))
    assert.equal(failure, 'answer_invalid')
    assert.equal((await browser.ask('GET', '/me')).status, 401)
  })
}

const seconds = () => Math.floor(Date.now() / 1_000)
const CLAIMS: Record<string, () => Record<string, unknown>> = {
  'another audience': () => ({ aud: 'another client' }),
  'several audiences without azp of ours': () => ({ aud: ['pharos', 'another'], azp: 'another' }),
  'another issuer': () => ({ iss: other.url }),
  'another nonce': () => ({ nonce: 'of another sign-in' }),
  'no nonce': () => ({ nonce: undefined }),
  'a time in the past': () => ({ exp: seconds() - 120, iat: seconds() - 240 }),
  'no end': () => ({ exp: undefined }),
  'a beginning in the future': () => ({ nbf: seconds() + 300 }),
  'no subject': () => ({ sub: undefined }),
  'an empty subject': () => ({ sub: '' }),
  'a subject that is too long': () => ({ sub: 'x'.repeat(256) }),
  'a subject with NUL': () => ({ sub: 'a\0b' }),
}
for (const [name, claims] of Object.entries(CLAIMS)) {
  test(`an ID token is refused that has ${name}`, async () => {
    const { failure } = await signIn({ ...person('claimed'), ...claims() })
    assert.equal(failure, 'answer_invalid')
  })
}

test('a code works once, and a state works once', async () => {
  const browser = openOidcBrowser(ask)
  const back = idp.agree(await browser.leave(shared.slug), person('once'))
  const pending = new Map(browser.cookies)
  assert.equal(failureIn(await browser.comeBack(back)), null)
  assert.equal(failureIn(await browser.comeBack(back)), 'state')
  const replay = openOidcBrowser(ask)
  for (const [name, value] of pending) replay.cookies.set(name, value)
  assert.equal(failureIn(await replay.comeBack(back)), 'state')
  const again = openOidcBrowser(ask)
  const second = idp.agree(await again.leave(shared.slug), person('once'))
  second.searchParams.set('code', back.searchParams.get('code') ?? '')
  assert.equal(failureIn(await again.comeBack(second)), 'provider_refused')
})

test('a sign-in that an attacker began does not end in the browser of another person', async () => {
  const attacker = openOidcBrowser(ask)
  const back = idp.agree(await attacker.leave(shared.slug), person('attacker'))
  const victim = openOidcBrowser(ask)
  assert.equal(failureIn(await victim.comeBack(back)), 'state')
  await victim.leave(shared.slug)
  assert.equal(failureIn(await victim.comeBack(back)), 'state')
  assert.equal((await victim.ask('GET', '/me')).status, 401)
  assert.equal(failureIn(await attacker.comeBack(back)), null)
})

test('a code of another sign-in is refused: PKCE binds it', async () => {
  const victim = openOidcBrowser(ask)
  const stolen = idp.agree(await victim.leave(shared.slug), person('stolen'))
  const thief = openOidcBrowser(ask)
  const own = idp.agree(await thief.leave(shared.slug), person('thief'))
  own.searchParams.set('code', stolen.searchParams.get('code') ?? '')
  assert.equal(failureIn(await thief.comeBack(own)), 'provider_refused')
})

test('an answer of one provider is refused in the sign-in of another (mix-up)', async () => {
  const evil = await makeProvider({}, other.url)
  const browser = openOidcBrowser(ask)
  const leaving = new URL(await browser.leave(evil.slug))
  // The other provider sends the browser on to the honest one, with its own state.
  const back = idp.agree(leaving.href, person('mixed'))
  assert.equal(back.searchParams.get('iss'), idp.url)
  assert.notEqual(failureIn(await browser.comeBack(back)), null)
  assert.deepEqual(other.codes, [], 'the other provider received the code of the honest one')
})

test('an answer without the issuer is refused if the provider promises it', async () => {
  const browser = openOidcBrowser(ask)
  const back = idp.agree(await browser.leave(shared.slug), person('no-iss'))
  back.searchParams.delete('iss')
  assert.equal(failureIn(await browser.comeBack(back)), 'answer_invalid')
  assert.deepEqual(idp.codes, [])
})

test('an address that is not verified takes over nobody, and creates nobody', async () => {
  await makeKey({ role: 'admin', user_email: 'boss@example.com' })
  const trusted = await makeProvider({ trusts_emails: true })
  for (const slug of [shared.slug, trusted.slug]) {
    for (const email_verified of [false, 'false', null, undefined, 'yes']) {
      const { failure, browser } = await signIn({ sub: 'eve', email: 'BOSS@example.com', email_verified }, slug)
      assert.equal(failure, 'email_unverified')
      assert.equal((await browser.ask('GET', '/me')).status, 401)
    }
  }
  assert.equal((await signIn({ sub: 'eve', email: 'fresh@example.com' })).failure, 'email_unverified')
})

test('an address that the provider gave to another account opens nothing', async () => {
  await signIn({ ...person('leaver'), email: 'shared@example.com' })
  assert.equal((await signIn({ ...person('joiner'), email: 'shared@example.com' })).failure, 'other_account')
})

test('after the sign-in the browser stays on this service', async () => {
  const paths = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
  ]
  for (const next of [...paths, '/\t/evil.example', '/%0d%0aset-cookie:x=y']) {
    const browser = openOidcBrowser(ask)
    const reply = await browser.comeBack(idp.agree(await browser.leave(shared.slug, next), person('ann')))
    const target = new URL(String(reply.headers.location), server.url)
    assert.equal(target.origin, server.url, next)
    assert.doesNotMatch(String(reply.headers.location), /[\r\n]|^\/[/\\]/)
  }
  const browser = openOidcBrowser(ask)
  const back = idp.agree(await browser.leave(shared.slug, '/admin/connectors?x=1'), person('ann'))
  assert.equal((await browser.comeBack(back)).headers.location, '/admin/connectors?x=1')
})

test('a host that the client names is not in the address to which the provider returns', async () => {
  const reply = await ask('GET', `/auth/oidc/authorize?provider=${shared.slug}`, {
    key: null,
    headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
  })
  if (reply.status === 200) assert.doesNotMatch(reply.text, /evil\.example/)
})

test('a sign-in opens a new session, whatever cookie the browser had', async () => {
  const planted = 'A'.repeat(43)
  const browser = openOidcBrowser(ask)
  browser.cookies.set('pharos_session', planted)
  await browser.comeBack(idp.agree(await browser.leave(shared.slug), person('ann')))
  assert.notEqual(browser.cookies.get('pharos_session'), planted)
})

test('texts of the provider do not reach the page, only the kind of the failure', async () => {
  const browser = openOidcBrowser(ask)
  const back = idp.agree(await browser.leave(shared.slug))
  back.searchParams.delete('code')
  back.searchParams.set('error', 'access_denied')
  back.searchParams.set('error_description', 'Call 0900-EVIL <script>alert(1)</script>')
  const reply = await browser.comeBack(back)
  assert.equal(failureIn(reply), 'provider_refused')
  assert.doesNotMatch(String(reply.headers.location), /EVIL|script/)
})

const huge = 'x'.repeat(1 << 20)
for (const endpoint of ['discovery', 'token', 'jwks', 'userinfo'] as const) {
  test(`a huge answer is cut off: ${endpoint}`, async () => {
    const provider = await makeProvider()
    if (endpoint !== 'discovery') idp.answers[endpoint] = () => ({ body: { huge } })
    else idp.answers.discovery = () => ({ body: { huge } })
    const browser = openOidcBrowser(ask)
    const left = await browser.ask('GET', `/auth/oidc/authorize?provider=${provider.slug}`)
    if (endpoint === 'discovery') assert.equal(left.body.error_code, 'SIGN_IN_PROVIDER_DOWN')
    else {
      const reply = await browser.comeBack(idp.agree(left.body.authorization_url, person('ann')))
      assert.equal(failureIn(reply), 'provider_unavailable')
    }
  })
}

test('keys are not read from an address to which the provider redirects', async () => {
  let called = 0
  const inner = createServer((_, response) => {
    called++
    response.end(JSON.stringify({ keys: [] }))
  })
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve))
  after(() => inner.close())
  const address = inner.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const provider = await makeProvider()
  const location = `http://127.0.0.1:${port}/jwks`
  idp.answers.jwks = () => ({ status: 302, headers: { location }, body: {} })
  assert.equal((await signIn(person('ann'), provider.slug)).failure, 'provider_unavailable')
  assert.equal(called, 0)
})

test('endpoints at private addresses are not called unless the operator allows them', async () => {
  const provider = await makeProvider()
  idp.discovery = { jwks_uri: 'http://10.0.0.1/jwks' }
  assert.equal((await signIn(person('ann'), provider.slug)).failure, 'provider_unavailable')
  const metadata = await makeProvider()
  idp.discovery = { token_endpoint: 'http://169.254.169.254/latest/meta-data' }
  assert.equal((await signIn(person('ann'), metadata.slug)).failure, 'provider_unavailable')
})

test('a discovery document of another issuer is refused', async () => {
  const provider = await makeProvider()
  idp.discovery = { issuer: other.url }
  const reply = await ask('GET', `/auth/oidc/authorize?provider=${provider.slug}`, { key: null })
  assert.equal(reply.body.error_code, 'SIGN_IN_PROVIDER_DOWN')
  const check = await ask('POST', `/admin/sign-in/providers/${provider.id}/check`)
  assert.deepEqual([check.status, check.body.error_code], [424, 'SIGN_IN_PROVIDER_FAILED'])
})

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const logoutToken = (more: Record<string, unknown> = {}) => ({
  ...{ iss: idp.url, aud: 'pharos', iat: seconds(), exp: seconds() + 120, jti: randomUUID(), sub: 'out' },
  events: { [LOGOUT_EVENT]: {} },
  ...more,
})
const logout = (logout_token: string, slug = shared.slug) =>
  ask('POST', `/auth/oidc/backchannel-logout/${slug}`, {
    key: null,
    bytes: new URLSearchParams({ logout_token }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

const LOGOUTS: Record<string, () => Promise<string> | string> = {
  'alg none': () => `${unsigned(logoutToken(), { alg: 'none' })}.`,
  'a key of another provider': () => other.sign(logoutToken()),
  'another audience': () => idp.sign(logoutToken({ aud: 'another' })),
  'another issuer': () => idp.sign(logoutToken({ iss: other.url })),
  'an ID token': () => idp.sign({ ...logoutToken(), events: undefined }),
  'a nonce': () => idp.sign(logoutToken({ nonce: 'n' })),
  'no id': () => idp.sign({ ...logoutToken(), jti: undefined } as never),
  'neither account nor session': () => idp.sign({ ...logoutToken(), sub: undefined } as never),
  'a time in the past': () => idp.sign(logoutToken({ exp: seconds() - 60, iat: seconds() - 120 })),
  'an age of ten minutes': () => idp.sign(logoutToken({ iat: seconds() - 600 })),
  'another type': () => idp.sign(logoutToken(), { typ: 'at+jwt' }),
}
for (const [name, token] of Object.entries(LOGOUTS)) {
  test(`a logout token is refused: ${name}`, async () => {
    const { browser } = await signIn(person('out'))
    const reply = await logout(await token())
    assert.deepEqual([reply.status, reply.body.error_code], [400, 'LOGOUT_TOKEN_INVALID'], reply.text)
    assert.equal(await whoIs(browser), 'out@example.com')
  })
}

test('a logout token ends the sessions of the account once', async () => {
  const { browser } = await signIn({ ...person('out'), sid: 'session 1' })
  const stays = await signIn(person('ann'))
  const token = await idp.sign(logoutToken(), { typ: 'logout+jwt' })
  assert.equal((await logout(token)).status, 200)
  assert.equal((await browser.ask('GET', '/me')).status, 401)
  assert.equal(await whoIs(stays.browser), 'ann@example.com')
  const later = await signIn(person('out'))
  assert.equal((await logout(token)).body.error_code, 'LOGOUT_TOKEN_INVALID')
  assert.equal(await whoIs(later.browser), 'out@example.com')
})

test('tokens with unknown keys cause few requests for keys', async () => {
  const provider = await makeProvider()
  await signIn(person('ann'), provider.slug)
  const before = idp.counts['/jwks'] ?? 0
  for (let at = 0; at < 20; at++) await logout(await other.sign(logoutToken(), { kid: `unknown ${at}` }), provider.slug)
  assert.ok((idp.counts['/jwks'] ?? 0) - before <= 5, `${idp.counts['/jwks']} requests`)
})
