// Administrators list people, change their roles and suspend them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from './setup.ts'

const { ask, ok, makeKey, alterRecord } = await start()

const ROLE = '/manage/set-user-role'
const setRole = (user_email: string, new_role: string, key?: string) =>
  ask('PATCH', ROLE, { body: { user_email, new_role }, ...(key !== undefined && { key }) })
const suspend = (user_email: string, key?: string) =>
  ask('PATCH', '/manage/admin/deactivate-user', { body: { user_email }, ...(key !== undefined && { key }) })
const emails = (people: { email: string }[]) => people.map((it) => it.email)

test('people are listed in pages, with their groups and the number of their keys', async () => {
  await makeKey({ user_email: 'List-B@example.com', user_group_ids: ['readers'] })
  await makeKey({ user_email: 'list-a@example.com', role: 'curator' })
  await makeKey({ user_email: 'list-b@example.com' })
  const first = await ok('GET', '/manage/users/accepted?q=LIST-&page_size=1')
  const second = await ok('GET', '/manage/users/accepted?q=LIST-&page_size=1&page_num=1')
  assert.deepEqual(
    [first.total_items, emails(first.items), emails(second.items)],
    [2, ['list-a@example.com'], ['List-B@example.com']],
  )
  const { groups, role, is_active, password_configured, api_key_count } = second.items[0]
  assert.deepEqual(
    [groups[0].name, role, is_active, password_configured, api_key_count],
    ['readers', 'basic', true, false, 2],
  )
  const all = emails(await ok('GET', '/manage/users/accepted/all'))
  assert.deepEqual(
    all.filter((it) => it.toLowerCase().startsWith('list-')),
    ['list-a@example.com', 'List-B@example.com'],
  )
})

test('people are filtered by role and status, and a wildcard in the search is a character', async () => {
  await makeKey({ user_email: 'filter_a@example.com' })
  await makeKey({ user_email: 'filter-b@example.com', role: 'limited' })
  const filtered = async (query: string) => emails((await ok('GET', `/manage/users/accepted?${query}`)).items)
  assert.deepEqual(await filtered('q=filter_'), ['filter_a@example.com'])
  assert.deepEqual(await filtered('q=%25'), [])
  assert.deepEqual(await filtered('q=filter&roles=limited'), ['filter-b@example.com'])
  assert.equal((await filtered('q=filter&roles=limited&roles=basic')).length, 2)
  assert.equal((await suspend('filter-b@example.com')).status, 200)
  assert.deepEqual(await filtered('q=filter&is_active=false'), ['filter-b@example.com'])
  const { role_counts, status_counts } = await ok('GET', '/manage/users/counts')
  assert.deepEqual([role_counts.limited, status_counts.inactive], [1, 1])
  const shown = emails(await ok('GET', '/users', { key: await makeKey({ user_email: 'filter_a@example.com' }) }))
  assert.deepEqual([shown.includes('filter_a@example.com'), shown.includes('filter-b@example.com')], [true, false])
})

test('a role takes effect with the next request', async () => {
  const key = await makeKey({ user_email: 'role@example.com', role: 'curator' })
  assert.deepEqual(await ok('GET', '/manage/get-user-role', { key }), { role: 'curator' })
  await ok('GET', '/manage/admin/credential', { key })
  assert.equal((await setRole('ROLE@example.com', 'basic')).status, 200)
  assert.equal((await ask('GET', '/manage/admin/credential', { key })).status, 403)
})

test('a suspension takes effect with the next request, and ends', async () => {
  const key = await makeKey({ user_email: 'gone@example.com' })
  await ok('GET', '/me', { key })
  assert.equal((await suspend('gone@example.com')).status, 200)
  assert.equal((await ask('GET', '/me', { key })).status, 401)
  await ok('PATCH', '/manage/admin/activate-user', { body: { user_email: 'gone@example.com' } })
  await ok('GET', '/me', { key })
})

test('an unknown person is not found', async () => {
  const replies = [await setRole('nobody@example.com', 'basic'), await suspend('nobody@example.com')]
  assert.deepEqual(
    replies.map(({ status, body }) => [status, body.error_code]),
    [
      [404, 'PERSON_NOT_FOUND'],
      [404, 'PERSON_NOT_FOUND'],
    ],
  )
})

test('nobody suspends or demotes themselves', async () => {
  const key = await makeKey({ user_email: 'self@example.com', role: 'admin' })
  for (const { status, body } of [
    await suspend('SELF@example.com', key),
    await setRole('self@example.com', 'basic', key),
  ])
    assert.deepEqual([status, body.error_code], [400, 'INVALID_INPUT'])
  await ok('GET', '/admin/audit', { key })
})

test('the last active administrator who can sign in stays one', async () => {
  for (const name of ['chief', 'deputy']) await makeKey({ user_email: `${name}@example.com`, role: 'admin' })
  await alterRecord("update person set is_verified = 1 where email_key in ('chief@example.com', 'deputy@example.com')")
  // A person who is known by keys alone does not count as an administrator who can sign in.
  await makeKey({ user_email: 'keys-only@example.com', role: 'admin' })
  const replies = await Promise.all([setRole('chief@example.com', 'basic'), suspend('deputy@example.com')])
  assert.deepEqual(replies.map((it) => it.status).sort(), [200, 409])
  assert.equal(replies.find((it) => it.status === 409)!.body.error_code, 'LAST_ADMIN')
  assert.equal((await setRole('keys-only@example.com', 'basic')).status, 200)
  const remaining = replies[0]!.status === 409 ? 'chief' : 'deputy'
  const { status, body } = await ask('DELETE', `/admin/person/${remaining}@example.com`)
  assert.deepEqual([status, body.error_code], [409, 'LAST_ADMIN'])
})

test('changes are audited under the pseudonym of the person', async () => {
  await makeKey({ user_email: 'audited@example.com' })
  const { pseudonym } = (await setRole('audited@example.com', 'limited')).body
  await suspend('audited@example.com')
  await ok('PATCH', '/manage/admin/activate-user', { body: { user_email: 'audited@example.com' } })
  const entries = await ok('GET', `/admin/audit?object_type=person&object_id=${pseudonym}`)
  assert.deepEqual(
    entries.map((it: { action: string }) => it.action),
    ['person.activate', 'person.suspend', 'person.role'],
  )
})
