// Personal access tokens: their format, their rights and their end.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServer } from '../server.ts'
import { createRequester } from './request.ts'
import { rightsAmong, start } from './setup.ts'

const { server, ask, ok, makeKey, alterRecord } = await start()
const PATS = '/user/pats'
const PATTERN = /^pharos_pat_[0-9A-Za-z]{10}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/
const UNAUTHENTICATED = {
  error_code: 'UNAUTHENTICATED',
  detail: 'Missing or invalid key. Send the header "Authorization: Bearer <API_KEY>".',
}
const PAT_NOT_FOUND = { error_code: 'PAT_NOT_FOUND', detail: 'Token not found or not owned by user.' }

const make = (key: string, more: object = {}) => ok('POST', PATS, { key, body: { name: 'Laptop', ...more } })
const isDead = async (key: string) => {
  const { status, body } = await ask('GET', '/me', { key })
  assert.deepEqual([status, body], [401, UNAUTHENTICATED])
}

test('a created token is returned with all fields', async () => {
  const key = await makeKey({ role: 'basic' })
  const { id, token, token_display, created_at, ...rest } = await make(key, { scopes: ['read:search', 'write:chat'] })
  assert.deepEqual(rest, {
    name: 'Laptop',
    expires_at: null,
    last_used_at: null,
    scopes: ['read:search', 'write:chat'],
  })
  assert.ok(Number.isInteger(id))
  assert.match(token, PATTERN)
  assert.equal(token_display, `${token.slice(0, 22)}********${token.slice(-4)}`)
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
})

test('a token expires at the end of the given day', async () => {
  const { created_at, expires_at } = await make(await makeKey({}), { expiration_days: 30 })
  const day = new Date(Date.parse(created_at) + 30 * 86_400_000).toISOString().slice(0, 10)
  assert.equal(expires_at, `${day}T23:59:59.999Z`)
})

test('a token without scopes has none', async () => {
  const key = await makeKey({})
  assert.equal((await make(key)).scopes, null)
  assert.equal((await make(key, { scopes: null, expiration_days: null })).scopes, null)
})

test('duplicate scopes are merged', async () => {
  const { scopes } = await make(await makeKey({}), { scopes: ['read:chat', 'read:search', 'read:chat'] })
  assert.deepEqual(scopes, ['read:chat', 'read:search'])
})

test('an empty list of scopes is 400', async () => {
  const { status, body } = await ask('POST', PATS, { body: { name: 'x', scopes: [] } })
  assert.deepEqual(
    [status, body],
    [400, { error_code: 'INVALID_INPUT', detail: 'A scoped token must include at least one scope.' }],
  )
})

const INVALID: [body: object, loc: (string | number)[]][] = [
  [{}, ['body', 'name']],
  [{ name: '' }, ['body', 'name']],
  [{ name: 'x'.repeat(101) }, ['body', 'name']],
  [{ name: 'a\0b' }, ['body', 'name']],
  [{ name: 'x', expiration_days: 0 }, ['body', 'expiration_days']],
  [{ name: 'x', expiration_days: -1 }, ['body', 'expiration_days']],
  [{ name: 'x', expiration_days: 1e9 }, ['body', 'expiration_days']],
  [{ name: 'x', scopes: 'read:search' }, ['body', 'scopes']],
  [{ name: 'x', scopes: ['search'] }, ['body', 'scopes', 0]],
  [{ name: 'x', scopes: ['use:everything'] }, ['body', 'scopes', 0]],
]
for (const [body, loc] of INVALID) {
  test(`a token of ${JSON.stringify(body).slice(0, 60)} is refused`, async () => {
    const reply = await ask('POST', PATS, { body })
    assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, loc])
  })
}

test('a token is neither in the data folder nor in the log', async () => {
  const { token } = await make(server.key)
  await ok('GET', '/me', { key: token })
  const secret = token.slice(22, 65)
  const files = readdirSync(server.dataDir, { recursive: true, encoding: 'utf8' }).map((it) => join(server.dataDir, it))
  for (const file of files.filter((it) => statSync(it).isFile())) assert.ok(!readFileSync(file).includes(secret), file)
  assert.ok(!server.output().includes(secret))
})

test('scopes are listed with labels', async () => {
  const options = await ok('GET', `${PATS}/scopes`)
  assert.deepEqual(
    options.map((it: { scope: string; group_label: string; label: string }) => [it.scope, it.group_label, it.label]),
    [
      ['read:search', 'Search', 'Read'],
      ['read:chat', 'Chat', 'Read'],
      ['write:chat', 'Chat', 'Write'],
      ['use:llm_gateway', 'Language models', 'Use'],
    ],
  )
  for (const { description, implies } of options) {
    assert.equal(typeof description, 'string')
    assert.ok(Array.isArray(implies))
  }
})

