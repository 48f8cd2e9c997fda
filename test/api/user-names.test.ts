// Names of people, and the paths under which existing clients list and delete people.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from './setup.ts'

const { ask, ok, makeKey, alterRecord } = await start()

const OWN = '/user/personalization'

test('a person changes their own name, and removes it', async () => {
  const key = await makeKey({ user_email: 'ann@example.com' })
  assert.deepEqual(await ok('GET', OWN, { key }), { name: null })
  assert.deepEqual(await ok('PATCH', OWN, { key, body: { name: 'Ann Árnadóttir' } }), { name: 'Ann Árnadóttir' })
  assert.deepEqual(await ok('PATCH', OWN, { key, body: {} }), { name: 'Ann Árnadóttir' })
  const [listed] = (await ok('GET', '/manage/users/accepted?q=arnad%C3%B3ttir&page_size=1')).items
  assert.equal(listed, undefined)
  const [person] = (await ok('GET', '/manage/users/accepted?q=ann@')).items
  assert.equal(person.personal_name, 'Ann Árnadóttir')
  assert.deepEqual(await ok('PATCH', OWN, { key, body: { name: null } }), { name: null })
})

test('a key that acts for nobody has no name', async () => {
  const key = await makeKey({})
  for (const { status, body } of [
    await ask('GET', OWN, { key }),
    await ask('PATCH', OWN, { key, body: { name: 'x' } }),
  ])
    assert.deepEqual([status, body.error_code], [409, 'NO_PERSON'])
})

test('an administrator names a person', async () => {
  const { id } = await ok('GET', '/me', { key: await makeKey({ user_email: 'bob@example.com' }) })
  const path = `/manage/admin/users/${id}`
  assert.deepEqual(await ok('PATCH', path, { body: { personal_name: 'Bob' } }), { personal_name: 'Bob' })
  assert.deepEqual(await ok('PATCH', path, { body: {} }), { personal_name: 'Bob' })
  assert.deepEqual(await ok('PATCH', path, { body: { personal_name: null } }), { personal_name: null })
  const unknown = await ask('PATCH', '/manage/admin/users/nobody', { body: { personal_name: 'x' } })
  assert.deepEqual([unknown.status, unknown.body.error_code], [404, 'PERSON_ID_NOT_FOUND'])
})

test('people and invitations are listed together, whole or by page', async () => {
  for (let n = 10; n < 22; n++) await makeKey({ user_email: `many-${n}@example.com` })
  await ok('PUT', '/manage/admin/users', { body: { emails: ['many-guest@example.com', 'other@example.com'] } })
  const whole = await ok('GET', '/manage/users?q=MANY-')
  assert.deepEqual(
    [whole.accepted.length, whole.invited, whole.slack_users],
    [12, [{ email: 'many-guest@example.com' }], []],
  )
  assert.deepEqual([whole.accepted_pages, whole.invited_pages, whole.slack_users_pages], [1, 1, 1])
  const second = await ok('GET', '/manage/users?q=many-&accepted_page=1&invited_page=1&slack_users_page=0')
  assert.deepEqual(
    [second.accepted.map((it: { email: string }) => it.email), second.accepted_pages],
    [['many-20@example.com', 'many-21@example.com'], 2],
  )
  assert.deepEqual([second.invited, second.invited_pages], [[], 1])
})

const remove = (user_email: string, key?: string) =>
  ask('DELETE', '/manage/admin/delete-user', { body: { user_email }, ...(key !== undefined && { key }) })

test('a person is deleted with their keys', async () => {
  const key = await makeKey({ user_email: 'carl@example.com' })
  const { status, body } = await remove('CARL@example.com')
  assert.deepEqual([status, body.deleted.api_keys], [200, 1])
  assert.equal((await ask('GET', '/me', { key })).status, 401)
  assert.deepEqual((await ok('GET', '/manage/users?q=carl')).accepted, [])
})

test('nobody deletes themselves or the last administrator who can sign in', async () => {
  const key = await makeKey({ user_email: 'dora@example.com', role: 'admin' })
  const own = await remove('Dora@example.com', key)
  assert.deepEqual([own.status, own.body.error_code], [400, 'INVALID_INPUT'])
  await alterRecord("update person set is_verified = 1 where email_key = 'dora@example.com'")
  const last = await remove('dora@example.com')
  assert.deepEqual([last.status, last.body.error_code], [409, 'LAST_ADMIN'])
})

test('people are exported as a table that no spreadsheet evaluates', async () => {
  const key = await makeKey({ user_email: 'csv@example.com', user_group_ids: ['reef', '=dune'] })
  await ok('PATCH', OWN, { key, body: { name: '=HYPERLINK("x"), Eve' } })
  const { headers, text } = await ask('GET', '/manage/admin/users/csv')
  assert.match(String(headers['content-type']), /^text\/csv/)
  const [head, ...lines] = text.split('\r\n')
  assert.equal(head, 'email,name,role,groups,active,verified,last_seen')
  const line = lines.find((it) => it.startsWith('csv@example.com'))
  assert.equal(line, `csv@example.com,"'=HYPERLINK(""x""), Eve",basic,'=dune;reef,true,false,`)
})
