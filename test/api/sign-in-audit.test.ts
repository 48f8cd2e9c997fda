// Each way to sign in leaves an entry in the audit, with its failures. The success with a key, a password and a link is in
// audited-operations.test.ts.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { linkIn, openSmtpServer } from '../mail/smtp.ts'
import { failureIn, openOidcBrowser } from '../oidc-browser.ts'
import { startSmallProvider } from '../small-oidc-provider.ts'
import { createAuthenticator } from './authenticator.ts'
import { as, createApp, PASSWORD } from './people.ts'
import { start } from './setup.ts'

const ORIGIN = 'https://search.example.com'
const smtp = await openSmtpServer()
const idp = await startSmallProvider()
const headers = { SIGN_IN_HEADER_EMAIL: 'X-Forwarded-Email', SIGN_IN_HEADER_DOMAINS: 'example.com' }
const mail = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'pharos@example.com' }
const { ask, ok } = await start({
  ...{ ...headers, ...mail, PUBLIC_URL: ORIGIN, TRUSTED_PROXIES: '127.0.0.1', EGRESS_ALLOW: '127.0.0.1' },
})

interface Entry {
  action: string
  object_id: string | null
  actor_id: string
  actor_email: string | null
  outcome: string
  error_code: string | null
}
const newest = async (action: string): Promise<Entry> => (await ok('GET', `/admin/audit?action=${action}&limit=1`))[0]
const post = (path: string, body: object, more: Record<string, string> = {}) =>
  ask('POST', path, { key: null, body, headers: more })

/** Joins by the mailed link. */
async function joinAs(email: string) {
  await ok('PUT', '/manage/admin/users', { body: { emails: [email] } })
  const token = linkIn(await smtp.next(email)).split('#')[1]
  const reply = await post('/auth/register', { token, password: PASSWORD })
  assert.equal(reply.status, 201, reply.text)
  return { cookie: String([reply.headers['set-cookie']].flat()[0]).split(';', 1)[0]!, id: reply.body.id as string }
}

async function assertSignedIn(way: string, email: string): Promise<void> {
  const { actor_email, object_id, outcome } = await newest('session.create')
  assert.deepEqual([actor_email, object_id, outcome], [email, way, 'success'])
}
async function assertRefused(way: string | null, code: string, action = 'session.create'): Promise<void> {
  const { actor_id, actor_email, object_id, outcome, error_code } = await newest(action)
  assert.deepEqual([actor_id, actor_email, object_id, outcome, error_code], ['system', null, way, 'refused', code])
}

test('a wrong key', async () => {
  assert.equal((await post('/auth/session', { api_key: 'no key of this service' })).status, 401)
  await assertRefused('key', 'UNAUTHENTICATED')
})

test('a wrong password, and an unknown person likewise', async () => {
  await joinAs('ann@example.com')
  assert.equal((await post('/auth/login', { username: 'ann@example.com', password: 'wrong' })).status, 400)
  await assertRefused('password', 'LOGIN_BAD_CREDENTIALS')
  // Within a minute, neither leaves another entry.
  const count = async () => (await ok('GET', '/admin/audit?outcome=refused&limit=1000')).length
  const before = await count()
  for (const username of ['ann@example.com', 'nobody@example.com'])
    assert.equal((await post('/auth/login', { username, password: 'wrong' })).status, 400)
  assert.equal(await count(), before)
})

test('a right password with a wrong code, and with the right one', async () => {
  const { cookie } = await joinAs('bob@example.com')
  const { uri } = await ok('POST', '/auth/second-factor', { ...as(cookie), body: { password: PASSWORD } })
  const app = createApp(uri)
  await ok('POST', '/auth/second-factor/confirm', { ...as(cookie), body: { code: app.code() } })
  const login = (more: object) => post('/auth/login', { username: 'bob@example.com', password: PASSWORD, ...more })
  const last = await newest('session.create')
  assert.equal((await login({})).body.error_code, 'SECOND_FACTOR_REQUIRED')
  assert.deepEqual(await newest('session.create'), last, 'half of a sign-in is no failure')
  assert.equal((await login({ otp: '000000' })).body.error_code, 'SECOND_FACTOR_WRONG')
  await assertRefused('password', 'SECOND_FACTOR_WRONG')
  assert.equal((await login({ otp: app.code() })).status, 204)
  await assertSignedIn('password', 'bob@example.com')
})

test('too many wrong passwords', async () => {
  await joinAs('gus@example.com')
  const login = () => post('/auth/login', { username: 'gus@example.com', password: 'wrong' })
  for (let at = 0; at < 20 && (await login()).status !== 429; at += 1);
  await assertRefused('password', 'TOO_MANY_ATTEMPTS')
})

test('a passkey, and one that is refused', async () => {
  const { cookie } = await joinAs('cal@example.com')
  const here = { rpID: new URL(ORIGIN).hostname }
  const authenticator = createAuthenticator('cal')
  const created = await ok('POST', '/auth/passkeys/options', { ...as(cookie), body: { password: PASSWORD } })
  const response = authenticator.create(created.challenge, ORIGIN, here)
  await ok('POST', '/auth/passkeys', { ...as(cookie), body: { name: 'Laptop', response } })
  const challenge = async () => (await ok('POST', '/auth/passkey/options', { key: null })).challenge
  const answer = authenticator.get(await challenge(), ORIGIN, { ...here, counter: 1 })
  assert.equal((await post('/auth/passkey/login', answer)).status, 200)
  await assertSignedIn('passkey', 'cal@example.com')
  assert.equal((await post('/auth/passkey/login', answer)).body.error_code, 'PASSKEY_REFUSED')
  await assertRefused('passkey', 'PASSKEY_REFUSED')
})

