// Browser sessions: the cookie, its rights and its end. test/api/csrf.test.ts has the protection from other pages.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { alterRecord as alterRecordIn } from '../record.ts'
import { startServer } from '../server.ts'
import { createRequester, type Reply } from './request.ts'
import { start } from './setup.ts'

const { server, ask, ok, makeKey, alterRecord } = await start()
const DAY_MS = 86_400_000
const OWN_PAGE = { 'x-requested-with': 'pharos' }

const signIn = (api_key: string, headers: Record<string, string> = {}): Promise<Reply> =>
  ask('POST', '/auth/session', { key: null, body: { api_key }, headers: { ...OWN_PAGE, ...headers } })
const cookiesOf = (reply: Reply): string[] => reply.headers['set-cookie'] ?? []
const cookieOf = (reply: Reply): string => cookiesOf(reply)[0]!.split(';')[0]!
const withCookie = (cookie: string, more: Record<string, string> = {}) => ({ key: null, headers: { cookie, ...more } })
const me = (cookie: string) => ask('GET', '/me', withCookie(cookie))

test('signing in returns the user and sets a host-only HttpOnly cookie', async () => {
  const reply = await signIn(server.key)
  assert.equal(reply.status, 200)
  assert.equal(reply.body.role, 'admin')
  assert.deepEqual(Object.keys(reply.body), Object.keys(await ok('GET', '/me')))
  const [cookie, ...more] = cookiesOf(reply)
  assert.deepEqual(more, [])
  assert.match(cookie!, /^pharos_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/)
})

const SECURE = /^__Host-pharos_session=[\w-]{43}; .*; Path=\/; HttpOnly; SameSite=Strict; Secure$/

test('for a page that was loaded over https the cookie is Secure', async () => {
  const reply = await signIn(server.key, { origin: 'https://search.corp', host: 'search.corp' })
  assert.match(cookiesOf(reply)[0]!, SECURE)
  assert.equal((await me(cookieOf(reply))).status, 200)
})

