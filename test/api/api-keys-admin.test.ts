// Administration of API keys: listing, changing, regenerating and deleting.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from './setup.ts'

const { ask, ok, makeKey, alterRecord } = await start()
const API_KEY = '/admin/api-key'
const UNAUTHENTICATED = {
  error_code: 'UNAUTHENTICATED',
  detail: 'Missing or invalid key. Send the header "Authorization: Bearer <API_KEY>".',
}

const make = (body: object = {}) => ok('POST', API_KEY, { body })
const find = async (id: number) => (await ok('GET', API_KEY)).find((it: { api_key_id: number }) => it.api_key_id === id)
const isDead = async (key: string) => {
  const { status, body } = await ask('GET', '/me', { key })
  assert.deepEqual([status, body], [401, UNAUTHENTICATED])
}

test('the list shows every field of a key except its secret', async () => {
  const body = {
    name: 'Pipeline',
    role: 'curator',
    scopes: ['ingest'],
    user_email: 'ann@example.com',
    user_group_ids: ['sales'],
    expiration_days: 90,
  }
  const { api_key: _, ...made } = await make(body)
  assert.deepEqual(await find(made.api_key_id), {
    api_key_id: made.api_key_id,
    api_key_display: made.api_key_display,
    api_key: null,
    api_key_name: 'Pipeline',
    api_key_role: 'curator',
    scopes: ['ingest'],
    user_id: made.user_id,
    user_email: 'ann@example.com',
    user_group_ids: ['sales'],
    groups: made.groups,
    created_at: made.created_at,
    expires_at: made.expires_at,
    last_used_at: null,
    daily_token_limit: null,
    version: made.version,
  })
})

test('no list contains a secret', async () => {
  const keys = await Promise.all([makeKey({}), makeKey({})])
  const { text } = await ask('GET', API_KEY)
  for (const key of keys) assert.ok(!text.includes(key.slice(18, 61)))
})

test('the list shows when a key was last used', async () => {
  const { api_key: key, api_key_id } = await make()
  assert.equal((await find(api_key_id)).last_used_at, null)
  const before = Date.now()
  await ok('GET', '/me', { key })
  const { last_used_at } = await find(api_key_id)
  assert.ok(Date.parse(last_used_at) >= before && Date.parse(last_used_at) <= Date.now(), last_used_at)
})

test('keys are listed page by page in order of creation', async () => {
  for (let at = 0; at < 3; at++) await make()
  const all = await ok('GET', API_KEY)
  const [first, second, third] = all
  assert.deepEqual(await ok('GET', `${API_KEY}?limit=2`), [first, second])
  assert.deepEqual(await ok('GET', `${API_KEY}?limit=1&after=${second.api_key_id}`), [third])
  assert.deepEqual(await ok('GET', `${API_KEY}?after=${all.at(-1).api_key_id}`), [])
})

const WHOLE = {
  name: 'Pipeline',
  role: 'curator',
  scopes: ['ingest'],
  user_email: 'ann@example.com',
  user_group_ids: ['sales'],
  expiration_days: 90,
}
const CHANGES: [sent: object, changed: object][] = [
  [{}, {}],
  [{ name: 'Batch' }, { api_key_name: 'Batch' }],
  [{ name: null }, { api_key_name: null }],
  [{ role: 'limited' }, { api_key_role: 'limited' }],
  [{ role: null }, {}],
  [
    { name: 'Batch', role: 'admin' },
    { api_key_name: 'Batch', api_key_role: 'admin' },
  ],
  [{ scopes: ['search', 'chat'] }, { scopes: ['search', 'chat'] }],
  [{ scopes: null }, { scopes: null }],
  [{ user_email: 'bob@example.com' }, { user_email: 'bob@example.com' }],
  [{ user_email: null }, { user_email: null }],
  [{ user_group_ids: [] }, { user_group_ids: [] }],
  [{ user_group_ids: null }, {}],
  [{ expiration_days: null }, { expires_at: null }],
  [{ user_id: 'x', api_key_id: 1, api_key: 'x', created_at: 'x', colour: 'blue' }, {}],
]
for (const [sent, changed] of CHANGES) {
  test(`an update with ${JSON.stringify(sent)} changes only the given fields`, async () => {
    const { api_key: _, ...made } = await make(WHOLE)
    const answer = await ok('PATCH', `${API_KEY}/${made.api_key_id}`, { body: sent })
    // The version changes with the fields. The groups follow from the role and the names of the groups: key-groups.test.ts.
    assert.deepEqual(answer, {
      ...{ ...made, api_key: null, ...changed },
      ...{ groups: answer.groups, version: answer.version },
    })
    assert.deepEqual(await find(made.api_key_id), answer)
  })
}