test('a token acts as its owner', async () => {
  const { api_key: key, api_key_id } = await ok('POST', '/admin/api-key', {
    body: { role: 'curator', user_email: 'ann@example.com', user_group_ids: ['a'] },
  })
  const { token } = await make(key)
  const { effective_permissions, ...me } = await ok('GET', '/me', { key: token })
  assert.deepEqual(rightsAmong(effective_permissions).sort(), [
    'chat',
    'connectors',
    'curate',
    'files',
    'ingest',
    'read:chat',
    'search',
    'tools',
  ])
  assert.deepEqual(me, {
    id: (await ok('GET', '/me', { key })).id,
    email: 'ann@example.com',
    is_active: true,
    is_superuser: false,
    is_verified: true,
    role: 'curator',
    scopes: null,
    groups: ['a'],
    api_key_id,
    preferences: {
      chosen_assistants: null,
      hidden_assistants: [],
      visible_assistants: [],
      pinned_assistants: null,
      default_model: null,
      shortcut_enabled: null,
      auto_scroll: null,
      temperature_override_enabled: null,
      theme_preference: null,
      default_app_mode: 'SEARCH',
      language: null,
      time_zone: null,
      density: null,
    },
  })
})

const RIGHTS: [owner: object, scopes: string[] | null, rights: string[]][] = [
  [
    { role: 'admin' },
    null,
    ['admin', 'chat', 'connectors', 'files', 'ingest', 'metrics', 'read:chat', 'search', 'tools'],
  ],
  [{ role: 'basic' }, null, ['chat', 'files', 'read:chat', 'search', 'tools']],
  [{ role: 'admin' }, ['read:search'], ['search']],
  [{ role: 'basic' }, ['read:search', 'read:chat', 'write:chat'], ['chat', 'read:chat', 'search']],
]
for (const [owner, scopes, rights] of RIGHTS) {
  test(`a token of ${JSON.stringify(owner)}, narrowed to ${scopes}, may ${rights}`, async () => {
    const { token } = await make(await makeKey(owner as Record<string, unknown>), { scopes })
    assert.deepEqual(rightsAmong((await ok('GET', '/me/permissions', { key: token })).permissions), rights)
    assert.deepEqual((await ok('GET', '/me', { key: token })).scopes, scopes)
  })
}

test('a token finds only what its owner may read', async () => {
  const { api_key: key } = await ok('POST', '/admin/api-key', { body: { user_email: 'ann@example.com' } })
  const { token } = await make(key, { scopes: ['read:search'] })
  const external_access = { is_public: false, external_user_emails: ['ann@example.com'] }
  const document = {
    id: 'hers',
    semantic_identifier: 'Hers',
    sections: [{ text: 'zebra' }],
    source: 'web',
    metadata: {},
  }
  const body = { document: { ...document, external_access } }
  await ok('POST', '/service-api/ingestion?wait_for=indexed&timeout_ms=30000', { body })
  const found = async (question: object) =>
    (await ok('POST', '/search', { body: { query: 'zebra' }, ...question })).total
  assert.deepEqual([await found({ key: token }), await found({ key: await makeKey({}) })], [1, 0])
})

test('a token never has more rights than its owner currently has', async () => {
  const { api_key: key, api_key_id } = await ok('POST', '/admin/api-key', { body: { role: 'admin' } })
  const { token } = await make(key)
  await ok('GET', '/admin/api-key', { key: token })
  await ok('PATCH', `/admin/api-key/${api_key_id}`, { body: { role: 'limited' } })
  assert.equal((await ask('GET', '/admin/api-key', { key: token })).status, 403)
  assert.deepEqual(await ok('GET', '/me/permissions', { key: token }), { permissions: [] })
  await ok('PATCH', `/admin/api-key/${api_key_id}`, { body: { role: 'curator', scopes: ['search'] } })
  assert.deepEqual((await ok('GET', '/me/permissions', { key: token })).permissions, ['read:search', 'search'])
})

test('a token is also accepted with the prefix of the existing server', async () => {
  const { token } = await make(await makeKey({ role: 'basic' }), { scopes: ['read:search'] })
  const spelled = token.replace('pharos_pat_', 'onyx_pat_')
  assert.deepEqual((await ok('GET', '/me/permissions', { key: spelled })).permissions, ['read:search', 'search'])
  await isDead(spelled.replace(/.$/, (it: string) => (it === '0' ? '1' : '0')))
  await isDead(spelled.replace('onyx_pat_', 'onyx_'))
})

