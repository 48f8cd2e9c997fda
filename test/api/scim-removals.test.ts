// Removals by a directory that go too far wait for an administrator.
import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { form, formHeaders } from './multipart-form.ts'
import { start } from './setup.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'pharos-scim-'))
const first = await start({ ADMIN_API_KEY: 'an-administrator-key-of-this-test' }, { dataDir })
let { ask, ok } = first
let token = ''
const ids = Array.from({ length: 40 }, (_, at) => `person-${at}`)
const scim = (method: string, path: string, body?: unknown) =>
  ask(method, `/scim/v2${path}`, { key: token, ...(body !== undefined && { body }) })
const suspend = (id: string) =>
  scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', value: { active: false } }] })
const held = () => ok('GET', '/admin/scim/held-removals')
const isActive = async (id: string) => (await scim('GET', `/Users/${id}`)).body.active

before(async () => {
  const body = { name: 'directory' }
  token = (await ask('POST', '/admin/enterprise-settings/scim/token', { body })).body.raw_token
  const people = ids.map((it) => `('${it}', '${it}@x.example', '${it}@x.example', 'basic', 1, 1, 1, 1)`)
  await first.alterRecord(
    `insert into person (id, email, email_key, role, is_active, is_verified, time_created, time_updated) values ${people.join(',')}`,
  )
  const users = ids.map((it) => `('${it}', '${it}@x.example', '${it}@x.example', 1, 1, 1)`)
  await first.alterRecord(
    `insert into scim_user (person_id, user_name, user_name_key, made_person, time_created, time_updated) values ${users.join(',')}`,
  )
})

test('a fifth of all people is removed at once, and the next removal waits', async () => {
  // People whom the directory has just made make no room.
  for (let at = 0; at < 20; at++)
    assert.equal((await scim('POST', '/Users', { userName: `new-${at}@x.example` })).status, 201)
  for (const id of ids.slice(0, 8)) assert.equal((await suspend(id)).status, 200)
  assert.equal((await suspend('person-0')).status, 200, 'a person who is suspended already')
  const reply = await suspend('person-8')
  assert.equal(reply.status, 403)
  assert.match(reply.body.detail, /administrator must approve/)
  assert.equal((await scim('DELETE', '/Users/person-9')).status, 403)
  assert.equal((await suspend('person-8')).status, 403)
  assert.deepEqual(
    (await held()).map((it: { user_id: string; kind: string }) => [it.user_id, it.kind]),
    [
      ['person-8', 'suspend'],
      ['person-9', 'delete'],
    ],
  )
  assert.deepEqual([await isActive('person-8'), await isActive('person-9')], [true, true])
  assert.equal((await ok('GET', '/admin/scim/status')).held_removals, 2)
})

test('removals of people whom the directory has just made are not held', async () => {
  const { Resources } = (await scim('GET', '/Users?filter=userName%20sw%20%22new-%22')).body
  for (const { id } of Resources) assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204)
})

test('a change that a held removal comes with is not done either', async () => {
  const Operations = [
    { op: 'replace', path: 'displayName', value: 'Changed' },
    { op: 'replace', path: 'active', value: 'False' },
  ]
  assert.equal((await scim('PATCH', '/Users/person-10', { Operations })).status, 403)
  assert.equal((await scim('GET', '/Users/person-10')).body.displayName, undefined)
})

test('the directory undoes its own suspension, and none that an administrator decided, in whatever way', async () => {
  const { body: user } = await scim('POST', '/Users', { userName: 'both@x.example' })
  const email = user.userName
  const byDirectory = async (active: boolean) => {
    const Operations = [{ op: 'replace', path: 'active', value: active }]
    assert.equal((await scim('PATCH', `/Users/${user.id}`, { Operations })).status, 200)
  }
  const byRoute = (active: boolean) =>
    ok('PATCH', `/manage/admin/${active ? 'activate' : 'deactivate'}-user`, { body: { user_email: email } })
  const byTable = async (active: boolean) => {
    const csv = `email,active\n${email},${active}\n`
    const bytes = form({ field: 'file', name: 'people.csv', type: 'text/csv', content: csv })
    const { status, body } = await ask('POST', '/manage/admin/users/csv', { headers: formHeaders, bytes })
    assert.deepEqual([status, body.problems], [200, []])
  }
  const steps: [string, (active: boolean) => Promise<unknown>, boolean][] = []
  for (const [name, decide] of Object.entries({ byRoute, byTable }))
    steps.push(
      [`${name}: the directory suspends`, byDirectory, false],
      [`${name}: and brings back`, byDirectory, true],
      [`${name}: it suspends again`, byDirectory, false],
      [`${name}: an administrator brings back`, decide, true],
      [`${name}: and suspends`, decide, false],
    )
  for (const [name, decide, wanted] of steps) {
    await decide(wanted)
    assert.equal(await isActive(user.id), wanted, name)
    if (!name.endsWith('and suspends')) continue
    await byDirectory(true)
    assert.equal(await isActive(user.id), false, `${name}: the directory cannot undo it`)
    await decide(true)
  }
  await byDirectory(false)
  await byTable(false)
  await byDirectory(true)
  assert.equal(await isActive(user.id), true, 'a table that changes nothing decides nothing')
})

test('held removals outlast a restart', async (t) => {
  await first.server.stop()
  ;({ ask, ok } = await start({ ADMIN_API_KEY: 'an-administrator-key-of-this-test' }, { dataDir }))
  await t.test('and are decided once', async () => {
    const [a, b, c] = await held()
    await ok('POST', `/admin/scim/held-removals/${a.id}/approve`)
    await ok('POST', `/admin/scim/held-removals/${b.id}/approve`)
    await ok('POST', `/admin/scim/held-removals/${c.id}/discard`)
    for (const verdict of ['approve', 'discard'])
      assert.equal(
        (await ask('POST', `/admin/scim/held-removals/${a.id}/${verdict}`)).body.error_code,
        'HELD_REMOVAL_NOT_FOUND',
      )
    assert.equal(await isActive('person-8'), false)
    assert.equal((await scim('GET', '/Users/person-9')).status, 404)
    assert.equal((await suspend('person-8')).status, 200, 'the directory asks again, and nothing is left to do')
    assert.deepEqual(await held(), [])
  })

  await t.test('a discarded removal does not return within a day', async () => {
    assert.match((await suspend('person-10')).body.detail, /discarded/)
    assert.deepEqual(await held(), [])
    assert.equal(await isActive('person-10'), true)
  })

  await t.test('a person whom the directory keeps after all is no longer listed', async () => {
    assert.equal((await suspend('person-11')).status, 403)
    assert.equal((await held()).length, 1)
    const Operations = [{ op: 'replace', path: 'active', value: true }]
    assert.equal((await scim('PATCH', '/Users/person-11', { Operations })).status, 200)
    assert.deepEqual(await held(), [])
  })

  await t.test('decisions are audited', async () => {
    for (const action of ['person.scim_approve', 'person.scim_discard'])
      assert.ok((await ok('GET', `/admin/audit?action=${action}`)).length > 0, action)
  })
})
