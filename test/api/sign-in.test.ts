// People get an account with a one-time link, sign in with a password, and see and end their sessions.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { start } from './setup.ts'

const { server, ask, ok, makeKey, alterRecord } = await start()
const FILE = join(server.dataDir, 'first-admin-link')
const PASSWORD = 'correct horse battery staple'
const tokenOf = (link: string) => link.slice(link.indexOf('#') + 1)
const cookieOf = (headers: Record<string, unknown>) =>
  [headers['set-cookie'] ?? []].flat().map((it) => String(it).split(';', 1)[0]!)

const register = (body: object) => ask('POST', '/auth/register', { key: null, body })
const login = async (username: string, password: string) => {
  const reply = await fetch(`${server.url}/auth/login`, {
    method: 'POST',
    // Node sends Sec-Fetch-Mode, as browsers do.
    headers: { 'x-requested-with': 'test' },
    body: new URLSearchParams({ username, password, grant_type: 'password' }),
  })
  const cookies = reply.headers.getSetCookie().map((it) => it.split(';', 1)[0]!)
  return { status: reply.status, cookies, text: await reply.text(), retryAfter: reply.headers.get('retry-after') }
}
const invite = async (email: string, more: object = {}): Promise<string> => {
  const { invitations } = await ok('PUT', '/manage/admin/users', { body: { emails: [email], ...more } })
  return tokenOf(invitations[0].link)
}
const joinAs = async (email: string, more: object = {}) => {
  const reply = await register({ token: await invite(email, more), password: PASSWORD })
  assert.equal(reply.status, 201, reply.text)
  return cookieOf(reply.headers)[0]!
}
const as = (cookie: string) => ({ key: null, headers: { cookie } })

test('the link of the first start makes an administrator, once, and its file is gone afterwards', async () => {
  const link = readFileSync(FILE, 'utf8').trim()
  assert.equal(statSync(FILE).mode & 0o777, 0o600)
  assert.ok(server.output().includes(link))
  const token = tokenOf(link)
  assert.equal((await ok('POST', '/auth/link', { key: null, body: { token } })).purpose, 'first_admin')
  const weak = await register({ token, email: 'Ann@example.com', password: 'password1234' })
  assert.deepEqual([weak.status, weak.body.error_code], [400, 'PASSWORD_UNFIT'])
  const reply = await register({ token, email: 'Ann@example.com', name: 'Ann', password: PASSWORD })
  assert.deepEqual([reply.status, reply.body.email, reply.body.role], [201, 'Ann@example.com', 'admin'])
  assert.equal(existsSync(FILE), false)
  const again = await register({ token, email: 'eve@example.com', password: PASSWORD })
  assert.deepEqual([again.status, again.body.error_code], [400, 'LINK_INVALID'])
})

test('a person signs in with the form of the wire, and either cookie works', async () => {
  const { status, cookies, text } = await login('ann@EXAMPLE.com', PASSWORD)
  assert.deepEqual([status, text], [204, ''])
  assert.deepEqual(cookies.map((it) => it.split('=', 1)[0]).sort(), ['fastapiusersauth', 'pharos_session'])
  for (const cookie of cookies) assert.equal((await ok('GET', '/me', as(cookie))).email, 'Ann@example.com')
})

test('a wrong password, an unknown person and a suspended one get the same answer', async () => {
  await joinAs('sid@example.com')
  await alterRecord("update person set is_active = 0 where email_key = 'sid@example.com'")
  const answers = [
    await login('ann@example.com', 'wrong password'),
    await login('nobody@example.com', PASSWORD),
    await login('sid@example.com', PASSWORD),
  ]
  for (const { status, cookies } of answers) assert.deepEqual([status, cookies], [400, []])
  assert.equal(new Set(answers.map((it) => JSON.parse(it.text).error_code)).size, 1)
  const { entries } = { entries: await ok('GET', '/admin/audit?action=session.create&outcome=refused') }
  assert.equal(entries[0].error_code, 'LOGIN_BAD_CREDENTIALS')
})

test('after five wrong passwords an account has to wait', async () => {
  await joinAs('guess@example.com')
  // A place from which the person has signed in never waits for the account: the link has opened a session, not a password.
  const statuses = []
  for (let at = 0; at < 7; at++) statuses.push((await login('guess@example.com', `wrong ${at}`)).status)
  assert.equal(statuses.at(0), 400)
  const last = await login('guess@example.com', PASSWORD)
  assert.equal(last.status, 429)
  assert.ok(Number(last.retryAfter) > 0)
})

test('nobody registers without a link', async () => {
  const reply = await register({ email: 'eve@example.com', password: PASSWORD })
  assert.deepEqual([reply.status, reply.body.error_code], [403, 'REGISTRATION_DISABLED'])
})

test('an invitation gives role and groups, for its own address only, and a new one replaces it', async () => {
  const old = await invite('bob@example.com', { role: 'basic' })
  const token = await invite('Bob@example.com', { role: 'global_curator', groups: ['harbour'] })
  assert.equal((await register({ token: old, password: PASSWORD })).body.error_code, 'LINK_INVALID')
  const open = (await ok('GET', '/manage/users/invited')).find(
    (it: { email: string }) => it.email === 'Bob@example.com',
  )
  assert.deepEqual([open.role, open.groups], ['global_curator', ['harbour']])
  const reply = await register({ token, email: 'eve@example.com', password: PASSWORD })
  const me = await ok('GET', '/me', as(cookieOf(reply.headers)[0]!))
  assert.deepEqual([me.email, me.role, me.groups], ['Bob@example.com', 'global_curator', ['harbour']])
  const { invitations } = await ok('PUT', '/manage/admin/users', { body: { emails: ['bob@example.com'] } })
  assert.deepEqual([invitations[0].status, invitations[0].link], ['exists', null])
})