test('writing chats includes reading them, and the gateway scope grants nothing', async () => {
  const key = await makeKey({ role: 'basic' })
  const rightsWith = async (scopes: string[]) =>
    rightsAmong((await ok('GET', '/me/permissions', { key: (await make(key, { scopes })).token })).permissions)
  assert.deepEqual(await rightsWith(['write:chat']), ['chat', 'read:chat'])
  assert.deepEqual(await rightsWith(['use:llm_gateway']), [])
  const options = await ok('GET', `${PATS}/scopes`, { key })
  assert.deepEqual(options.find((it: { scope: string }) => it.scope === 'write:chat').implies, ['read:chat'])
})

test('a token cannot create or list tokens', async () => {
  const { id, token } = await make(await makeKey({ role: 'admin' }))
  for (const [method, path] of [
    ['POST', PATS],
    ['GET', PATS],
    ['DELETE', `${PATS}/${id}`],
  ] as const) {
    const { status, body } = await ask(method, path, { key: token, ...(method === 'POST' && { body: { name: 'x' } }) })
    assert.deepEqual([status, body.error_code], [403, 'INSUFFICIENT_PERMISSIONS'])
  }
})

for (const [what, scopes] of [
  ['an unscoped token of an administrator', null],
  ['a scoped one', ['read:search', 'read:chat', 'write:chat']],
] as const) {
  test(`${what} grants no access that outlives it, by itself or by its session`, async () => {
    const { api_key: key, api_key_id } = await ok('POST', '/admin/api-key', { body: { role: 'admin' } })
    const { token } = await make(key, { scopes })
    const session = await ask('POST', '/auth/session', {
      key: null,
      headers: { 'x-requested-with': 'test' },
      body: { api_key: token },
    })
    const cookie = session.headers['set-cookie']![0]!.split(';')[0]!
    const lasting: [method: string, path: string, body?: object][] = [
      ['POST', '/admin/api-key', { name: 'escape', role: 'admin' }],
      ['PATCH', `/admin/api-key/${api_key_id}`, { expiration_days: 36_500 }],
      ['POST', `/admin/api-key/${api_key_id}/regenerate`],
      ['POST', PATS, { name: 'escape' }],
      ['POST', '/admin/webhook', { url: 'https://example.com/' }],
      ['POST', '/admin/egress/approval', { host: 'example.com' }],
      ['PATCH', '/admin/settings', { audit_retention_days: 1 }],
      ['POST', '/admin/secret-key/rotate'],
    ]
    const keysBefore = (await ok('GET', '/admin/api-key')).length
    for (const [method, path, body] of lasting) {
      const asToken = await ask(method, path, { key: token, ...(body && { body }) })
      const headers = { cookie, 'x-requested-with': 'test' }
      const asSession = await ask(method, path, { key: null, headers, ...(body && { body }) })
      const refusal = scopes === null && path !== PATS ? 'TOKEN_REFUSED' : 'INSUFFICIENT_PERMISSIONS'
      for (const reply of [asToken, asSession]) {
        assert.deepEqual([path, reply.status, reply.body.error_code], [path, 403, refusal])
      }
    }
    assert.equal((await ok('GET', '/admin/api-key')).length, keysBefore)
    const [entry] = await ok('GET', '/admin/audit?outcome=refused&action=api_key.create&limit=1')
    assert.equal(entry.outcome, 'refused')
    await ok('DELETE', `/admin/api-key/${api_key_id}`)
    await isDead(token)
    assert.equal((await ask('GET', '/me', { key: null, headers: { cookie } })).status, 401)
  })
}

test('a token is read from both headers, with and without Bearer', async () => {
  const { token } = await make(server.key)
  for (const headers of [
    { authorization: `Bearer ${token}` },
    { authorization: token },
    { 'x-onyx-authorization': `Bearer ${token}` },
  ]) {
    assert.equal((await ok('GET', '/me', { key: null, headers })).role, 'admin')
  }
})

test('an invalid token is 401, always with the same body [C14]', async () => {
  const key = await makeKey({})
  const { token } = await make(key)
  const last = token.endsWith('0') ? '1' : '0'
  for (const wrong of [
    token.slice(0, -1) + last,
    token.slice(0, -1),
    token.replace('pharos_pat_', 'pharos_'),
    key.replace('pharos_', 'pharos_pat_'),
    token.toUpperCase(),
    `${token} ${token}`,
  ]) {
    await isDead(wrong)
  }
})

test('an owner lists their tokens, without the secrets', async () => {
  const key = await makeKey({})
  const { token, ...first } = await make(key, { name: 'first', expiration_days: 1, scopes: ['read:chat'] })
  const { token: _, ...second } = await make(key, { name: 'second' })
  await make(await makeKey({}), { name: 'of somebody else' })
  assert.deepEqual(await ok('GET', PATS, { key }), [second, first])
  assert.ok(!JSON.stringify(first).includes(token.slice(22, 65)))
})

