// Administrators see how one person signs in, with keys, sessions and groups, and end or change them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from './setup.ts'

const ANN = 'ann@example.com'
const PASSWORD = 'four small words here'
const HEADERS = { 'x-requested-with': 'test' }
const { ask, ok, makeKey } = await start()

const { invitations } = await ok('PUT', '/manage/admin/users', { body: { emails: [ANN], groups: ['Board'] } })
const token = invitations[0].link.split('#')[1]
const joined = await ask('POST', '/auth/register', { key: null, headers: HEADERS, body: { token, password: PASSWORD } })
assert.equal(joined.status, 201)
const id: string = joined.body.id
const path = `/manage/admin/users/${id}`
await makeKey({ name: 'Backup', role: 'basic', user_email: ANN })

test('the details name ways of signing in, keys and groups, and no secret', async () => {
  const details = await ok('GET', path)
  const { api_keys, groups, ...rest } = details
  assert.deepEqual(rest, { has_password: true, has_second_factor: false, passkeys: [], providers: [] })
  assert.deepEqual(
    api_keys.map(({ name, role }: { name: string; role: string }) => [name, role]),
    [['Backup', 'basic']],
  )
  assert.deepEqual(
    groups.map(({ name, origin, is_curator }: Record<string, unknown>) => [name, origin, is_curator]),
    [['Board', 'manual', false]],
  )
  assert.doesNotMatch(JSON.stringify(details), /hash|secret_|kid/)
  const unknown = await ask('GET', '/manage/admin/users/nobody')
  assert.deepEqual([unknown.status, unknown.body.error_code], [404, 'PERSON_ID_NOT_FOUND'])
})

test('one session of a person is ended, and only of that person', async () => {
  const login = { key: null, headers: HEADERS, body: { username: ANN, password: PASSWORD } }
  const { headers } = await ask('POST', '/auth/login', login)
  const cookie = [headers['set-cookie']].flat().map((it) => String(it).split(';', 1)[0])[0]!
  const [newest, older] = await ok('GET', `${path}/sessions`)
  const other = await ask('DELETE', `/manage/admin/users/nobody/sessions/${newest.id}`)
  assert.deepEqual([other.status, other.body.error_code], [404, 'BROWSER_SESSION_NOT_FOUND'])
  const status = async () => (await ask('GET', '/me', { key: null, headers: { cookie } })).status
  assert.equal(await status(), 200)
  await ok('DELETE', `${path}/sessions/${newest.id}`)
  assert.equal(await status(), 401)
  const left = await ok('GET', `${path}/sessions`)
  assert.deepEqual(
    left.map((it: { id: number }) => it.id),
    [older.id],
  )
  const [entry] = await ok('GET', '/admin/audit?action=person.end_session')
  assert.deepEqual([entry.object_id, entry.outcome], [id, 'success'])
})

test('a person is removed from a group that is made here, and no group of another place', async () => {
  const groups: { id: number; name: string }[] = await ok('GET', '/manage/admin/user-group')
  const board = groups.find((it) => it.name === 'Board')!
  await ok('POST', `/manage/admin/user-group/${board.id}/set-curator`, { body: { user_id: id, is_curator: true } })
  assert.equal((await ok('GET', `${path}`)).groups[0].is_curator, true)
  const left = await ok('POST', `/manage/admin/user-group/${board.id}/remove-users`, { body: { user_ids: [id] } })
  assert.deepEqual(left.users, [])
  assert.deepEqual((await ok('GET', path)).groups, [])
  const { items } = await ok('GET', `/manage/users/accepted?q=${ANN}`)
  assert.equal(items[0].role, 'basic')
})

test('a person stays in a group that only its origin changes', async () => {
  const scim = await ask('POST', '/admin/enterprise-settings/scim/token', { body: { name: 'Directory' } })
  const asDirectory = { key: scim.body.raw_token, headers: { 'content-type': 'application/scim+json' } }
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
  const user = await ask('POST', '/scim/v2/Users', { ...asDirectory, body: { schemas, userName: 'bea@example.com' } })
  const group = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Sales',
    members: [{ value: user.body.id }],
  }
  const made = await ask('POST', '/scim/v2/Groups', { ...asDirectory, body: group })
  assert.equal(made.status, 201, made.text)
  const { items } = await ok('GET', '/manage/users/accepted?q=bea@')
  const [membership] = (await ok('GET', `/manage/admin/users/${items[0].id}`)).groups
  assert.equal(membership.origin, 'scim')
  const body = { user_ids: [items[0].id] }
  const refused = await ask('POST', `/manage/admin/user-group/${membership.id}/remove-users`, { body })
  assert.deepEqual([refused.status, refused.body.error_code], [409, 'GROUP_MANAGED_ELSEWHERE'])
  const invitation = { emails: ['cal@example.com'], groups: ['Board', 'Sales'] }
  const invited = await ask('PUT', '/manage/admin/users', { body: invitation })
  assert.deepEqual([invited.status, invited.body.error_code], [409, 'GROUP_MANAGED_ELSEWHERE'])
})
