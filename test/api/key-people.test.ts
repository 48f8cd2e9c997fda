// Keys that act for people: what belongs to the person, and how keys follow the role and the groups of the person.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settled } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { server, ask, ok, makeKey, push, alterRecord } = await start()
const API_KEY = '/admin/api-key'

const found = async (key: string, query: string): Promise<string[]> =>
  (await ok('POST', '/search', { key, body: { query } })).results.map((it: { document_id: string }) => it.document_id)

test('all keys of a person share what one of them created', async () => {
  const [first, second] = [
    await makeKey({ user_email: 'Ann@example.com' }),
    await makeKey({ user_email: 'ann@EXAMPLE.com', role: 'curator' }),
  ]
  const stranger = await makeKey({ user_email: 'bob@example.com' })
  const [me, again] = [await ok('GET', '/me', { key: first }), await ok('GET', '/me', { key: second })]
  assert.deepEqual([me.id, me.email], [again.id, 'Ann@example.com'])
  assert.deepEqual([me.role, again.role], ['basic', 'curator'])
  const chat = await ok('POST', '/chat/create-chat-session', { key: first, body: {} })
  const path = `/chat/get-chat-session/${chat.chat_session_id}`
  await ok('GET', path, { key: second })
  assert.equal((await ask('GET', path, { key: stranger })).status, 404)
  const set = { name: "Ann's set", description: '', cc_pair_ids: [1], is_public: false, users: [me.id], groups: [] }
  await ok('POST', '/manage/admin/document-set', { body: set })
  const listed = async (key: string) =>
    (await ok('GET', '/manage/document-set', { key })).map((it: { name: string }) => it.name)
  assert.deepEqual([await listed(first), await listed(stranger)], [["Ann's set"], []])
})

test('a person owns everything that a key created before it acted for the person', async () => {
  const { api_key: key, api_key_id } = await ok('POST', API_KEY, { body: { name: 'pipeline' } })
  const chat = await ok('POST', '/chat/create-chat-session', { key, body: {} })
  await ok('PATCH', `${API_KEY}/${api_key_id}`, { body: { user_email: 'carl@example.com' } })
  const other = await makeKey({ user_email: 'carl@example.com' })
  await ok('GET', `/chat/get-chat-session/${chat.chat_session_id}`, { key: other })
})

test('a key without groups of its own has those of its person, and another key only its own', async () => {
  await push(
    documentOf('quay', {
      external_access: { is_public: false, external_user_emails: [], external_user_group_ids: ['harbour'] },
    }),
  )
  await settled(server)
  const narrow = await makeKey({ user_email: 'dora@example.com', user_group_ids: [] })
  const follower = await makeKey({ user_email: 'dora@example.com' })
  assert.deepEqual(await found(follower, 'quay'), [])
  const wide = await makeKey({ user_email: 'dora@example.com', user_group_ids: ['harbour'] })
  assert.equal((await found(wide, 'quay')).length, 1)
  assert.equal((await found(follower, 'quay')).length, 1)
  assert.deepEqual(await found(narrow, 'quay'), [])
  await alterRecord('delete from user_group_member')
  for (const key of [wide, follower, narrow]) assert.deepEqual(await found(key, 'quay'), [])
})

test('a key that changes its person does not bring the groups of the person before', async () => {
  await makeKey({ user_email: 'emil@example.com', user_group_ids: ['emils'] })
  const { api_key: key, api_key_id } = await ok('POST', API_KEY, { body: { user_email: 'emil@example.com' } })
  assert.deepEqual((await ok('GET', '/me', { key })).groups, ['emils'])
  await ok('PATCH', `${API_KEY}/${api_key_id}`, { body: { user_email: 'frida@example.com' } })
  assert.deepEqual((await ok('GET', '/me', { key })).groups, [])
  await ok('PATCH', `${API_KEY}/${api_key_id}`, { body: { user_email: null } })
  const me = await ok('GET', '/me', { key })
  assert.deepEqual([me.groups, me.email.endsWith('@key.invalid')], [[], true])
})

test('a group that comes from elsewhere gets no members from keys', async () => {
  await makeKey({ user_email: 'gina@example.com', user_group_ids: ['directory'] })
  await alterRecord("update user_group set origin = 'scim' where name = 'directory'")
  const body = { user_email: 'hugo@example.com', user_group_ids: ['directory'] }
  const { status, body: error } = await ask('POST', API_KEY, { body })
  assert.deepEqual([status, error.error_code], [409, 'GROUP_MANAGED_ELSEWHERE'])
  // A member may have a key with the group.
  await makeKey({ user_email: 'gina@example.com', user_group_ids: ['directory'] })
})

test('a key has no higher role than a person who can sign in', async () => {
  const key = await makeKey({ user_email: 'ida@example.com', role: 'curator' })
  await alterRecord("update person set role = 'basic', is_verified = 1 where email_key = 'ida@example.com'")
  assert.equal((await ask('GET', '/manage/admin/credential', { key })).status, 403)
  const { status, body } = await ask('POST', API_KEY, { body: { user_email: 'ida@example.com', role: 'admin' } })
  assert.deepEqual([status, body.error_code], [409, 'KEY_ROLE_TOO_HIGH'])
  await makeKey({ user_email: 'ida@example.com', role: 'limited' })
})

test('the keys of a suspended person are refused', async () => {
  const key = await makeKey({ user_email: 'jan@example.com' })
  const { token } = await ok('POST', '/user/pats', { key, body: { name: 'token' } })
  await ok('GET', '/me', { key: token })
  await alterRecord("update person set is_active = 0 where email_key = 'jan@example.com'")
  for (const secret of [key, token]) assert.equal((await ask('GET', '/me', { key: secret })).status, 401)
})
