import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sendRaw } from './request.ts'
import { start } from './setup.ts'

const { server, ask, ok, makeKey, alterRecord } = await start()
const API_KEY = '/admin/api-key'
const PATTERN = /^pharos_[0-9A-Za-z]{10}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/
const UNAUTHENTICATED = {
  error_code: 'UNAUTHENTICATED',
  detail: 'Missing or invalid key. Send the header "Authorization: Bearer <API_KEY>".',
}

test('creating a key returns all its fields', async () => {
  const body = {
    name: 'Pipeline',
    role: 'basic',
    scopes: ['ingest', 'search'],
    user_email: 'ann@example.com',
    user_group_ids: ['sales'],
  }
  const { api_key, api_key_id, api_key_display, user_id, created_at, groups, version, ...rest } = await ok(
    'POST',
    API_KEY,
    { body },
  )
  assert.match(version, /^[\w-]{22}$/)
  assert.deepEqual(rest, {
    api_key_name: 'Pipeline',
    api_key_role: 'basic',
    scopes: ['ingest', 'search'],
    user_email: 'ann@example.com',
    user_group_ids: ['sales'],
    expires_at: null,
    last_used_at: null,
    daily_token_limit: null,
  })
  assert.deepEqual(
    groups.map((it: { name: string }) => it.name),
    ['Basic', 'sales'],
  )
  assert.match(api_key, PATTERN)
  assert.ok(Number.isInteger(api_key_id))
  assert.equal(typeof user_id, 'string')
  assert.equal(api_key_display, `${api_key.slice(0, 18)}********${api_key.slice(-4)}`)
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
})

test('by default a key is basic, unscoped and does not expire', async () => {
  const { api_key_name, api_key_role, scopes, expires_at, user_email, user_group_ids } = await ok('POST', API_KEY, {
    body: {},
  })
  assert.deepEqual(
    { api_key_name, api_key_role, scopes, expires_at, user_email, user_group_ids },
    { api_key_name: null, api_key_role: 'basic', scopes: null, expires_at: null, user_email: null, user_group_ids: [] },
  )
})

test('keys are unique', async () => {
  const keys = await Promise.all(Array.from({ length: 50 }, () => makeKey({})))
  assert.equal(new Set(keys).size, 50)
})

test('a key expires at the requested time [O11]', async () => {
  const { created_at, expires_at } = await ok('POST', API_KEY, { body: { expiration_days: 90 } })
  const days = (Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000
  assert.ok(Math.abs(days - 90) < 0.001, `${days} days`)
})

test('a key is neither in the data folder nor in the log', async () => {
  const key = await makeKey({ name: 'hidden' })
  await ok('GET', '/me', { key })
  const secret = key.slice(18, 61)
  const files = readdirSync(server.dataDir, { recursive: true, encoding: 'utf8' }).map((it) => join(server.dataDir, it))
  for (const file of files.filter((it) => statSync(it).isFile())) {
    assert.ok(!readFileSync(file).includes(secret), file)
  }
  assert.ok(!server.output().includes(secret))
})

test("the operator's key is neither in the data folder nor in the log", () => {
  const files = readdirSync(server.dataDir, { recursive: true, encoding: 'utf8' }).map((it) => join(server.dataDir, it))
  for (const file of files.filter((it) => statSync(it).isFile())) {
    assert.ok(!readFileSync(file).includes(server.key), file)
  }
  assert.ok(!server.output().includes(server.key))
})

const INVALID: [body: object, loc: (string | number)[]][] = [
  [{ role: 'owner' }, ['body', 'role']],
  [{ role: 'ADMIN' }, ['body', 'role']],
  [{ scopes: [] }, ['body', 'scopes']],
  [{ scopes: ['everything'] }, ['body', 'scopes', 0]],
  [{ scopes: 'search' }, ['body', 'scopes']],
  [{ name: 5 }, ['body', 'name']],
  [{ expiration_days: 0 }, ['body', 'expiration_days']],
  [{ expiration_days: -1 }, ['body', 'expiration_days']],
  [{ expiration_days: 1e9 }, ['body', 'expiration_days']],
  [{ user_email: '' }, ['body', 'user_email']],
  [{ user_group_ids: [1] }, ['body', 'user_group_ids', 0]],
]
for (const [body, loc] of INVALID) {
  test(`a key of ${JSON.stringify(body)} is rejected`, async () => {
    const reply = await ask('POST', API_KEY, { body })
    assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, loc])
  })
}

test("the operator's key is an administrator", async () => {
  const { role, scopes, is_superuser, api_key_id, email } = await ok('GET', '/me')
  assert.deepEqual([role, scopes, is_superuser, api_key_id], ['admin', null, true, null])
  // The key acts for no user, but clients require an e-mail address.
  assert.match(email, /^[\da-f-]{36}@key\.invalid$/)
})

test('a key returns its user', async () => {
  const { api_key: key, api_key_id } = await ok('POST', API_KEY, {
    body: { role: 'curator', scopes: ['search'], user_email: 'ann@example.com', user_group_ids: ['a', 'b'] },
  })
  const { id, effective_permissions, preferences, ...rest } = await ok('GET', '/me', { key })
  assert.deepEqual(rest, {
    email: 'ann@example.com',
    is_active: true,
    is_superuser: false,
    is_verified: true,
    role: 'curator',
    scopes: ['search'],
    groups: ['a', 'b'],
    api_key_id,
  })
  assert.deepEqual(effective_permissions, ['search', 'read:search'])
  assert.equal(typeof id, 'string')
  assert.equal(preferences.default_app_mode, 'SEARCH')
})