test('the list says when a token was last used', async () => {
  const key = await makeKey({})
  const { token } = await make(key)
  const before = Date.now()
  await ok('GET', '/me', { key: token })
  const [{ last_used_at }] = await ok('GET', PATS, { key })
  assert.ok(Date.parse(last_used_at) >= before && Date.parse(last_used_at) <= Date.now(), last_used_at)
})

test('tokens are listed page by page, the newest first', async () => {
  const key = await makeKey({})
  const ids: number[] = []
  for (const name of ['a', 'b', 'c']) ids.unshift((await make(key, { name })).id)
  const page = async (query: string) =>
    (await ok('GET', `${PATS}?${query}`, { key })).map((it: { id: number }) => it.id)
  assert.deepEqual(await page('limit=2'), ids.slice(0, 2))
  assert.deepEqual(await page(`limit=2&after=${ids[1]}`), ids.slice(2))
})

test('a deleted token is rejected immediately', async () => {
  const key = await makeKey({})
  for (let at = 0; at < 10; at++) {
    const { id, token } = await make(key)
    await ok('GET', '/me', { key: token })
    assert.deepEqual(await ok('DELETE', `${PATS}/${id}`, { key }), { message: 'Token deleted successfully' })
    await isDead(token)
    assert.deepEqual(await ok('GET', PATS, { key }), [])
  }
})

test('the token of another user is 404 like an unknown one, for administrators too', async () => {
  const owner = await makeKey({})
  const { id, token } = await make(owner)
  for (const key of [await makeKey({}), server.key]) {
    const foreign = await ask('DELETE', `${PATS}/${id}`, { key })
    const missing = await ask('DELETE', `${PATS}/999999`, { key })
    assert.deepEqual([foreign.status, foreign.body], [404, PAT_NOT_FOUND])
    assert.deepEqual([missing.status, missing.body], [404, PAT_NOT_FOUND])
  }
  await ok('GET', '/me', { key: token })
})

for (const id of ['x', '01', '-1', '1e3']) {
  test(`${id} is not a valid token id [C4]`, async () => {
    const { status, body } = await ask('DELETE', `${PATS}/${id}`)
    assert.deepEqual([status, body.detail[0].loc], [422, ['path', 'token_id']])
  })
}

test('a token is revoked with its key', async () => {
  for (const [method, path] of [
    ['DELETE', ''],
    ['POST', '/regenerate'],
  ] as const) {
    const { api_key: key, api_key_id } = await ok('POST', '/admin/api-key', { body: {} })
    const { token } = await make(key)
    await ok('GET', '/me', { key: token })
    await ok(method, `/admin/api-key/${api_key_id}${path}`)
    await isDead(token)
  }
})

test('a regenerated key has no tokens and can create new ones', async () => {
  const { api_key: old, api_key_id } = await ok('POST', '/admin/api-key', { body: {} })
  await make(old)
  const { api_key: key } = await ok('POST', `/admin/api-key/${api_key_id}/regenerate`)
  assert.deepEqual(await ok('GET', PATS, { key }), [])
  await ok('GET', '/me', { key: (await make(key)).token })
})

const expire = (table: 'api_key' | 'pat', id: number) =>
  alterRecord(`update ${table} set expires_at = ${Date.now() - 1} where id = ${id}`)

test('an expired token is 401, and stays in the list [C14]', async () => {
  const key = await makeKey({})
  const { id, token } = await make(key, { expiration_days: 1 })
  await ok('GET', '/me', { key: token })
  await expire('pat', id)
  await isDead(token)
  assert.deepEqual(
    (await ok('GET', PATS, { key })).map((it: { id: number }) => it.id),
    [id],
  )
})

test('the token of an expired key is 401', async () => {
  const { api_key: key, api_key_id } = await ok('POST', '/admin/api-key', { body: { expiration_days: 1 } })
  const { token } = await make(key)
  await expire('api_key', api_key_id)
  await isDead(token)
})

test('tokens of the operator survive a restart and end when the operator key changes', async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pharos-'))
  context.after(() => rmSync(dataDir, { recursive: true }))
  const first = await startServer({ dataDir })
  const { id, token } = (await createRequester(first)('POST', PATS, { body: { name: 'of the operator' } })).body
  await first.stop()
  const second = await startServer({ dataDir })
  assert.equal((await createRequester(second)('GET', '/me', { key: token })).status, 200)
  await second.stop()
  const other = await startServer({ dataDir, env: { ADMIN_API_KEY: 'another-administrator-key-0123456789' } })
  const askOther = createRequester(other)
  assert.equal((await askOther('GET', '/me', { key: token })).status, 401)
  assert.deepEqual((await askOther('GET', PATS)).body, [])
  assert.equal((await askOther('DELETE', `${PATS}/${id}`)).status, 404)
  await other.stop()
})
