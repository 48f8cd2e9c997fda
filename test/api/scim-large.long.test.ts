// One group of 10,000 people. Work that grows with the square of the members would exceed the limits by far.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { start } from './setup.ts'

const PEOPLE = 10_000
/** Each takes less than a second on two cores. */
const MAX_MS = 15_000
const MAX_GROWTH = 400 << 20

const { ask, ok, alterRecord } = await start()
const ids = Array.from({ length: PEOPLE }, (_, at) => `person-${String(at).padStart(5, '0')}`)
let token = ''
let group = ''
const scim = async (method: string, path: string, body?: unknown) => {
  const reply = await ask(method, `/scim/v2${path}`, { key: token, ...(body !== undefined && { body }) })
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text.slice(0, 500)}`)
  return reply.body
}
const membersOf = (some: readonly string[]) => some.map((value) => ({ value }))
const patch = (op: string, some: readonly string[]) =>
  scim('PATCH', `/Groups/${group}`, { Operations: [{ op, path: 'members', value: membersOf(some) }] })
const memory = async (): Promise<number> => {
  const { text } = await ask('GET', '/metrics')
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1])
}

before(async () => {
  token = (await ask('POST', '/admin/enterprise-settings/scim/token', { body: { name: 'directory' } })).body.raw_token
  for (let at = 0; at < PEOPLE; at += 500) {
    const batch = ids.slice(at, at + 500)
    const people = batch.map((it) => `('${it}', '${it}@x.example', '${it}@x.example', 'basic', 1, 1, 1, 1)`)
    await alterRecord(
      `insert into person (id, email, email_key, role, is_active, is_verified, time_created, time_updated) values ${people.join(',')}`,
    )
    const users = batch.map((it) => `('${it}', '${it}@x.example', '${it}@x.example', 1, 1, 1)`)
    await alterRecord(
      `insert into scim_user (person_id, user_name, user_name_key, made_person, time_created, time_updated) values ${users.join(',')}`,
    )
    const emails = batch.map((it) => `('${it}', 0, '${it}@x.example', '${it}@x.example', 'work', 1)`)
    await alterRecord(
      `insert into scim_email (person_id, position, value, value_key, type, is_primary) values ${emails.join(',')}`,
    )
  }
  group = (await scim('POST', '/Groups', { displayName: 'everybody' })).id
})

const countMembers = async (): Promise<number> => ((await scim('GET', `/Groups/${group}`)).members ?? []).length
const filterOf = (text: string) => `/Users?count=100&filter=${encodeURIComponent(text)}`
const STEPS: [string, () => Promise<unknown>, unknown][] = [
  [
    'PUT of all members',
    () => scim('PUT', `/Groups/${group}`, { displayName: 'everybody', members: membersOf(ids) }),
    PEOPLE,
  ],
  ['GET of the group', countMembers, PEOPLE],
  ['PATCH that adds members who are there', () => patch('add', ids), PEOPLE],
  ['PATCH that removes one', () => patch('remove', ids.slice(0, 1)), PEOPLE - 1],
  ['PATCH that adds one', () => patch('add', ids.slice(0, 1)), PEOPLE],
  ['PATCH that removes half', () => patch('remove', ids.slice(PEOPLE / 2)), PEOPLE / 2],
  ['PATCH that replaces all', () => patch('replace', ids), PEOPLE],
  ['GET of one user by name', () => scim('GET', filterOf(`userName eq "${ids[7]}@x.example"`)), PEOPLE],
  ['GET of users by a part of an address', () => scim('GET', filterOf('emails.value co "99@x"')), PEOPLE],
  [
    'GET of groups by a member',
    () => scim('GET', `/Groups?filter=${encodeURIComponent(`members.value eq "${ids[7]}"`)}`),
    PEOPLE,
  ],
  ['GET of the last page of users', () => scim('GET', '/Users?count=100&startIndex=9901'), PEOPLE],
  ['PUT of no members', () => scim('PUT', `/Groups/${group}`, { displayName: 'everybody', members: [] }), 0],
]

for (const [name, perform, members] of STEPS) {
  test(name, async (t) => {
    const earlier = await memory()
    const began = performance.now()
    await perform()
    const [millis, growth] = [performance.now() - began, (await memory()) - earlier]
    t.diagnostic(`${Math.round(millis)} ms, ${Math.round(growth / 2 ** 20)} MiB`)
    assert.ok(millis < MAX_MS, `${millis} ms`)
    assert.ok(growth < MAX_GROWTH, `${growth} bytes`)
    assert.equal(await countMembers(), members)
  })
}

test('the filters found what they should', async () => {
  assert.equal((await scim('GET', filterOf(`userName eq "${ids[7]}@x.example"`))).totalResults, 1)
  assert.equal((await scim('GET', filterOf('emails.value co "99@x"'))).totalResults, PEOPLE / 100)
  assert.equal((await ok('GET', '/admin/scim/status')).users, PEOPLE)
})