test('a withdrawn invitation opens nothing', async () => {
  const token = await invite('gone@example.com')
  await ok('PATCH', '/manage/admin/remove-invited-user', { body: { user_email: 'GONE@example.com' } })
  assert.equal((await register({ token, password: PASSWORD })).body.error_code, 'LINK_INVALID')
})

test('a person whose key came first keeps what the key owns', async () => {
  const key = await makeKey({ user_email: 'cora@example.com' })
  const { chat_session_id } = await ok('POST', '/chat/create-chat-session', { key, body: {} })
  const cookie = await joinAs('cora@example.com')
  await ok('GET', `/chat/get-chat-session/${chat_session_id}`, as(cookie))
})

test('a link sets a new password and ends the sessions of the person', async () => {
  const cookie = await joinAs('dora@example.com')
  const { link } = await ok('POST', '/manage/admin/users/password-link', { body: { user_email: 'dora@example.com' } })
  const changed = await register({ token: tokenOf(link), password: 'another staple of horses' })
  assert.equal(changed.status, 201)
  assert.equal((await ask('GET', '/me', as(cookie))).status, 401)
  assert.equal((await login('dora@example.com', PASSWORD)).status, 400)
  assert.equal((await login('dora@example.com', 'another staple of horses')).status, 204)
})

test('a person changes the password: other sessions end, and this browser gets a new one', async () => {
  const cookie = await joinAs('emil@example.com')
  const [other] = (await login('emil@example.com', PASSWORD)).cookies
  const change = (old_password: string, new_password: string) =>
    ask('POST', '/password/change-password', { ...as(cookie), body: { old_password, new_password } })
  assert.equal((await change('wrong', 'a new and longer one')).body.error_code, 'LOGIN_BAD_CREDENTIALS')
  assert.equal((await change(PASSWORD, 'short')).body.error_code, 'PASSWORD_UNFIT')
  const reply = await change(PASSWORD, 'a new and longer one')
  assert.equal(reply.status, 200)
  for (const it of [cookie, other!]) assert.equal((await ask('GET', '/me', as(it))).status, 401)
  await ok('GET', '/me', as(cookieOf(reply.headers)[0]!))
  assert.equal(
    (await ask('POST', '/password/change-password', { body: { old_password: 'a', new_password: 'b' } })).status,
    409,
  )
})

test('a person lists and ends sessions, and nobody ends those of others', async () => {
  const first = await joinAs('fay@example.com')
  const [second] = (await login('fay@example.com', PASSWORD)).cookies
  const stranger = await joinAs('gus@example.com')
  const sessions = await ok('GET', '/auth/sessions', as(second!))
  assert.deepEqual(
    sessions.map((it: { method: string; is_current: boolean }) => [it.method, it.is_current]),
    [
      ['password', true],
      ['link', false],
    ],
  )
  assert.equal(sessions[0].address, '127.0.0.1')
  const path = `/auth/sessions/${sessions[1].id}`
  assert.equal((await ask('DELETE', path, as(stranger))).body.error_code, 'BROWSER_SESSION_NOT_FOUND')
  await ok('GET', '/me', as(first))
  await ok('DELETE', path, as(second!))
  assert.equal((await ask('GET', '/me', as(first))).status, 401)
  const [third] = (await login('fay@example.com', PASSWORD)).cookies
  assert.deepEqual(await ok('DELETE', '/auth/sessions', as(third!)), { ended: 1 })
  assert.equal((await ask('GET', '/me', as(second!))).status, 401)
  const { id } = await ok('GET', '/me', as(third!))
  assert.equal((await ok('GET', `/manage/admin/users/${id}/sessions`)).length, 1)
  assert.deepEqual(await ok('DELETE', `/manage/admin/users/${id}/sessions`), { ended: 1 })
  assert.equal((await ask('GET', '/me', as(third!))).status, 401)
})

test('refresh replaces the cookie, and sign-out ends it', async () => {
  const cookie = await joinAs('hal@example.com')
  const refreshed = await ask('POST', '/auth/refresh', as(cookie))
  assert.equal(refreshed.status, 204)
  const [next] = cookieOf(refreshed.headers)
  assert.equal((await ask('GET', '/me', as(cookie))).status, 401)
  assert.equal((await ask('POST', '/auth/logout', as(next!))).status, 204)
  assert.equal((await ask('GET', '/me', as(next!))).status, 401)
})

test('a person who is suspended is out with the next request', async () => {
  const cookie = await joinAs('ivy@example.com')
  await ok('GET', '/me', as(cookie))
  await alterRecord("update person set is_active = 0 where email_key = 'ivy@example.com'")
  assert.equal((await ask('GET', '/me', as(cookie))).status, 401)
})

test('a page of another site cannot sign a browser in', async () => {
  const headers = { origin: 'https://evil.example', 'x-requested-with': 'x' }
  const body = { username: 'ann@example.com', password: PASSWORD }
  const reply = await ask('POST', '/auth/login', { key: null, body, headers })
  assert.deepEqual([reply.status, reply.body.error_code], [403, 'CSRF_FAILURE'])
  assert.equal(reply.headers['set-cookie'], undefined)
})

test('one of several requests with the same link gets the account', async () => {
  const token = await invite('race@example.com')
  const replies = await Promise.all([1, 2, 3].map(() => register({ token, password: PASSWORD })))
  assert.deepEqual(replies.map((it) => it.status).sort(), [201, 400, 400])
})
