// Administrators rename, change and delete groups. Records that name a group follow with the next request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, makeKey, makePair, push, found, alterRecord } = await start()

const GROUPS = '/manage/admin/user-group'

interface Member {
  id: string
  email: string
  /** A key that has the groups of the person. */
  key: string
}

async function makePerson(email: string): Promise<Member> {
  const key = await makeKey({ user_email: email, role: 'basic' })
  const { items } = await ok('GET', `/manage/users/accepted?q=${email}`)
  return { id: items[0].id, email, key }
}
const roleOf = async ({ email }: Member) => (await ok('GET', `/manage/users/accepted?q=${email}`)).items[0].role
const makeGroup = (name: string, members: Member[], cc_pair_ids: number[] = []) =>
  ok('POST', GROUPS, { body: { name, user_ids: members.map((it) => it.id), cc_pair_ids } })
const findGroup = async (name: string) => (await ok('GET', GROUPS)).find((it: { name: string }) => it.name === name)
const refusal = async (method: string, path: string, body?: unknown) => {
  const reply = await ask(method, path, body === undefined ? {} : { body })
  return [reply.status, reply.body.error_code]
}
/** Creates a private connector with one document that has this word. */
async function makeClosedPair(word: string, groups: string[]): Promise<number> {
  const pair = await makePair(`Closed ${word}`, { access_type: 'private', groups })
  await push(documentOf(`${word} plan`, { id: word }), { cc_pair_id: pair })
  return pair
}

test('connectors, sets and invitations that name a group get its new name', async () => {
  const ann = await makePerson('ann@example.com')
  const pair = await makeClosedPair('zephyr', ['other'])
  const { id } = await makeGroup('before', [ann], [pair])
  const set = { name: 'Closed set', description: '', cc_pair_ids: [pair], is_public: false }
  const emails = ['invited@example.com']
  await ok('PUT', '/manage/admin/users', { body: { emails, groups: ['before'] } })
  await ok('POST', '/manage/admin/document-set', { body: { ...set, users: [], groups: ['before'] } })
  const renamed = await ok('PATCH', `${GROUPS}/rename`, { body: { id, name: 'after' } })
  assert.deepEqual(
    [renamed.id, renamed.name, renamed.cc_pairs.length, renamed.document_sets.length],
    [id, 'after', 1, 1],
  )
  assert.deepEqual(await found('zephyr', ann.key), ['zephyr'])
  assert.deepEqual((await findGroup('before'))?.name, undefined)
  const invited = await ok('GET', '/manage/users/invited')
  assert.deepEqual(
    invited.map((it: { groups: string[] }) => it.groups),
    [['after']],
  )
})

test('a name that is taken or follows from a role is no new name', async () => {
  const { id } = await makeGroup('mine', [])
  await makeGroup('theirs', [])
  assert.deepEqual(await refusal('PATCH', `${GROUPS}/rename`, { id, name: 'theirs' }), [409, 'DUPLICATE_RESOURCE'])
  assert.deepEqual(await refusal('PATCH', `${GROUPS}/rename`, { id, name: 'ADMIN' }), [409, 'DEFAULT_GROUP'])
  assert.deepEqual(await refusal('PATCH', `${GROUPS}/rename`, { id: -1, name: 'x' }), [409, 'DEFAULT_GROUP'])
  assert.deepEqual(await refusal('PATCH', `${GROUPS}/rename`, { id: 99_999, name: 'x' }), [404, 'USER_GROUP_NOT_FOUND'])
  assert.equal((await ok('PATCH', `${GROUPS}/rename`, { body: { id, name: 'mine' } })).name, 'mine')
})

test('a change replaces members and connectors, and a curator who leaves is basic again', async () => {
  const [bob, eve, sam] = [
    await makePerson('bob@example.com'),
    await makePerson('eve@example.com'),
    await makePerson('sam@example.com'),
  ]
  const [first, second] = [await makeClosedPair('boreas', []), await makeClosedPair('eurus', [])]
  const { id } = await makeGroup('winds', [bob, eve], [first])
  for (const { id: user_id } of [bob, eve])
    await ok('POST', `${GROUPS}/${id}/set-curator`, { body: { user_id, is_curator: true } })
  const body = { user_ids: [eve.id, sam.id], cc_pair_ids: [second] }
  const changed = await ok('PATCH', `${GROUPS}/${id}`, { body })
  assert.deepEqual(
    changed.users.map((it: Member) => it.email),
    ['eve@example.com', 'sam@example.com'],
  )
  assert.deepEqual(changed.curator_ids, [eve.id])
  assert.deepEqual([await roleOf(bob), await roleOf(eve)], ['basic', 'curator'])
  assert.deepEqual([await found('eurus', sam.key), await found('eurus', bob.key)], [['eurus'], []])
  assert.deepEqual(await found('boreas', sam.key), [])
})

