// A person with the role `curator` does not manage objects of other groups, by themselves or with a key.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { routes } from '../../src/api/routes.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, makeKey, makePair, push } = await start()
const INGESTION = '/service-api/ingestion'

const setRole = (user_email: string, new_role: string) =>
  ok('PATCH', '/manage/set-user-role', { body: { user_email, new_role } })

const pairs: Record<string, number> = {}
const keys: Record<string, string> = {}
const KEY_ROLES = ['curator', 'global_curator', 'admin']

before(async () => {
  for (const [name, groups] of [
    ['A', ['a']],
    ['B', ['b']],
    ['A and B', ['a', 'b']],
  ] as const) {
    pairs[name] = await makePair(`Pair of ${name}`, { access_type: 'private', groups })
    await push(documentOf(`text of ${name}`, { id: `of ${name}` }), { cc_pair_id: pairs[name] })
  }
  for (const role of KEY_ROLES) {
    keys[role] = await makeKey({ role, user_email: 'cara@example.com', user_group_ids: ['a'] })
  }
  await setRole('cara@example.com', 'curator')
  const { token } = await ok('POST', '/user/pats', { key: keys.curator!, body: { name: 'token' } })
  keys['personal access token'] = token
})

for (const { method, path, access } of routes) {
  if (access !== 'connectors') continue
  const unknown = path.replaceAll(/\{\w+\}/g, '999999')
  test(`no key of a curator may ${method} ${path}`, async () => {
    for (const [name, key] of Object.entries(keys)) {
      const { status, body } = await ask(method, unknown, { key, ...(method !== 'GET' && { bytes: '{}' }) })
      assert.deepEqual([name, status, body.error_code], [name, 403, 'INSUFFICIENT_PERMISSIONS'])
    }
  })
}

for (const [name, isReadable] of [
  ['A', true],
  ['B', false],
  ['A and B', true],
] as const) {
  test(`a curator of A ${isReadable ? 'writes' : 'cannot write'} documents of ${name}, as a basic person`, async () => {
    for (const key of Object.values(keys)) {
      const id = `of ${name}`
      const address = `${INGESTION}/${encodeURIComponent(id)}`
      const body = { document: documentOf(`text of ${name}`, { id }), cc_pair_id: pairs[name] }
      assert.equal((await ask('GET', address, { key })).status, isReadable ? 200 : 404)
      const { status } = await ask('POST', INGESTION, { key, body })
      assert.ok(isReadable ? status === 200 : status === 403 || status === 404, `answered ${status}`)
      if (!isReadable) assert.equal((await ask('DELETE', address, { key })).status, 404)
    }
  })
}

test('a curator does not share tools', async () => {
  const definition = {
    openapi: '3.0.0',
    info: { title: 'Weather', description: 'Says the weather', version: '1' },
    servers: [{ url: 'https://93.184.216.34' }],
    paths: { '/now': { get: { operationId: 'weatherNow', summary: 'The weather' } } },
  }
  const body = { name: 'weather', definition, passthrough_auth: false, custom_headers: [], is_public: true }
  const { status, body: error } = await ask('POST', '/admin/tool/custom', { key: keys.curator!, body })
  assert.deepEqual([status, error.error_code], [403, 'INSUFFICIENT_PERMISSIONS'])
  await ok('POST', '/admin/tool/custom', { key: await makeKey({ role: 'global_curator' }), body })
})

test('a role that changes takes effect at the next request', async () => {
  const key = await makeKey({ role: 'curator', user_email: 'dan@example.com' })
  const status = async () => (await ask('GET', '/manage/admin/credential', { key })).status
  assert.equal(await status(), 200)
  await setRole('dan@example.com', 'curator')
  assert.equal(await status(), 403)
  await setRole('dan@example.com', 'global_curator')
  assert.equal(await status(), 200)
  await ok('PATCH', '/manage/admin/deactivate-user', { body: { user_email: 'dan@example.com' } })
  assert.equal(await status(), 401)
})

test('a key with the role curator that acts for nobody manages all connectors', async () => {
  await ok('GET', '/manage/admin/credential', { key: await makeKey({ role: 'curator' }) })
})
