// A person with the role `curator` does not manage objects of other groups, by themselves or with a key.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { routes } from '../../src/api/routes.ts'
import { createGroupSetup } from './people-of-groups.ts'
import { documentOf, start } from './setup.ts'

const setup = await start()
const { ask, ok, makeKey, makePair, push } = setup
const { makePerson, setCurator, groupId } = createGroupSetup(setup)
const INGESTION = '/service-api/ingestion'

const setRole = (user_email: string, new_role: string) =>
  ok('PATCH', '/manage/set-user-role', { body: { user_email, new_role } })
const roleOf = async (email: string) => (await ok('GET', `/manage/users/accepted?q=${email}`)).items[0].role

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
  await makePerson('cara', { curated: ['a'] })
  for (const role of KEY_ROLES) {
    keys[role] = await makeKey({ role, user_email: 'cara@example.com', user_group_ids: ['a'] })
  }
  // A key may have raised the role of the person.
  await setRole('cara@example.com', 'curator')
  const { token } = await ok('POST', '/user/pats', { key: keys.curator!, body: { name: 'token' } })
  keys['personal access token'] = token
})

for (const { method, path, access } of routes) {
  if (access !== 'connectors') continue
  const unknown = path.replaceAll(/\{\w+\}/g, '999999')
  test(`no key of a curator may ${method} ${path}, which covers the whole service`, async () => {
    for (const [name, key] of Object.entries(keys)) {
      const { status, body } = await ask(method, unknown, { key, ...(method !== 'GET' && { bytes: '{}' }) })
      assert.deepEqual([name, status, body.error_code], [name, 403, 'INSUFFICIENT_PERMISSIONS'])
    }
  })
}

test('each key of a curator manages the connectors of the group and no other', async () => {
  for (const [name, key] of Object.entries(keys)) {
    const ids = (await ok('GET', '/manage/admin/connector/status', { key })).map(
      (it: { cc_pair_id: number }) => it.cc_pair_id,
    )
    assert.deepEqual([name, ids], [name, [pairs.A]])
  }
})

for (const [what, body, groups] of [
  ['scopes without connectors', { role: 'curator', scopes: ['search'] }, ['a']],
  ['the role basic', { role: 'basic' }, ['a']],
  ['other groups', { role: 'curator' }, []],
] as const) {
  test(`a key of a curator with ${what} manages nothing`, async () => {
    const key = await makeKey({ ...body, user_email: 'cara@example.com', user_group_ids: groups })
    await setRole('cara@example.com', 'curator')
    const { status, body: error } = await ask('GET', '/manage/admin/connector/status', { key })
    assert.deepEqual([status, error.error_code], [403, 'INSUFFICIENT_PERMISSIONS'])
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

test('a basic person becomes curator with the first group and basic again with the last', async () => {
  const eve = await makePerson('eve', { groups: ['a', 'b'] })
  const status = async () => (await ask('GET', '/manage/admin/credential', { key: eve.key })).status
  assert.deepEqual([await roleOf(eve.email), await status()], ['basic', 403])
  await setCurator(eve.id, 'a', true)
  await setCurator(eve.id, 'b', true)
  assert.deepEqual([await roleOf(eve.email), await status()], ['curator', 200])
  await setCurator(eve.id, 'a', false)
  assert.deepEqual([await roleOf(eve.email), await status()], ['curator', 200])
  await setCurator(eve.id, 'b', false)
  assert.deepEqual([await roleOf(eve.email), await status()], ['basic', 403])
})

test('a limited person cannot be made a curator', async () => {
  const lim = await makePerson('lim', { groups: ['a'] })
  await setRole(lim.email, 'limited')
  const body = { user_id: lim.id, is_curator: true }
  const { status, body: error } = await ask('POST', `/manage/admin/user-group/${await groupId('a')}/set-curator`, {
    body,
  })
  assert.deepEqual([status, error.error_code], [400, 'INVALID_INPUT'])
})

test('a person who is made basic curates no group, also after they are made curator of another one', async () => {
  const finn = await makePerson('finn', { groups: ['b'], curated: ['a'] })
  await setRole(finn.email, 'basic')
  await setCurator(finn.id, 'b', true)
  const groups = await ok('GET', '/manage/admin/user-group', { key: finn.key })
  assert.deepEqual(
    groups.map((it: { name: string }) => it.name),
    ['b'],
  )
})

test('the permissions of the wire follow from the curated groups', async () => {
  const gil = await makePerson('gil', { groups: ['a'] })
  const permissions = async () => (await ok('GET', '/me/permissions', { key: gil.key })).permissions
  const managed = ['manage:connectors', 'read:connectors', 'manage:document_sets', 'curate']
  assert.ok(!(await permissions()).some((it: string) => managed.includes(it)))
  await setCurator(gil.id, 'a', true)
  const granted: string[] = await permissions()
  assert.deepEqual(
    managed.filter((it) => !granted.includes(it)),
    [],
  )
  assert.ok(
    !['admin', 'connectors', 'manage:user_groups', 'read:users', 'manage:llms'].some((it) => granted.includes(it)),
  )
})

test('a key with the role curator that acts for nobody manages all connectors, and no members', async () => {
  const key = await makeKey({ role: 'curator' })
  await ok('GET', '/manage/admin/credential', { key })
  const names = (await ok('GET', '/manage/admin/connector/status', { key })).map((it: { name: string }) => it.name)
  assert.ok(names.includes('Pair of B'))
  assert.equal((await ask('GET', '/manage/admin/user-group', { key })).status, 403)
})
