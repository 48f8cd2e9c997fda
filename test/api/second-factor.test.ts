// A second factor after the password: codes of an authenticator app, and recovery codes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, cookieOf, createApp, joinAs, PASSWORD } from './people.ts'
import { start } from './setup.ts'

const api = await start({ TRUSTED_PROXIES: '127.0.0.1' })
const { ask, ok, makeKey } = api

const login = (username: string, otp?: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  ask('POST', '/auth/login', { key: null, headers, body: { username, password, ...(otp !== undefined && { otp }) } })
const outcomeOf = ({ status, body }: { status: number; body: { error_code?: string } | null }) => [
  status,
  body?.error_code ?? null,
]
const ON = { body: { password: PASSWORD } }

/** A person with a second factor. The person may use two more codes of the app at once. */
async function withSecondFactor(email: string) {
  const person = await joinAs(api, email)
  const { uri } = await ok('POST', '/auth/second-factor', { ...as(person.cookie), ...ON })
  const app = createApp(uri)
  const { recovery_codes } = await ok('POST', '/auth/second-factor/confirm', {
    ...as(person.cookie),
    body: { code: app.code() },
  })
  return { ...person, app, recovery_codes: recovery_codes as string[] }
}

test('without a confirmed code, nothing changes', async () => {
  const { cookie } = await joinAs(api, 'una@example.com')
  const state = { is_on: false, has_password: true, recovery_codes_left: 0 }
  assert.deepEqual(await ok('GET', '/auth/second-factor', as(cookie)), state)
  const { uri, secret } = await ok('POST', '/auth/second-factor', { ...as(cookie), ...ON })
  assert.match(uri, /^otpauth:\/\/totp\/Pharos:una%40example\.com\?issuer=Pharos&secret=[A-Z2-7]{32}&/)
  assert.match(secret, /^[A-Z2-7]{32}$/)
  assert.deepEqual(await ok('GET', '/auth/second-factor', as(cookie)), state)
  const wrong = await ask('POST', '/auth/second-factor/confirm', { ...as(cookie), body: { code: '000000' } })
  assert.deepEqual(outcomeOf(wrong), [400, 'SECOND_FACTOR_WRONG'])
  assert.equal((await login('una@example.com')).status, 204)
})

test('the app needs the password of the person, who has signed in', async () => {
  const { cookie } = await joinAs(api, 'pia@example.com')
  const wrong = { body: { password: 'another password' } }
  for (const path of ['', '/disable', '/recovery-codes']) {
    const reply = await ask('POST', `/auth/second-factor${path}`, { ...as(cookie), ...wrong })
    assert.deepEqual(outcomeOf(reply), [400, 'LOGIN_BAD_CREDENTIALS'])
    const key = await makeKey({ user_email: 'pia@example.com' })
    assert.deepEqual(outcomeOf(await ask('POST', `/auth/second-factor${path}`, { key, ...ON })), [
      409,
      'SIGN_IN_NEEDED',
    ])
  }
})

test('a sign-in asks for the code only after the right password, and takes each code once', async () => {
  const { app, cookie } = await withSecondFactor('tom@example.com')
  assert.deepEqual(outcomeOf(await login('tom@example.com', '000000', 'wrong')), [400, 'LOGIN_BAD_CREDENTIALS'])
  assert.deepEqual(outcomeOf(await login('tom@example.com')), [400, 'SECOND_FACTOR_REQUIRED'])
  assert.deepEqual(outcomeOf(await login('tom@example.com', '')), [400, 'SECOND_FACTOR_REQUIRED'])
  const code = app.code()
  const reply = await login('tom@example.com', `${code.slice(0, 3)} ${code.slice(3)}`)
  assert.equal(reply.status, 204, reply.text)
  assert.equal((await ok('GET', '/me', as(cookieOf(reply.headers)))).email, 'tom@example.com')
  assert.deepEqual(outcomeOf(await login('tom@example.com', code)), [400, 'SECOND_FACTOR_WRONG'])
  assert.deepEqual(outcomeOf(await ask('POST', '/auth/second-factor', { ...as(cookie), ...ON })), [
    409,
    'SECOND_FACTOR_ON',
  ])
})

test('one of many sign-ins at once with one code succeeds', async () => {
  const { app, recovery_codes } = await withSecondFactor('max@example.com')
  for (const code of [app.code(), recovery_codes[0]!]) {
    const replies = await Promise.all(Array.from({ length: 4 }, () => login('max@example.com', code)))
    assert.deepEqual(replies.filter((it) => it.status === 204).length, 1)
  }
})

test('a recovery code works once, in any spelling, and new ones replace the old', async () => {
  const { cookie, recovery_codes } = await withSecondFactor('rae@example.com')
  assert.equal(new Set(recovery_codes).size, 10)
  const [first, second, third] = recovery_codes as [string, string, string]
  assert.equal((await login('rae@example.com', ` ${first.toUpperCase().replaceAll('-', ' ')}`)).status, 204)
  assert.deepEqual(outcomeOf(await login('rae@example.com', first)), [400, 'SECOND_FACTOR_WRONG'])
  assert.equal((await ok('GET', '/auth/second-factor', as(cookie))).recovery_codes_left, 9)
  const renewed = await ok('POST', '/auth/second-factor/recovery-codes', { ...as(cookie), ...ON })
  assert.deepEqual(outcomeOf(await login('rae@example.com', second)), [400, 'SECOND_FACTOR_WRONG'])
  assert.equal((await login('rae@example.com', renewed.recovery_codes[0])).status, 204)
  const other = await withSecondFactor('roy@example.com')
  assert.deepEqual(outcomeOf(await login('roy@example.com', third)), [400, 'SECOND_FACTOR_WRONG'])
  assert.deepEqual(outcomeOf(await login('rae@example.com', other.recovery_codes[0])), [400, 'SECOND_FACTOR_WRONG'])
})

test('wrong codes count like wrong passwords', async () => {
  await withSecondFactor('guess@example.com')
  // An address from which the person has proved who they are never waits for the account.
  const elsewhere = { 'x-forwarded-for': '192.0.2.7' }
  const statuses = []
  for (let at = 0; at < 7; at++)
    statuses.push((await login('guess@example.com', `00000${at}`, PASSWORD, elsewhere)).status)
  assert.deepEqual([statuses[0], statuses.at(-1)], [400, 429])
})

test('a link for a new password does not get around the second factor, and stays valid', async () => {
  const { app, cookie } = await withSecondFactor('lee@example.com')
  const { link } = await ok('POST', '/manage/admin/users/password-link', { body: { user_email: 'lee@example.com' } })
  const token = link.split('#')[1]
  const accept = (more: object) =>
    ask('POST', '/auth/register', { key: null, body: { token, password: 'a quite different phrase', ...more } })
  assert.deepEqual(outcomeOf(await accept({})), [400, 'SECOND_FACTOR_REQUIRED'])
  assert.deepEqual(outcomeOf(await accept({ otp: '000000' })), [400, 'SECOND_FACTOR_WRONG'])
  assert.equal((await ok('GET', '/me', as(cookie))).email, 'lee@example.com')
  assert.equal((await accept({ otp: app.code() })).status, 201)
})

test('switched off, or reset by an administrator, the password is enough again', async () => {
  const off = await withSecondFactor('off@example.com')
  await ok('POST', '/auth/second-factor/disable', { ...as(off.cookie), ...ON })
  assert.deepEqual(outcomeOf(await ask('POST', '/auth/second-factor/disable', { ...as(off.cookie), ...ON })), [
    409,
    'SECOND_FACTOR_OFF',
  ])
  assert.equal((await login('off@example.com')).status, 204)
  const lost = await withSecondFactor('lost@example.com')
  assert.deepEqual(await ok('DELETE', `/manage/admin/users/${lost.id}/second-factors`), {
    second_factor_removed: true,
    passkeys_removed: 0,
  })
  assert.equal((await login('lost@example.com')).status, 204)
  const nobody = await ask('DELETE', '/manage/admin/users/nobody/second-factors')
  assert.deepEqual(outcomeOf(nobody), [404, 'PERSON_ID_NOT_FOUND'])
})

test('the record and the audit log hold neither secrets nor codes', async () => {
  const { app, recovery_codes, id } = await withSecondFactor('sue@example.com')
  const code = app.code()
  await login('sue@example.com', code)
  const entries = JSON.stringify(await ok('GET', `/admin/audit?actor=${id}`))
  for (const action of ['second_factor.start', 'second_factor.enable', 'session.create'])
    assert.ok(entries.includes(action))
  for (const it of [code, ...recovery_codes]) assert.ok(!entries.includes(it))
  const exported = await ask('GET', '/admin/person/sue@example.com/export')
  assert.ok(exported.text.includes('"second_factor"') && !exported.text.includes('"secret"'))
  assert.equal((await ask('DELETE', '/admin/person/sue@example.com')).status, 200)
})
