// Invitations, forgotten passwords and accounts at opened domains, by real mails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkIn, openSmtpServer } from '../mail/smtp.ts'
import { waitFor } from '../server.ts'
import { start } from './setup.ts'

/** The mail server accepts no recipient before this resolves. */
let held: Promise<void> = Promise.resolve()
const smtp = await openSmtpServer({
  onAuth: ({ username, password }, _session, done) =>
    password === 'secret-of-smtp' ? done(null, { user: username ?? '' }) : done(new Error('no')),
  async onRcptTo({ address }, _session, done) {
    await held
    if (address.startsWith('refused')) done(Object.assign(new Error('no'), { responseCode: 550 }))
    else done()
  },
})
const ORIGIN = 'https://pharos.example.com'
const { server, ask, ok, alterRecord } = await start({
  SMTP_URL: `smtp://pharos:secret-of-smtp@127.0.0.1:${smtp.port}`,
  MAIL_FROM: 'pharos@example.com',
  PUBLIC_URL: ORIGIN,
})
const PASSWORD = 'correct horse battery staple'
const OTHER_PASSWORD = 'another staple of horses'
const REGISTRATION = '/admin/sign-in/registration'
const tokenOf = (link: string) => link.slice(link.indexOf('#') + 1)
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  ask('POST', path, { key: null, body, headers })
const register = (token: string, more: object = {}) => post('/auth/register', { token, password: PASSWORD, ...more })
const login = async (username: string, password: string) => (await post('/auth/login', { username, password })).status
const invite = (...emails: string[]) => ok('PUT', '/manage/admin/users', { body: { emails } })
const joinAs = async (email: string) => {
  await invite(email)
  const reply = await register(tokenOf(linkIn(await smtp.next(email))))
  assert.equal(reply.status, 201, reply.text)
  return [reply.headers['set-cookie'] ?? []].flat().map((it) => String(it).split(';', 1)[0]!)[0]!
}
const resetToken = async (email: string, stored = email) => {
  assert.equal((await post('/auth/forgot-password', { email })).status, 202)
  return tokenOf(linkIn(await smtp.next(stored)))
}

test('an invitation is mailed, and the link makes the account', async () => {
  const answer = await invite('ann@example.com')
  assert.deepEqual([answer.email_invite_status, answer.invitations[0].link], ['SENT', null])
  const link = linkIn(await smtp.next('ann@example.com'))
  assert.ok(link.startsWith(`${ORIGIN}/welcome#`))
  assert.equal((await register(tokenOf(link))).status, 201)
  assert.equal(await login('ann@example.com', PASSWORD), 204)
  assert.equal((await register(tokenOf(link))).body.error_code, 'LINK_INVALID')
})

