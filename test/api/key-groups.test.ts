// Keys whose groups are named by id, as existing clients do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from './setup.ts'

const { ask, ok } = await start()
const API_KEY = '/admin/api-key'
const ADMIN = { id: -1, name: 'Admin' }
const BASIC = { id: -2, name: 'Basic' }

const makeGroup = async (name: string): Promise<{ id: number; name: string }> => ({
  id: (await ok('POST', '/manage/admin/user-group', { body: { name, user_ids: [], cc_pair_ids: [] } })).id,
  name,
})

for (const [group_ids, role, groups] of [
  [[-1], 'admin', [ADMIN]],
  [[-2], 'basic', [BASIC]],
  [[-1, -2], 'admin', [ADMIN]],
  [[], 'limited', []],
] as const) {
  test(`a key of the groups ${JSON.stringify(group_ids)} has the role ${role}`, async () => {
    const made = await ok('POST', API_KEY, { body: { name: 'terraform', group_ids } })
    assert.deepEqual([made.api_key_role, made.groups, made.user_group_ids], [role, groups, []])
    assert.equal((await ok('GET', '/me', { key: made.api_key })).role, role)
  })
}

test('a key is in groups by id, and a change replaces them', async () => {
  const [reef, dune] = [await makeGroup('reef'), await makeGroup('dune')]
  const made = await ok('POST', API_KEY, { body: { group_ids: [reef.id, -1] } })
  assert.deepEqual([made.api_key_role, made.groups], ['admin', [ADMIN, reef]])
  const path = `${API_KEY}/${made.api_key_id}`
  const changed = await ok('PATCH', path, { body: { name: 'x', group_ids: [dune.id] } })
  assert.deepEqual([changed.api_key_role, changed.groups, changed.user_group_ids], ['basic', [BASIC, dune], ['dune']])
  const renamed = await ok('PATCH', path, { body: { name: 'y' } })
  assert.deepEqual(renamed.groups, [BASIC, dune])
  const listed = (await ok('GET', `${API_KEY}?limit=1000`)).find(
    (it: { api_key_id: number }) => it.api_key_id === made.api_key_id,
  )
  assert.deepEqual(listed.groups, [BASIC, dune])
  assert.deepEqual((await ok('POST', `${path}/regenerate`)).groups, [BASIC, dune])
})

test('a curator stays one in the group Basic, and a limited key becomes basic there', async () => {
  const changed = async (role: string) => {
    const { api_key_id } = await ok('POST', API_KEY, { body: { role } })
    return (await ok('PATCH', `${API_KEY}/${api_key_id}`, { body: { group_ids: [-2] } })).api_key_role
  }
  assert.deepEqual(
    [await changed('curator'), await changed('limited'), await changed('admin')],
    ['curator', 'basic', 'basic'],
  )
})

test('fields that disagree are both named', async () => {
  const { id } = await makeGroup('moor')
  for (const [body, other] of [
    [{ group_ids: [-1], role: 'basic' }, 'role'],
    [{ group_ids: [-2], role: 'limited' }, 'role'],
    [{ group_ids: [id], user_group_ids: ['heath'] }, 'user_group_ids'],
    [{ group_ids: [id], user_group_ids: [] }, 'user_group_ids'],
  ] as const) {
    const { status, body: error } = await ask('POST', API_KEY, { body })
    assert.equal(status, 422)
    assert.deepEqual(
      error.detail.map((it: { loc: string[] }) => it.loc.join('.')),
      ['body.group_ids', `body.${other}`],
    )
  }
  await ok('POST', API_KEY, { body: { group_ids: [id, -2], role: 'basic', user_group_ids: ['moor'] } })
})

test('an unknown group is not found, and no key is made', async () => {
  const before = (await ok('GET', `${API_KEY}?limit=1000`)).length
  const { status, body } = await ask('POST', API_KEY, { body: { group_ids: [987_654] } })
  assert.deepEqual([status, body.error_code], [404, 'USER_GROUP_NOT_FOUND'])
  assert.equal((await ok('GET', `${API_KEY}?limit=1000`)).length, before)
})
