// Administrators list and make groups, and choose their members and curators.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, makeKey, makePair, push, found, alterRecord } = await start()

const GROUPS = '/manage/admin/user-group'
const ids = new Map<string, string>()

/** Returns a key of this person, who exists from now on. */
async function person(email: string, more: Record<string, unknown> = {}): Promise<string> {
  const key = await makeKey({ user_email: email, role: 'basic', ...more })
  const { items } = await ok('GET', `/manage/users/accepted?q=${email}`)
  ids.set(email, items[0].id)
  return key
}
const makeGroup = (name: string, members: string[] = [], cc_pair_ids: number[] = []) =>
  ok('POST', GROUPS, { body: { name, user_ids: members.map((it) => ids.get(it)), cc_pair_ids } })
const emails = (group: { users: { email: string }[] }) => group.users.map((it) => it.email)
const refusal = async (method: string, path: string, body?: unknown) => {
  const reply = await ask(method, path, body === undefined ? {} : { body })
  return [reply.status, reply.body.error_code]
}

test('a new group opens its connectors to its members with the next request', async () => {
  const key = await person('ann@example.com')
  const pair = await makePair('Closed', { access_type: 'private', groups: [] })
  await push(documentOf('secret plan', { id: 'plan' }), { cc_pair_id: pair })
  assert.deepEqual(await found('plan', key), [])
  const group = await makeGroup('planners', ['ann@example.com'], [pair])
  assert.deepEqual(
    [group.name, emails(group), group.cc_pairs, group.origin, group.is_default],
    ['planners', ['ann@example.com'], [{ id: pair, name: 'Closed' }], 'manual', false],
  )
  // A key has the groups that it names, of those of the person.
  await person('ann@example.com', { user_group_ids: ['planners'] })
  const member = await makeKey({ user_email: 'ann@example.com', role: 'basic', user_group_ids: ['planners'] })
  assert.deepEqual(await found('plan', member), ['plan'])
  const listed = await ok('GET', GROUPS)
  assert.equal(listed.find((it: { id: number }) => it.id === group.id).api_keys.length, 2)
})

test('an update of an outdated version is 409, and leaves the newer one', async () => {
  const [one, other] = [await makePair('One'), await makePair('Other')]
  const { id, version } = await makeGroup('versioned')
  const update = (cc_pair_ids: number[], expected_version: string) =>
    ask('PATCH', `${GROUPS}/${id}`, { body: { cc_pair_ids, expected_version } })
  const first = await update([one], version)
  assert.notEqual(first.body.version, version)
  const late = await update([other], version)
  assert.deepEqual([late.status, late.body.error_code], [409, 'USER_GROUP_CHANGED'])
  const pairsOf = (group: { cc_pairs: { id: number }[] }) => group.cc_pairs.map((it) => it.id)
  assert.deepEqual(pairsOf(await ok('GET', `${GROUPS}/${id}`)), [one])
  assert.deepEqual(pairsOf((await update([one, other], first.body.version)).body), [one, other])
})

test('people are added to a group', async () => {
  await person('add@example.com')
  const { id } = await makeGroup('added')
  const body = { user_ids: [ids.get('add@example.com'), ids.get('add@example.com')] }
  assert.deepEqual(emails(await ok('POST', `${GROUPS}/${id}/add-users`, { body })), ['add@example.com'])
  assert.deepEqual(emails(await ok('POST', `${GROUPS}/${id}/add-users`, { body })), ['add@example.com'])
})

test('people are removed from a group, lose what it opens, and no longer curate it', async () => {
  await person('stay@example.com')
  const key = await person('leave@example.com')
  const pair = await makePair('Left', { access_type: 'private', groups: [] })
  await push(documentOf('left plan', { id: 'left' }), { cc_pair_id: pair })
  const { id } = await makeGroup('leaving', ['stay@example.com', 'leave@example.com'], [pair])
  const user_id = ids.get('leave@example.com')
  await ok('POST', `${GROUPS}/${id}/set-curator`, { body: { user_id, is_curator: true } })
  assert.deepEqual(await found('left', key), ['left'])
  const body = { user_ids: [user_id, 'nobody'] }
  assert.deepEqual(emails(await ok('POST', `${GROUPS}/${id}/remove-users`, { body })), ['stay@example.com'])
  assert.deepEqual(await found('left', key), [])
  assert.equal((await ok('GET', '/manage/users/accepted?q=leave@example.com')).items[0].role, 'basic')
  assert.deepEqual(await refusal('POST', `${GROUPS}/999999/remove-users`, body), [404, 'USER_GROUP_NOT_FOUND'])
})