test('an update of an outdated version is 409, and leaves the newer one', async () => {
  const { api_key_id, version } = await make({ name: 'Export', user_group_ids: ['sales'] })
  const update = (body: object) => ask('PATCH', `${API_KEY}/${api_key_id}`, { body })
  const renamed = await update({ name: 'Wiki export', expected_version: version })
  assert.notEqual(renamed.body.version, version)
  const late = await update({ daily_token_limit: 9, expected_version: version })
  assert.deepEqual([late.status, late.body.error_code], [409, 'API_KEY_CHANGED'])
  const { api_key_name, daily_token_limit } = await find(api_key_id)
  assert.deepEqual([api_key_name, daily_token_limit], ['Wiki export', null])
  const limited = await update({ daily_token_limit: 9, expected_version: renamed.body.version })
  assert.equal(limited.body.daily_token_limit, 9)
})

test('a new expiration counts from now', async () => {
  const { api_key_id } = await make()
  const { expires_at } = await ok('PATCH', `${API_KEY}/${api_key_id}`, { body: { expiration_days: 2 } })
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 2 * 86_400_000) < 60_000, expires_at)
})

test('a change applies from the next request', async () => {
  const { api_key: key, api_key_id, user_id } = await make({ role: 'admin' })
  await ok('GET', API_KEY, { key })
  await ok('PATCH', `${API_KEY}/${api_key_id}`, { body: { role: 'basic' } })
  assert.equal((await ask('GET', API_KEY, { key })).status, 403)
  await ok('PATCH', `${API_KEY}/${api_key_id}`, { body: { user_email: 'eve@example.com', user_group_ids: ['a'] } })
  const { email, groups, id } = await ok('GET', '/me', { key })
  assert.deepEqual([email, groups], ['eve@example.com', ['a']])
  // The id of the person differs from that of the key.
  assert.notEqual(id, user_id)
})

test('a later expiration date reactivates an expired key', async () => {
  const { api_key: key, api_key_id } = await make({ expiration_days: 1 })
  await expire(api_key_id)
  await isDead(key)
  await ok('PATCH', `${API_KEY}/${api_key_id}`, { body: { expiration_days: 1 } })
  await ok('GET', '/me', { key })
})

const expire = (id: number) => alterRecord(`update api_key set expires_at = ${Date.now() - 1} where id = ${id}`)

const INVALID: [body: unknown, loc: (string | number)[]][] = [
  [[], ['body']],
  [{ role: 'owner' }, ['body', 'role']],
  [{ scopes: [] }, ['body', 'scopes']],
  [{ scopes: ['everything'] }, ['body', 'scopes', 0]],
  [{ name: 5 }, ['body', 'name']],
  [{ name: 'a\0b' }, ['body', 'name']],
  [{ user_email: 'a\0b' }, ['body', 'user_email']],
  [{ expiration_days: 0 }, ['body', 'expiration_days']],
  [{ user_email: '' }, ['body', 'user_email']],
  [{ user_group_ids: [1] }, ['body', 'user_group_ids', 0]],
]
for (const [body, loc] of INVALID) {
  test(`an update with ${JSON.stringify(body)} is rejected`, async () => {
    const { api_key_id } = await make()
    const reply = await ask('PATCH', `${API_KEY}/${api_key_id}`, { body })
    assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, loc])
  })
}