test('a one-time link that was used, for an account and for a new password', async () => {
  for (const path of ['/auth/register', '/auth/reset-password']) {
    const reply = await post(path, { token: 'no such link', password: PASSWORD })
    assert.equal(reply.body.error_code, 'LINK_INVALID', reply.text)
    await assertRefused(null, 'LINK_INVALID', 'account_link.accept')
  }
})

test('a forgotten password: the mail and the link', async () => {
  const { id } = await joinAs('dora@example.com')
  assert.equal((await post('/auth/forgot-password', { email: 'dora@example.com' })).status, 202)
  const token = linkIn(await smtp.next('dora@example.com')).split('#')[1]
  const mailed = await newest('account_link.mail_reset')
  assert.deepEqual([mailed.actor_id, mailed.actor_email], ['system', 'dora@example.com'])
  const password = 'another staple of horses'
  assert.equal((await post('/auth/reset-password', { token, password })).status, 200)
  const used = await newest('account_link.accept')
  assert.deepEqual([used.actor_id, used.actor_email, used.outcome], [id, 'dora@example.com', 'success'])
})

test('an account at an opened domain: the mail and the link', async () => {
  await ok('PUT', '/admin/sign-in/registration', { body: { domains: ['open.example'] } })
  assert.equal((await post('/auth/registration-link', { email: 'new@open.example' })).status, 202)
  const token = linkIn(await smtp.next('new@open.example')).split('#')[1]
  assert.equal((await newest('account_link.mail_registration')).actor_email, 'new@open.example')
  assert.equal((await post('/auth/register', { token, password: PASSWORD })).status, 201)
  assert.equal((await newest('account_link.accept')).actor_email, 'new@open.example')
})

test('headers of the proxy, and a person whom they do not let in', async () => {
  const proxied = (email: string) => ask('GET', '/me', { key: null, headers: { 'x-forwarded-email': email } })
  assert.equal((await proxied('hal@example.com')).status, 200)
  await assertSignedIn('header', 'hal@example.com')
  assert.equal((await newest('person.create')).actor_email, 'hal@example.com')
  assert.equal((await proxied('eve@other.example')).status, 403)
  await assertRefused('header', 'HEADER_SIGN_IN_REFUSED')
})

const LOGOUT = { 'http://schemas.openid.net/event/backchannel-logout': {} }

test('a provider: the sign-in, a refused one, and the logout by the provider', async () => {
  const oidc = { issuer: idp.url, client_id: 'pharos', client_secret: 'a secret of the client' }
  await ok('POST', '/admin/sign-in/providers', { body: { slug: 'idp', name: 'IdP', is_enabled: true, oidc } })
  const signIn = async (claims: Record<string, unknown>) => {
    const browser = openOidcBrowser(ask)
    return failureIn(await browser.comeBack(idp.agree(await browser.leave('idp'), claims)))
  }
  assert.equal(await signIn({ sub: 'ida', email: 'ida@example.com', email_verified: true }), null)
  await assertSignedIn('idp', 'ida@example.com')
  assert.notEqual(await signIn({ sub: 'ivy', email: 'ivy@example.com', email_verified: true, aud: 'another' }), null)
  await assertRefused('idp', 'SIGN_IN_REFUSED')
  const now = Math.floor(Date.now() / 1_000)
  const token = { iss: idp.url, aud: 'pharos', iat: now, exp: now + 120, jti: randomUUID(), sub: 'ida', events: LOGOUT }
  const logout = async (logout_token: string) =>
    (await post('/auth/oidc/backchannel-logout/idp', { logout_token })).status
  assert.equal(await logout(await idp.sign(token)), 200)
  const ended = await newest('session.delete')
  assert.deepEqual([ended.actor_id, ended.object_id, ended.outcome], ['provider:idp', '1 sessions', 'success'])
  assert.equal(await logout('no token'), 400)
  const refused = await newest('session.delete')
  assert.deepEqual([refused.actor_id, refused.error_code], ['provider:idp', 'LOGOUT_TOKEN_INVALID'])
})

test('a directory that cannot be reached', async () => {
  const ldap = { url: 'ldap://127.0.0.1:9', start_tls: false, dn_template: 'uid={username},dc=example,dc=org' }
  const body = { slug: 'directory', name: 'Directory', is_enabled: true, ldap }
  await ok('POST', '/admin/sign-in/providers', { body })
  const sent = { provider: 'directory', username: 'ann', password: 'CANARY of a password' }
  const reply = await post('/auth/ldap/login', sent)
  assert.ok(reply.status >= 400, reply.text)
  const { object_id, outcome } = await newest('session.create')
  assert.deepEqual([object_id, outcome], ['directory', 'refused'])
})

test('no entry contains a secret', async () => {
  const { text } = await ask('GET', '/admin/audit?limit=1000')
  for (const secret of [PASSWORD, 'CANARY', 'no key of this service', 'no such link', 'a secret of the client'])
    assert.ok(!text.includes(secret), secret)
})