test('a mail that is refused leaves its link in the answer', async () => {
  const answer = await invite('refused@example.com', 'bob@example.com')
  assert.equal(answer.email_invite_status, 'SEND_FAILED')
  assert.match(answer.invitations[0].link, /^https:\/\/pharos\.example\.com\/welcome#/)
  assert.equal(answer.invitations[1].link, null)
  assert.doesNotMatch(server.output(), /refused@example|secret-of-smtp/)
})

test('a mailed link sets a new password once, ends all sessions, and the policy applies', async () => {
  const cookie = await joinAs('cora@example.com')
  const token = await resetToken('CORA@example.com', 'cora@example.com')
  const weak = await post('/auth/reset-password', { token, password: 'short' })
  assert.equal(weak.body.error_code, 'PASSWORD_UNFIT')
  const done = await post('/auth/reset-password', { token, password: OTHER_PASSWORD })
  assert.deepEqual([done.status, done.body], [200, null])
  assert.equal((await ask('GET', '/me', { key: null, headers: { cookie } })).status, 401)
  assert.equal(await login('cora@example.com', PASSWORD), 400)
  assert.equal(await login('cora@example.com', OTHER_PASSWORD), 204)
  const again = await post('/auth/reset-password', { token, password: PASSWORD })
  assert.equal(again.body.error_code, 'LINK_INVALID')
  const entries = await ok('GET', '/admin/audit?action=account_link.mail_reset')
  assert.equal(entries[0].actor_email, 'cora@example.com')
})

test('a link of another kind or an expired one sets no password', async () => {
  await invite('dora@example.com')
  const invitation = tokenOf(linkIn(await smtp.next('dora@example.com')))
  const other = await post('/auth/reset-password', { token: invitation, password: PASSWORD })
  assert.equal(other.body.error_code, 'LINK_INVALID')
  assert.equal((await register(invitation)).status, 201)
  const token = await resetToken('dora@example.com')
  await alterRecord("update account_link set expires_at = 1 where purpose = 'reset'")
  const late = await post('/auth/reset-password', { token, password: OTHER_PASSWORD })
  assert.equal(late.body.error_code, 'LINK_INVALID')
})

test('the answer is the same for known, unknown and suspended people, and only known ones get a mail', async () => {
  await joinAs('emil@example.com')
  await joinAs('sid@example.com')
  await alterRecord("update person set is_active = 0 where email_key = 'sid@example.com'")
  const answers = []
  for (const email of ['nobody@example.com', 'sid@example.com', 'emil@example.com'])
    answers.push(await post('/auth/forgot-password', { email }))
  assert.deepEqual(new Set(answers.map((it) => `${it.status} ${it.text}`)), new Set(['202 null']))
  // The requests are handled in order.
  await smtp.next('emil@example.com')
  assert.deepEqual(
    smtp.mails.filter((it) => !it.to.includes('bob@example.com')),
    [],
  )
})

test('no answer waits for the mail server, whether the address is known or not', async () => {
  await joinAs('slow@example.com')
  const { promise, resolve } = Promise.withResolvers<void>()
  held = promise
  try {
    const known = await post('/auth/forgot-password', { email: 'slow@example.com' })
    const unknown = await post('/auth/forgot-password', { email: 'unknown@example.com' })
    assert.deepEqual([known.status, known.text], [unknown.status, unknown.text])
    assert.equal(known.status, 202)
    assert.equal(
      smtp.mails.some((it) => it.to.includes('slow@example.com')),
      false,
    )
  } finally {
    resolve()
  }
  await smtp.next('slow@example.com')
})

test('no header of a request reaches a link, and a page of another site requests nothing', async () => {
  await joinAs('fay@example.com')
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', forwarded: 'host=evil.example' }
  await post('/auth/forgot-password', { email: 'fay@example.com' }, headers)
  const { text } = await smtp.next('fay@example.com')
  assert.doesNotMatch(text, /evil/)
  assert.ok(text.includes(`${ORIGIN}/welcome#`))
  const foreign = { origin: 'https://evil.example', 'x-requested-with': 'x' }
  const reply = await post('/auth/forgot-password', { email: 'fay@example.com' }, foreign)
  assert.equal(reply.body.error_code, 'CSRF_FAILURE')
})

test('addresses with line ends are 422 on every way to a mail', async () => {
  const email = 'gus@example.com\r\nBcc: eve@evil.example'
  for (const path of ['/auth/forgot-password', '/auth/registration-link'])
    assert.equal((await post(path, { email })).status, 422)
  assert.equal((await ask('PUT', '/manage/admin/users', { body: { emails: [email] } })).status, 422)
})

test('an account gets three mails an hour, and the answer does not say when it has had them', async () => {
  await joinAs('hal@example.com')
  for (let at = 0; at < 6; at++)
    assert.equal((await post('/auth/forgot-password', { email: 'hal@example.com' })).status, 202)
  await joinAs('ida@example.com')
  await post('/auth/forgot-password', { email: 'ida@example.com' })
  await smtp.next('ida@example.com')
  await waitFor(() => smtp.mails.filter((it) => it.to.includes('hal@example.com')).length >= 3, 'three mails')
  assert.equal(smtp.mails.filter((it) => it.to.includes('hal@example.com')).length, 3)
})

test('people of an opened domain create their account with the mail they get, and nobody else does', async () => {
  const opened = await ok('PUT', REGISTRATION, { body: { domains: ['Lab.Example', 'bücher.example', 'gmail.com'] } })
  assert.deepEqual(
    opened.domains.map((it: { domain: string; warning: string | null }) => [it.domain, it.warning !== null]),
    [
      ['gmail.com', true],
      ['lab.example', false],
      ['xn--bcher-kva.example', false],
    ],
  )
  assert.deepEqual(await ok('GET', REGISTRATION), opened)
  assert.equal((await ok('GET', '/auth/type', { key: null })).registration_enabled, true)
  for (const email of ['eve@evil.example', 'eve@sub.lab.example', 'eve@lab.example.evil.example', 'kim@LAB.example'])
    assert.deepEqual([(await post('/auth/registration-link', { email })).status], [202])
  const token = tokenOf(linkIn(await smtp.next('kim@lab.example')))
  assert.deepEqual(
    smtp.mails.filter((it) => it.to.some((to) => to.startsWith('eve'))),
    [],
  )
  const reply = await register(token, { email: 'eve@evil.example', name: 'Kim' })
  assert.deepEqual([reply.status, reply.body.email, reply.body.role], [201, 'kim@LAB.example', 'basic'])
  await post('/auth/registration-link', { email: 'kim@lab.example' })
  const { text } = await smtp.next('kim@lab.example')
  assert.match(text, /You have an account/)
  assert.doesNotMatch(text, /welcome#/)
})

test('a link is worth nothing once its domain is closed or its address has a person', async () => {
  const links = []
  for (const email of ['leo@lab.example', 'mia@lab.example']) {
    await post('/auth/registration-link', { email })
    links.push(tokenOf(linkIn(await smtp.next(email))))
  }
  await joinAs('mia@lab.example')
  assert.equal((await register(links[1]!, { password: OTHER_PASSWORD })).body.error_code, 'LINK_INVALID')
  assert.equal(await login('mia@lab.example', PASSWORD), 204)
  await ok('PUT', REGISTRATION, { body: { domains: [] } })
  assert.equal((await register(links[0]!)).body.error_code, 'LINK_INVALID')
})

test('a text that is no domain is refused', async () => {
  for (const domain of ['localhost', '*.example.com', 'a b.example', '-a.example', 'ann@example.com', '10.0.0.1']) {
    const reply = await ask('PUT', REGISTRATION, { body: { domains: [domain] } })
    assert.equal(reply.body.error_code, 'INVALID_INPUT', domain)
    assert.match(reply.body.detail, /^`domains`: /)
  }
})

test('without a mail server no domain opens, and the first to register becomes administrator if that is set', async () => {
  const plain = await start({ OPEN_REGISTRATION: 'first' })
  const closed = await plain.ask('PUT', REGISTRATION, { body: { domains: ['example.com'] } })
  assert.deepEqual([closed.status, closed.body.error_code], [409, 'MAIL_NOT_CONFIGURED'])
  const { body } = await plain.ask('POST', '/auth/forgot-password', { key: null, body: { email: 'ann@example.com' } })
  assert.equal(body, null)
  assert.equal((await plain.ok('GET', '/auth/type', { key: null })).password_reset_enabled, false)
  const replies = await Promise.all(
    ['ann', 'eve', 'bob'].map((name) =>
      plain.ask('POST', '/auth/register', {
        key: null,
        body: { email: `${name}@example.com`, username: name, password: PASSWORD },
      }),
    ),
  )
  assert.deepEqual(replies.map((it) => it.status).sort(), [201, 403, 403])
  assert.equal(replies.find((it) => it.status === 201)!.body.role, 'admin')
  assert.equal((await plain.ok('GET', '/auth/type', { key: null })).has_users, true)
})