const X = 'x-onyx-authorization'
const BAD = 'Bearer pharos_0000000000_0000000000000000000000000000000000000000000_000000'

const ACCEPTED: [what: string, headers: (key: string) => Record<string, string>][] = [
  ['Authorization: Bearer KEY', (key) => ({ authorization: `Bearer ${key}` })],
  ['Authorization: bearer KEY', (key) => ({ authorization: `bearer ${key}` })],
  ['Authorization: BEARER KEY', (key) => ({ authorization: `BEARER ${key}` })],
  ['Authorization: KEY', (key) => ({ authorization: key })],
  ['Authorization: Bearer KEY with a space after it', (key) => ({ authorization: `Bearer ${key} ` })],
  ['X-Onyx-Authorization: Bearer KEY', (key) => ({ [X]: `Bearer ${key}` })],
  ['X-Onyx-Authorization: KEY', (key) => ({ [X]: key })],
  ['X-Onyx-Authorization: KEY before a bad Authorization', (key) => ({ [X]: key, authorization: BAD })],
]
for (const [what, headers] of ACCEPTED) {
  test(`${what} is accepted [C14]`, async () => {
    const key = await makeKey({ role: 'basic' })
    assert.equal((await ok('GET', '/me', { key: null, headers: headers(key) })).role, 'basic')
  })
}

const CHANGED = (key: string) => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
const REFUSED: [what: string, headers: (key: string) => Record<string, string>][] = [
  ['no header', () => ({})],
  ['an empty Authorization', () => ({ authorization: '' })],
  ['Bearer alone', () => ({ authorization: 'Bearer' })],
  ['Bearer and spaces', () => ({ authorization: 'Bearer   ' })],
  ['Basic', (key) => ({ authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}` })],
  ['Basic before the key', (key) => ({ authorization: `Basic ${key}` })],
  ['Bearer twice', (key) => ({ authorization: `Bearer Bearer ${key}` })],
  ['two keys in one header', (key) => ({ authorization: `Bearer ${key}, Bearer ${key}` })],
  ['a key with another checksum', (key) => ({ authorization: `Bearer ${CHANGED(key)}` })],
  ['a key in small letters', (key) => ({ authorization: `Bearer ${key.toLowerCase()}` })],
  ['a key without its last letter', (key) => ({ authorization: `Bearer ${key.slice(0, -1)}` })],
  ['a key with a letter more', (key) => ({ authorization: `Bearer ${key}0` })],
  ['a key that is not ASCII', () => ({ authorization: 'Bearer pharös' })],
  ['a key of 10 kB', () => ({ authorization: `Bearer ${'a'.repeat(10_000)}` })],
  ['a key that nobody issued', () => ({ authorization: BAD })],
  ['SQL', () => ({ authorization: "Bearer ' or 1=1 --" })],
  ['the key as a cookie', (key) => ({ cookie: `authorization=${key}; fastapiusersauth=${key}` })],
  ['a bad X-Onyx-Authorization before a good Authorization', (key) => ({ [X]: BAD, authorization: `Bearer ${key}` })],
  ['an empty X-Onyx-Authorization before a good Authorization', (key) => ({ [X]: '', authorization: `Bearer ${key}` })],
]
for (const [what, headers] of REFUSED) {
  test(`${what} is 401, always with the same body [C14]`, async () => {
    const key = await makeKey({ role: 'admin' })
    const reply = await ask('GET', '/me', { key: null, headers: headers(key) })
    assert.deepEqual([reply.status, reply.body], [401, UNAUTHENTICATED])
    assert.equal(reply.headers['www-authenticate'], 'Bearer')
  })
}

test('a key of 1 MB is rejected [C14]', async () => {
  const { status } = await sendRaw(
    server,
    `GET /me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'a'.repeat(1_000_000)}\r\n\r\n`,
  )
  assert.ok([401, 431].includes(status), `answered ${status}`)
})

for (const name of ['Authorization', 'X-Onyx-Authorization']) {
  test(`two ${name} headers are 401 [C14]`, async () => {
    const header = `${name}: Bearer ${server.key}\r\n`
    const { status } = await sendRaw(
      server,
      `GET /me HTTP/1.1\r\nHost: x\r\n${header}${header}Connection: close\r\n\r\n`,
    )
    assert.equal(status, 401)
  })
}

test('a key in the URL is not accepted [C14]', async () => {
  assert.equal((await ask('GET', `/me?api_key=${server.key}&access_token=${server.key}`, { key: null })).status, 401)
})

test('an expired key is 401 [C14]', async () => {
  const { api_key: key, api_key_id } = await ok('POST', API_KEY, { body: { expiration_days: 1 } })
  await ok('GET', '/me', { key })
  await alterRecord(`update api_key set expires_at = ${Date.now() - 1} where id = ${api_key_id}`)
  const { status, body } = await ask('GET', '/me', { key })
  assert.deepEqual([status, body], [401, UNAUTHENTICATED])
})

test("the operator's key may be any text of at least 20 characters", async () => {
  // The minimum is 20 characters; this key has 34 and no checksum.
  assert.equal(server.key, 'test-administrator-key-0123456789')
  await ok('GET', '/me')
})

test('a new key works at once', async () => {
  for (let at = 0; at < 10; at++) await ok('GET', '/me', { key: await makeKey({ role: 'limited' }) })
})