test('a change leaves the members or the connectors as they are if it does not name them', async () => {
  await person('same@example.com')
  const pair = await makePair('Same', { access_type: 'private', groups: [] })
  const { id } = await makeGroup('same', ['same@example.com'], [pair])
  const shape = async (group: { users: { email: string }[]; cc_pairs: unknown[] }) => [
    emails(group),
    group.cc_pairs.length,
  ]
  await ok('PATCH', `${GROUPS}/${id}`, { body: {} })
  assert.deepEqual(await shape(await ok('GET', `${GROUPS}/${id}`)), [['same@example.com'], 1])
  assert.deepEqual(await shape(await ok('PATCH', `${GROUPS}/${id}`, { body: { cc_pair_ids: [] } })), [
    ['same@example.com'],
    0,
  ])
  assert.deepEqual(await shape(await ok('PATCH', `${GROUPS}/${id}`, { body: { user_ids: [], cc_pair_ids: null } })), [
    [],
    0,
  ])
  assert.deepEqual(await refusal('GET', `${GROUPS}/999999`), [404, 'USER_GROUP_NOT_FOUND'])
})

test('groups are found by a part of their name, in any case', async () => {
  await makeGroup('Ärzte_100%')
  await makeGroup('aerzte 100')
  const names = async (q: string) =>
    (await ok('GET', `${GROUPS}?q=${encodeURIComponent(q)}`)).map((it: { name: string }) => it.name)
  assert.deepEqual(await names('ÄRZTE'), ['Ärzte_100%'])
  assert.deepEqual(await names('0%'), ['Ärzte_100%'])
  assert.deepEqual(await names('ZTE 1'), ['aerzte 100'])
  assert.deepEqual(await names('e_1'), ['Ärzte_100%'])
  assert.deepEqual(await names('no such'), [])
})

test('addresses of active people are found by a part', async () => {
  await person('addr_1@example.com')
  await person('addr-2@example.com')
  const found = async (query: string) => (await ok('GET', `/users?${query}`)).map((it: { email: string }) => it.email)
  assert.deepEqual(await found('q=ADDR'), ['addr-2@example.com', 'addr_1@example.com'])
  assert.deepEqual(await found('q=addr_'), ['addr_1@example.com'])
  assert.deepEqual(await found('q=addr&limit=1'), ['addr-2@example.com'])
})

test('a group with an unknown person or connector is not made', async () => {
  const body = { name: 'half', user_ids: ['nobody'], cc_pair_ids: [] }
  assert.deepEqual(await refusal('POST', GROUPS, body), [400, 'INVALID_INPUT'])
  assert.deepEqual(await refusal('POST', GROUPS, { ...body, user_ids: [], cc_pair_ids: [999_999] }), [
    404,
    'CC_PAIR_NOT_FOUND',
  ])
  const names = (await ok('GET', GROUPS)).map((it: { name: string }) => it.name)
  assert.equal(names.includes('half'), false)
})

test('names of groups are taken once, and those of the default groups never', async () => {
  await makeGroup('once')
  for (const [name, code] of [
    ['once', 'DUPLICATE_RESOURCE'],
    ['Admin', 'DEFAULT_GROUP'],
    [' bAsIc ', 'DEFAULT_GROUP'],
  ])
    assert.deepEqual(await refusal('POST', GROUPS, { name, user_ids: [] }), [409, code])
})