test('regenerating a key changes only its secret', async () => {
  const { api_key: old, api_key_display: oldDisplay, ...made } = await make(WHOLE)
  const { api_key: key, api_key_display, ...rest } = await ok('POST', `${API_KEY}/${made.api_key_id}/regenerate`)
  assert.deepEqual(rest, made)
  assert.match(key, /^pharos_[0-9A-Za-z]{10}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/)
  assert.equal(api_key_display, `${key.slice(0, 18)}********${key.slice(-4)}`)
  assert.notEqual(key, old)
  assert.notEqual(api_key_display, oldDisplay)
  assert.equal((await find(made.api_key_id)).api_key_display, api_key_display)
})

test('the old secret is invalid at once and the new one works', async () => {
  for (let at = 0; at < 10; at++) {
    const { api_key: old, api_key_id } = await make()
    await ok('GET', '/me', { key: old })
    const { api_key: key } = await ok('POST', `${API_KEY}/${api_key_id}/regenerate`)
    await isDead(old)
    assert.equal((await ok('GET', '/me', { key })).api_key_id, api_key_id)
  }
})

test('a new secret does not reactivate an expired key', async () => {
  const { api_key_id } = await make({ expiration_days: 1 })
  await expire(api_key_id)
  await isDead((await ok('POST', `${API_KEY}/${api_key_id}/regenerate`)).api_key)
})

test('a regenerated key has no last use', async () => {
  const { api_key: key, api_key_id } = await make()
  await ok('GET', '/me', { key })
  assert.notEqual((await find(api_key_id)).last_used_at, null)
  await ok('GET', '/me', { key })
  assert.equal((await ok('POST', `${API_KEY}/${api_key_id}/regenerate`)).last_used_at, null)
  assert.equal((await find(api_key_id)).last_used_at, null)
})

test('deleting a key returns null and disables the key at once [O11]', async () => {
  for (let at = 0; at < 10; at++) {
    const { api_key: key, api_key_id } = await make()
    await ok('GET', '/me', { key })
    assert.equal(await ok('DELETE', `${API_KEY}/${api_key_id}`), null)
    await isDead(key)
    assert.equal(await find(api_key_id), undefined)
  }
})

test('a key may delete itself', async () => {
  const { api_key: key, api_key_id } = await make({ role: 'admin' })
  assert.equal(await ok('DELETE', `${API_KEY}/${api_key_id}`, { key }), null)
  await isDead(key)
})

test('the tools of a deleted key remain', async () => {
  const { api_key: key, api_key_id, user_id } = await make()
  const definition = {
    openapi: '3.0.0',
    info: { title: 'x', description: 'x' },
    servers: [{ url: 'https://x.example.com' }],
    paths: { '/': { get: { operationId: 'x', summary: 'x' } } },
  }
  const body = { name: 'x', definition, passthrough_auth: false }
  const { id } = await ok('POST', '/admin/tool/custom', { key, body })
  await ok('DELETE', `${API_KEY}/${api_key_id}`)
  assert.equal((await ok('GET', `/tool/${id}`)).user_id, user_id)
})

for (const [method, path] of [
  ['PATCH', `${API_KEY}/999999`],
  ['POST', `${API_KEY}/999999/regenerate`],
  ['DELETE', `${API_KEY}/999999`],
  ['PATCH', `${API_KEY}/0`],
] as const) {
  test(`${method} ${path} is 404`, async () => {
    const { status, body } = await ask(method, path, method === 'PATCH' ? { body: { name: 'x' } } : {})
    const id = path.includes('999999') ? 999999 : 0
    assert.deepEqual(
      [status, body],
      [404, { error_code: 'API_KEY_NOT_FOUND', detail: `API key with id ${id} does not exist.` }],
    )
  })
}

test('an empty update of an unknown key is 404', async () => {
  assert.equal((await ask('PATCH', `${API_KEY}/999999`, { body: {} })).status, 404)
})

for (const id of ['x', '01', '-1', '1e3', '9223372036854775808']) {
  test(`${id} is not a valid key id [C4]`, async () => {
    for (const [method, path] of [
      ['PATCH', `${API_KEY}/${id}`],
      ['POST', `${API_KEY}/${id}/regenerate`],
      ['DELETE', `${API_KEY}/${id}`],
    ] as const) {
      const { status, body } = await ask(method, path, method === 'PATCH' ? { body: {} } : {})
      assert.deepEqual([status, body.detail[0].loc], [422, ['path', 'api_key_id']])
    }
  })
}