test('X-Forwarded-Proto makes the cookie Secure only if a trusted proxy sends it', async () => {
  const headers = { 'x-forwarded-proto': 'https' }
  assert.doesNotMatch(cookiesOf(await signIn(server.key, headers))[0]!, /Secure/)
  const proxied = await startServer({ env: { LOG_LEVEL: 'warn', TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.1' } })
  const to = createRequester(proxied)
  const sign = (more: Record<string, string>) =>
    to('POST', '/auth/session', { key: null, body: { api_key: proxied.key }, headers: { ...OWN_PAGE, ...more } })
  assert.match(cookiesOf(await sign(headers))[0]!, SECURE)
  for (const proto of ['http', 'nonsense', 'https, http']) {
    assert.doesNotMatch(cookiesOf(await sign({ 'x-forwarded-proto': proto }))[0]!, /Secure/, proto)
  }
})

test('whitespace around a pasted key is ignored', async () => {
  assert.equal((await signIn(` ${server.key}\n`)).status, 200)
})

for (const key of ['no-key-at-all', 'pharos_0000000000_0_000000', 'x'.repeat(4_096)]) {
  test(`a wrong key does not sign in (${key.slice(0, 16)})`, async () => {
    const reply = await signIn(key)
    assert.deepEqual([reply.status, reply.body.error_code, cookiesOf(reply)], [401, 'UNAUTHENTICATED', []])
  })
}

test('a session has the current rights of its key', async () => {
  const { api_key, api_key_id } = await ok('POST', '/admin/api-key', { body: { role: 'basic' } })
  const cookie = cookieOf(await signIn(api_key))
  assert.equal((await me(cookie)).body.role, 'basic')
  assert.equal((await ask('GET', '/admin/api-key', withCookie(cookie))).status, 403)
  await ok('PATCH', `/admin/api-key/${api_key_id}`, { body: { role: 'admin' } })
  assert.equal((await ask('GET', '/admin/api-key', withCookie(cookie))).status, 200)
})

test('a session of a token has no more rights than the token', async () => {
  const owner = await makeKey({ role: 'admin' })
  const { token } = await ok('POST', '/user/pats', { key: owner, body: { name: 'x', scopes: ['read:search'] } })
  const cookie = cookieOf(await signIn(token))
  assert.deepEqual((await me(cookie)).body.effective_permissions, ['search', 'read:search'])
})

const ENDS: Record<string, (key: { api_key: string; api_key_id: number }) => Promise<unknown>> = {
  deleted: ({ api_key_id }) => ok('DELETE', `/admin/api-key/${api_key_id}`),
  regenerated: ({ api_key_id }) => ok('POST', `/admin/api-key/${api_key_id}/regenerate`),
  expired: ({ api_key_id }) => alterRecord(`update api_key set expires_at = 1 where id = ${api_key_id}`),
}
for (const [name, end] of Object.entries(ENDS)) {
  test(`a session ends when its key is ${name}, also one of a token of that key`, async () => {
    const key = await ok('POST', '/admin/api-key', { body: { role: 'admin' } })
    const { token } = await ok('POST', '/user/pats', { key: key.api_key, body: { name: 'x' } })
    const cookies = [cookieOf(await signIn(key.api_key)), cookieOf(await signIn(token))]
    for (const it of cookies) assert.equal((await me(it)).status, 200)
    await end(key)
    for (const it of cookies) assert.equal((await me(it)).status, 401)
  })
}

test('a session of a token ends when the token is deleted', async () => {
  const { token, id } = await ok('POST', '/user/pats', { body: { name: 'x' } })
  const cookie = cookieOf(await signIn(token))
  assert.equal((await me(cookie)).status, 200)
  await ok('DELETE', `/user/pats/${id}`)
  assert.equal((await me(cookie)).status, 401)
})

test('a session ends after 30 days, and after 7 without use', async () => {
  for (const [created, used, status] of [
    [0, 0, 200],
    [29 * DAY_MS, 6 * DAY_MS, 200],
    [30 * DAY_MS, 0, 401],
    [8 * DAY_MS, 7 * DAY_MS, 401],
  ] as const) {
    const cookie = cookieOf(await signIn(await makeKey({ role: 'basic' })))
    const [at, last] = [Date.now() - created, Date.now() - used]
    await alterRecord(
      `update session set created_at = ${at}, last_used_at = ${last} where id = (select max(id) from session)`,
    )
    assert.equal((await me(cookie)).status, status, `${created} ${used}`)
  }
})

test('a session that was opened before ends when the new settings say so', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-lifetimes-'))
  try {
    const before = await startServer({ dataDir, env: { LOG_LEVEL: 'warn' } })
    const open = async (program: typeof before) => {
      const options = { key: null, body: { api_key: program.key } }
      return cookieOf(await createRequester(program)('POST', '/auth/session', options))
    }
    const cookies = { old: await open(before), idle: await open(before), used: await open(before) }
    await before.stop()
    const HOUR_MS = DAY_MS / 24
    for (const [at, [created, used]] of [
      [12 * HOUR_MS, 0],
      [11 * HOUR_MS, 2 * HOUR_MS],
      [11 * HOUR_MS, HOUR_MS],
    ].entries()) {
      const [created_at, last_used_at] = [Date.now() - created!, Date.now() - used!]
      await alterRecordIn(
        dataDir,
        `update session set created_at = ${created_at}, last_used_at = ${last_used_at} where id = ${at + 1}`,
      )
    }
    const settings = { SESSION_MAX_HOURS: '12', SESSION_IDLE_HOURS: '2' }
    const program = await startServer({ dataDir, env: { LOG_LEVEL: 'warn', ...settings } })
    const request = createRequester(program)
    const statuses = Object.entries(cookies).map(async ([name, it]) => [
      name,
      (await request('GET', '/me', withCookie(it))).status,
    ])
    assert.deepEqual(Object.fromEntries(await Promise.all(statuses)), { old: 401, idle: 401, used: 200 })
    const opened = await request('POST', '/auth/session', { key: null, body: { api_key: program.key } })
    assert.match(cookiesOf(opened)[0]!, /; Max-Age=43200;/)
    const refreshed = await request('POST', '/auth/refresh', withCookie(cookies.used))
    const rest = Number(/; Max-Age=(\d+);/.exec(cookiesOf(refreshed)[0]!)?.[1])
    assert.ok(rest > 3_500 && rest <= 3_600, `${rest} seconds of the hour are left`)
    await program.stop()
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('signing out ends the session and clears the cookie', async () => {
  const cookie = cookieOf(await signIn(server.key))
  const reply = await ask('DELETE', '/auth/session', withCookie(cookie, OWN_PAGE))
  assert.equal(reply.status, 200)
  assert.ok(cookiesOf(reply).every((it) => / Max-Age=0; /.test(it)))
  assert.deepEqual(
    cookiesOf(reply)
      .map((it) => it.split('=')[0])
      .sort(),
    ['__Host-pharos_session', 'fastapiusersauth', 'pharos_session'],
  )
  assert.equal((await me(cookie)).status, 401)
  assert.equal(
    (await ask('DELETE', '/auth/session')).status,
    200,
    'a key has no session, and the response is still 200',
  )
})

test('the Authorization header takes precedence over the cookie, even if it is invalid', async () => {
  const cookie = cookieOf(await signIn(server.key))
  const key = await makeKey({ role: 'basic' })
  assert.equal((await ask('GET', '/me', { key, headers: { cookie } })).body.role, 'basic')
  assert.equal((await ask('GET', '/me', { key: 'bad', headers: { cookie } })).status, 401)
  const onyx = { cookie, 'x-onyx-authorization': 'bad' }
  assert.equal((await ask('GET', '/me', { key: null, headers: onyx })).status, 401)
})

test('a session is also accepted in the cookie of the wire, with the same rules', async () => {
  const key = await makeKey({ role: 'basic' })
  const [admin, basic] = [cookieOf(await signIn(server.key)), cookieOf(await signIn(key))]
  const onWire = admin.replace('pharos_session', 'fastapiusersauth')
  assert.equal((await me(onWire)).body.role, 'admin')
  assert.equal((await me(`${onWire}; ${basic}`)).body.role, 'basic', 'our own cookie wins')
  for (const own of ['pharos_session=', 'pharos_session=x', `pharos_session=${'a'.repeat(43)}`, `${basic}; ${admin}`]) {
    assert.equal((await me(`${onWire}; ${own}`)).status, 401, own)
  }
  const write = (headers: Record<string, string>) =>
    ask('POST', '/search', { ...withCookie(onWire, headers), body: { query: 'x' } })
  assert.equal((await write({})).status, 200)
  assert.equal((await write({ origin: 'https://evil.example' })).body.error_code, 'CSRF_FAILURE')
  assert.equal((await ask('DELETE', '/auth/session', withCookie(onWire))).status, 200)
  assert.equal((await me(onWire)).status, 401)
})

test('an unknown cookie is ignored', async () => {
  for (const cookie of ['pharos_session=', 'pharos_session=x', `pharos_session=${'a'.repeat(43)}`, 'other=1', ';;=;']) {
    assert.equal((await me(cookie)).status, 401)
  }
})

test('signing in and out is audited, without the key', async () => {
  const { api_key, api_key_id } = await ok('POST', '/admin/api-key', { body: { role: 'basic' } })
  const cookie = cookieOf(await signIn(api_key))
  await ask('DELETE', '/auth/session', withCookie(cookie, OWN_PAGE))
  const entries = await ok('GET', '/admin/audit?object_type=session&limit=2')
  const told = (entries.items ?? entries).map((it: { action: string; api_key_id: number }) => [
    it.action,
    it.api_key_id,
  ])
  assert.deepEqual(told, [
    ['session.delete', api_key_id],
    ['session.create', api_key_id],
  ])
  assert.ok(!JSON.stringify(entries).includes(api_key))
})

test('the stored form of a session cannot be used as a session', async () => {
  const cookie = cookieOf(await signIn(server.key))
  const [, token] = cookie.split('=')
  await alterRecord(`update session set token_hash = '${token}' where id = (select max(id) from session)`)
  assert.equal((await me(cookie)).status, 401)
})