test('the default groups follow from the role, cannot be changed, and open nothing', async () => {
  const key = await person('chief@example.com', { role: 'admin' })
  await person('away@example.com')
  await ok('PATCH', '/manage/admin/deactivate-user', { body: { user_email: 'away@example.com' } })
  const [admin, basic] = await ok('GET', `${GROUPS}?include_default=true&limit=1`)
  assert.deepEqual([admin.name, basic.name, admin.is_default], ['Admin', 'Basic', true])
  assert.deepEqual(
    [emails(admin), emails(basic).includes('away@example.com'), emails(basic).includes('chief@example.com')],
    [['chief@example.com'], false, true],
  )
  assert.equal(
    (await ok('GET', GROUPS)).some((it: { is_default: boolean }) => it.is_default),
    false,
  )
  for (const { id } of [admin, basic])
    assert.deepEqual(await refusal('POST', `${GROUPS}/${id}/add-users`, { user_ids: [] }), [409, 'DEFAULT_GROUP'])
  const external_access = { external_user_group_ids: ['Admin', 'Basic'] }
  await push(documentOf('default secret', { id: 'default-secret', external_access }))
  assert.deepEqual(await found('default', key), [])
})

test('a basic person who curates a group is a curator until the last of these groups is gone', async () => {
  const key = await person('cur@example.com')
  const groups = [await makeGroup('cur-1', ['cur@example.com']), await makeGroup('cur-2', ['cur@example.com'])]
  const set = (at: number, is_curator: boolean) =>
    ok('POST', `${GROUPS}/${groups[at].id}/set-curator`, { body: { user_id: ids.get('cur@example.com'), is_curator } })
  const role = async () => (await ok('GET', '/manage/users/accepted?q=cur@example.com')).items[0].role
  await set(0, true)
  await set(1, true)
  const listed = await ok('GET', `${GROUPS}?after=${groups[0].id - 1}&limit=1`)
  assert.deepEqual([listed.length, listed[0].curator_ids], [1, [ids.get('cur@example.com')]])
  await set(0, false)
  assert.equal(await role(), 'curator')
  await set(1, false)
  assert.equal(await role(), 'basic')
  await ok('GET', '/me', { key })
})

test('only members curate a group', async () => {
  await person('out@example.com')
  const { id } = await makeGroup('closed')
  const body = { user_id: ids.get('out@example.com'), is_curator: true }
  assert.deepEqual(await refusal('POST', `${GROUPS}/${id}/set-curator`, body), [400, 'INVALID_INPUT'])
  assert.deepEqual(await refusal('POST', `${GROUPS}/999999/set-curator`, body), [404, 'USER_GROUP_NOT_FOUND'])
})

test('only its origin changes the members of a group, but administrators choose its curators', async () => {
  await person('dir@example.com')
  await person('new@example.com')
  const { id } = await makeGroup('from-directory', ['dir@example.com'])
  await alterRecord(`update user_group set origin = 'directory' where id = ${id}`)
  const body = { user_ids: [ids.get('new@example.com')] }
  assert.deepEqual(await refusal('POST', `${GROUPS}/${id}/add-users`, body), [409, 'GROUP_MANAGED_ELSEWHERE'])
  const members = { user_ids: [ids.get('dir@example.com')] }
  assert.deepEqual(await refusal('POST', `${GROUPS}/${id}/remove-users`, members), [409, 'GROUP_MANAGED_ELSEWHERE'])
  const curator = { user_id: ids.get('dir@example.com'), is_curator: true }
  await ok('POST', `${GROUPS}/${id}/set-curator`, { body: curator })
})

test('people see the names of their own groups, administrators all', async () => {
  await person('min@example.com')
  await makeGroup('min-own', ['min@example.com'])
  await makeGroup('min-other')
  const key = await makeKey({ user_email: 'min@example.com', role: 'basic', user_group_ids: ['min-own'] })
  const names = async (question = {}) =>
    (await ok('GET', '/manage/user-groups/minimal', question)).map((it: { name: string }) => it.name)
  assert.deepEqual(await names({ key }), ['min-own'])
  assert.equal((await names()).includes('min-other'), true)
})