test('a refused change changes nothing', async () => {
  const kim = await makePerson('kim@example.com')
  const { id } = await makeGroup('whole', [kim])
  const change = (user_ids: string[], cc_pair_ids: number[]) =>
    refusal('PATCH', `${GROUPS}/${id}`, { user_ids, cc_pair_ids })
  assert.deepEqual(await change(['nobody'], []), [400, 'INVALID_INPUT'])
  assert.deepEqual(await change([], [999_999]), [404, 'CC_PAIR_NOT_FOUND'])
  assert.equal((await findGroup('whole')).users.length, 1)
})

test('a deleted group opens nothing, and its name returns with no invitation', async () => {
  const lee = await makePerson('lee@example.com')
  const pair = await makeClosedPair('notus', [])
  const { id } = await makeGroup('gone', [lee], [pair])
  const { id: kept } = await makeGroup('kept', [lee], [await makeClosedPair('auster', [])])
  await ok('POST', `${GROUPS}/${id}/set-curator`, { body: { user_id: lee.id, is_curator: true } })
  const narrow = await makeKey({ user_email: lee.email, role: 'basic', user_group_ids: ['gone'] })
  await ok('PUT', '/manage/admin/users', { body: { emails: ['late@example.com'], groups: ['gone', 'kept'] } })
  assert.deepEqual(await found('notus', narrow), ['notus'])
  await ok('DELETE', `${GROUPS}/${id}`)
  assert.deepEqual([await found('notus', lee.key), await found('notus', narrow)], [[], []])
  assert.deepEqual(await found('auster', lee.key), ['auster'])
  // A key that named only this group does not follow the groups of its person from now on.
  assert.deepEqual(await found('auster', narrow), [])
  assert.equal(await roleOf(lee), 'basic')
  const invited = await ok('GET', '/manage/users/invited')
  const late = invited.find((it: { email: string }) => it.email === 'late@example.com')
  assert.deepEqual(late.groups, ['kept'])
  assert.deepEqual(await refusal('DELETE', `${GROUPS}/${id}`), [404, 'USER_GROUP_NOT_FOUND'])
  // A new group with the name has nothing of the old one.
  await makeGroup('gone', [lee])
  assert.deepEqual(await found('notus', lee.key), [])
  assert.equal((await findGroup('kept')).id, kept)
})

test('only its origin renames, empties or deletes a group, but its connectors are chosen here', async () => {
  const dan = await makePerson('dan@example.com')
  const pair = await makeClosedPair('aquilo', [])
  const { id } = await makeGroup('from-directory', [dan])
  await alterRecord(`update user_group set origin = 'directory' where id = ${id}`)
  const elsewhere = [409, 'GROUP_MANAGED_ELSEWHERE']
  assert.deepEqual(await refusal('PATCH', `${GROUPS}/rename`, { id, name: 'x' }), elsewhere)
  assert.deepEqual(await refusal('DELETE', `${GROUPS}/${id}`), elsewhere)
  assert.deepEqual(await refusal('PATCH', `${GROUPS}/${id}`, { user_ids: [], cc_pair_ids: [] }), elsewhere)
  await ok('PATCH', `${GROUPS}/${id}`, { body: { user_ids: [dan.id], cc_pair_ids: [pair] } })
  assert.deepEqual(await found('aquilo', dan.key), ['aquilo'])
})

test('neither a key nor an invitation makes a group with the name of a default group', async () => {
  const body = { role: 'basic', name: 'k', user_group_ids: ['Admin'] }
  assert.deepEqual(await refusal('POST', '/admin/api-key', body), [409, 'DEFAULT_GROUP'])
  const invitation = { emails: ['x@example.com'], groups: ['basic'] }
  assert.deepEqual(await refusal('PUT', '/manage/admin/users', invitation), [409, 'DEFAULT_GROUP'])
})
