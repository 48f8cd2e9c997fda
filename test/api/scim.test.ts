// People and groups that a directory manages by SCIM, with the requests that Entra ID and Okta document.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { start } from './setup.ts'

const { ask, ok, makeKey, alterRecord, push, found } = await start()
const BASE = '/scim/v2'
let token = ''
const scim = (method: string, path: string, body?: unknown) =>
  ask(method, `${BASE}${path}`, {
    key: token,
    ...(body !== undefined && { body, headers: { 'content-type': 'application/scim+json' } }),
  })
const PATCH = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] }
const patch = (path: string, ...Operations: object[]) => scim('PATCH', path, { ...PATCH, Operations })

async function done(answer: ReturnType<typeof scim>, status = 200) {
  const reply = await answer
  assert.equal(reply.status, status, reply.text)
  return reply.body
}

const makeUser = (userName: string, more: object = {}) =>
  done(scim('POST', '/Users', { userName, active: true, ...more }), 201)
const makeGroup = (displayName: string, ids: string[] = []) =>
  done(scim('POST', '/Groups', { displayName, members: ids.map((value) => ({ value })) }), 201)
const search = async (resource: string, filter: string) =>
  done(scim('GET', `/${resource}?filter=${encodeURIComponent(filter)}`))
const namesBy = async (filter: string) =>
  (await search('Users', filter)).Resources.map((it: { userName: string }) => it.userName)
const person = async (email: string) =>
  (await ok('GET', `/manage/users/accepted?q=${encodeURIComponent(email)}`)).items[0]

before(async () => {
  const reply = await ask('POST', '/admin/enterprise-settings/scim/token', { body: { name: 'directory' } })
  assert.equal(reply.status, 201)
  token = reply.body.raw_token
  assert.match(token, /^pharos_scim_/)
})

describe('token', () => {
  test('GET describes it without the secret', async () => {
    const stored = await ok('GET', '/admin/enterprise-settings/scim/token')
    assert.deepEqual(Object.keys(stored), ['id', 'name', 'token_display', 'is_active', 'created_at', 'last_used_at'])
    assert.ok(!JSON.stringify(stored).includes(token.slice(-43, -7)))
  })

  test('it opens nothing but SCIM', async () => {
    for (const [method, path] of [
      ['GET', '/me'],
      ['GET', '/manage/users/accepted'],
      ['GET', '/admin/scim/status'],
      ['POST', '/admin/enterprise-settings/scim/token'],
      ['DELETE', '/auth/session'],
    ] as const)
      assert.equal((await ask(method, path, { key: token, body: {} })).body.error_code, 'SCIM_TOKEN_REFUSED', path)
    assert.equal((await ask('POST', '/auth/session', { key: null, body: { api_key: token } })).status, 401)
  })

  test('no other credential opens SCIM', async () => {
    const key = await makeKey({ role: 'basic', name: 'basic' })
    const pat = (await ok('POST', '/user/pats', { body: { name: 'p', expiration_days: 1 } })).token
    assert.equal((await ask('GET', `${BASE}/Users`)).status, 403)
    const paths = ['ServiceProviderConfig', 'Schemas', 'Schemas/x', 'ResourceTypes', 'ResourceTypes/x']
    const operations = [
      ...paths.map((it) => `GET /${it}`),
      ...['', '/Users', '/Groups'].map((it) => `POST ${it}/.search`),
      ...['Users', 'Groups'].flatMap((it) => [`GET /${it}`, `POST /${it}`]),
      ...['Users', 'Groups'].flatMap((it) => ['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /${it}/1`)),
    ]
    for (const operation of operations) {
      const [method, path] = operation.split(' ') as [string, string]
      const body = method === 'GET' ? {} : { body: {} }
      for (const other of [undefined, key, pat]) {
        const question = other === undefined ? body : { key: other, ...body }
        assert.equal((await ask(method, BASE + path, question)).status, 403, operation)
      }
    }
    assert.equal((await ask('GET', `${BASE}/Users`, { key: null })).status, 401)
    assert.equal((await ask('GET', `/api${BASE}/Users`, { key: `${token}x` })).status, 401)
  })
})

describe('requests of Entra ID', () => {
  test('a person is made, found, changed, suspended and removed', async () => {
    assert.equal((await search('Users', 'userName eq "Test_User_dfeef4c5@example.com"')).totalResults, 0)
    const made = await done(
      scim('POST', '/Users', {
        schemas: [
          'urn:ietf:params:scim:schemas:core:2.0:User',
          'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
        ],
        externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
        userName: 'Test_User_ab6490ee@example.com',
        active: true,
        emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@example.com' }],
        meta: { resourceType: 'User' },
        name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
        roles: [],
        'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'x' },
      }),
      201,
    )
    assert.equal(made.userName, 'Test_User_ab6490ee@example.com')
    assert.ok(made.meta.location.endsWith(`/scim/v2/Users/${made.id}`))
    const listed = await person('test_user_ab6490ee')
    assert.deepEqual(
      [listed.role, listed.is_verified, listed.is_scim_synced, listed.personal_name],
      ['basic', true, true, 'givenName familyName'],
    )
    const changed = await done(
      patch(
        `/Users/${made.id}`,
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@example.com' },
        { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      ),
    )
    assert.deepEqual(
      [changed.emails[0].value, changed.name.familyName],
      ['updatedEmail@example.com', 'updatedFamilyName'],
    )
    const suspended = await done(patch(`/Users/${made.id}`, { op: 'Replace', path: 'active', value: 'False' }))
    assert.equal(suspended.active, false)
    assert.equal((await person('test_user_ab6490ee')).is_active, false)
    assert.equal((await scim('DELETE', `/Users/${made.id}`)).status, 204)
    assert.equal((await scim('GET', `/Users/${made.id}`)).status, 404)
    assert.equal((await scim('DELETE', `/Users/${made.id}`)).status, 404)
    assert.equal((await person('test_user_ab6490ee')).is_active, false, 'what belongs to the person remains')
  })

  test('a group gets and loses members', async () => {
    const ann = await makeUser('ann.entra@example.com')
    const group = await done(
      scim('POST', '/Groups', {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
        externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
        displayName: 'Entra group',
        meta: { resourceType: 'Group' },
      }),
      201,
    )
    assert.equal((await search('Groups', 'displayName eq "ENTRA group"')).Resources[0].id, group.id)
    const withMember = await done(
      patch(`/Groups/${group.id}`, { op: 'Add', path: 'members', value: [{ value: ann.id }] }),
    )
    assert.deepEqual(
      withMember.members.map((it: { value: string }) => it.value),
      [ann.id],
    )
    assert.equal((await search('Groups', `members eq "${ann.id}"`)).totalResults, 1)
    const short = await done(scim('GET', `/Groups/${group.id}?excludedAttributes=members`))
    assert.deepEqual([short.displayName, short.members], ['Entra group', undefined])
    await done(patch(`/Groups/${group.id}`, { op: 'Remove', path: 'members', value: [{ value: ann.id }] }))
    assert.equal((await done(scim('GET', `/Groups/${group.id}`))).members, undefined)
    assert.equal((await scim('DELETE', `/Groups/${group.id}`)).status, 204)
    assert.equal((await scim('GET', `/Groups/${group.id}`)).status, 404)
  })
})

describe('requests of Okta', () => {
  test('a person is made, replaced, suspended and brought back', async () => {
    assert.equal(
      (await done(scim('GET', '/Users?filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100')))
        .totalResults,
      0,
    )
    const body = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'test.user@okta.local',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    }
    const { id } = await done(scim('POST', '/Users', body), 201)
    assert.equal((await person('test.user@okta.local')).password_configured, false)
    const replaced = await done(
      scim('PUT', `/Users/${id}`, { ...body, id, name: { givenName: 'Another', familyName: 'User' } }),
    )
    assert.equal(replaced.name.givenName, 'Another')
    assert.equal((await done(patch(`/Users/${id}`, { op: 'replace', value: { active: false } }))).active, false)
    assert.equal((await done(patch(`/Users/${id}`, { op: 'replace', value: { active: true } }))).active, true)
    assert.equal(
      (await scim('POST', '/Users', { ...body, userName: 'TEST.user@okta.local' })).body.scimType,
      'uniqueness',
    )
  })

  test('a group is renamed without a path, and members are replaced', async () => {
    const [a, b] = [await makeUser('a.okta@example.com'), await makeUser('b.okta@example.com')]
    const group = await makeGroup('Okta group', [a.id])
    const renamed = await done(
      patch(`/Groups/${group.id}`, { op: 'replace', value: { id: group.id, displayName: 'Okta renamed' } }),
    )
    assert.equal(renamed.displayName, 'Okta renamed')
    const replaced = await done(
      patch(`/Groups/${group.id}`, { op: 'replace', path: 'members', value: [{ value: b.id, display: 'b' }] }),
    )
    assert.deepEqual(
      replaced.members.map((it: { value: string }) => it.value),
      [b.id],
    )
    const put = await done(
      scim('PUT', `/Groups/${group.id}`, { displayName: 'Okta renamed', members: [{ value: a.id }] }),
    )
    assert.deepEqual(
      put.members.map((it: { value: string }) => it.value),
      [a.id],
    )
    const unknown = await patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: 'nobody' }] })
    assert.deepEqual([unknown.status, unknown.body.scimType], [400, 'invalidValue'])
  })
})

describe('lists', () => {
  before(async () => {
    for (const name of ['list-a', "list-b'; --", 'list-c%']) {
      const emails = [{ value: `${name.slice(0, 6)}@lists.example`, type: 'work', primary: true }]
      await makeUser(name, {
        emails,
        externalId: `X-${name}`,
        displayName: `List ${name}`,
        name: { familyName: 'Ünal' },
      })
    }
  })

  const cases: [filter: string, names: string[]][] = [
    ['userName eq "LIST-A"', ['list-a']],
    ['externalId eq "X-list-a"', ['list-a']],
    ['externalId eq "x-list-a"', []],
    ['emails.value eq "list-a@lists.example"', ['list-a']],
    ['emails[type eq "work" and value co "list-b@"]', ["list-b'; --"]],
    ['emails co "lists.example" and not (userName sw "list-a")', ["list-b'; --", 'list-c%']],
    ['userName ew "%"', ['list-c%']],
    ['userName sw "list-%"', []],
    ['userName co "\'; --"', ["list-b'; --"]],
    ['name.familyName eq "Ünal" and userName gt "list-b"', ["list-b'; --", 'list-c%']],
    ['userName sw "list-" and active eq true and id pr', ['list-a', "list-b'; --", 'list-c%']],
    ['userName sw "list-" and active eq false', []],
    ['userName sw "list-" and meta.created gt "2020-01-01T00:00:00Z" and title eq "x"', ['refused']],
    ["userName eq \"x\" or '1'='1'", ['refused']],
    ['active gt true', ['refused']],
    ['__proto__ pr', ['refused']],
    ['constructor.name eq "Object"', ['refused']],
    [`${'('.repeat(200)}id pr`, ['refused']],
    [`userName eq "${'x'.repeat(2_000)}"`, ['refused']],
  ]
  for (const [filter, names] of cases)
    test(filter.slice(0, 80), async () => {
      if (names[0] !== 'refused') return assert.deepEqual((await namesBy(filter)).sort(), names.sort())
      const { status, body } = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)
      assert.deepEqual([status, body.scimType], [400, 'invalidFilter'])
    })

  test('pages begin with 1 and say how many there are', async () => {
    const all = await done(scim('GET', '/Users?startIndex=0'))
    assert.equal(all.startIndex, 1)
    const page = await done(scim('GET', '/Users?startIndex=2&count=2&attributes=userName'))
    assert.deepEqual([page.totalResults, page.startIndex, page.itemsPerPage], [all.totalResults, 2, 2])
    assert.deepEqual(page.Resources[0].userName, all.Resources[1].userName)
    assert.deepEqual(Object.keys(page.Resources[0]), ['schemas', 'id', 'userName'])
    const none = await done(scim('GET', '/Users?count=-1'))
    assert.deepEqual([none.totalResults, none.itemsPerPage], [all.totalResults, 0])
  })

  test('POST /.search lists users and groups', async () => {
    const filter = 'externalId eq "X-list-a"'
    assert.equal((await done(scim('POST', '/.search', { filter }))).totalResults, 1)
    assert.equal((await done(scim('POST', '/Users/.search', { filter, attributes: ['userName'] }))).totalResults, 1)
    assert.equal((await scim('POST', '/.search', { filter: 'shoe pr' })).body.scimType, 'invalidFilter')
  })

  test('other media types, broken bodies and unknown paths are refused in the shape of SCIM', async () => {
    const headers = { 'content-type': 'text/plain' }
    assert.equal((await ask('POST', `${BASE}/Users`, { key: token, bytes: '{}', headers })).status, 415)
    assert.equal(
      (await ask('POST', `${BASE}/Users`, { key: token, bytes: '{"userName":' })).body.scimType,
      'invalidSyntax',
    )
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
    assert.equal((await ask('POST', `${BASE}/Users`, { key: token, bytes: deep })).status, 400)
    assert.equal((await scim('POST', '/Users', { userName: 'no-address' })).body.scimType, 'invalidValue')
    assert.equal((await scim('GET', '/Shoes')).status, 404)
    assert.equal((await scim('POST', '/Bulk', {})).status, 404)
    assert.equal((await scim('PATCH', '/ServiceProviderConfig', {})).status, 405)
  })
})

describe('access', () => {
  test('a group of the directory opens documents, and only the directory changes it', async () => {
    const user = await makeUser('reader@example.com')
    const group = await makeGroup('Readers of SCIM', [user.id])
    const key = await makeKey({ role: 'basic', name: 'reader', user_email: 'reader@example.com' })
    const external_access = { is_public: false, external_user_emails: [], external_user_group_ids: ['Readers of SCIM'] }
    const { document_id } = await push({
      ...{
        id: 'scim-doc',
        semantic_identifier: 'A note',
        sections: [{ text: 'zebracanary' }],
        source: 'web',
        metadata: {},
      },
      external_access,
    })
    assert.deepEqual(await found('zebracanary', key), [document_id])
    const other = await ask('DELETE', `/manage/admin/user-group/${group.id}`)
    assert.equal(other.body.error_code, 'GROUP_MANAGED_ELSEWHERE')
    await done(patch(`/Groups/${group.id}`, { op: 'remove', path: `members[value eq "${user.id}"]` }))
    assert.deepEqual(await found('zebracanary', key), [])
    await done(patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: user.id }] }))
    await done(patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: false }))
    assert.equal((await ask('GET', '/me', { key })).status, 401)
    await ok('PATCH', '/manage/admin/activate-user', { body: { user_email: 'reader@example.com' } })
    await ok('PATCH', '/manage/admin/deactivate-user', { body: { user_email: 'reader@example.com' } })
    const wanted = await done(patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: true }))
    assert.equal(wanted.active, false, 'an administrator suspended the person')
  })

  test('the directory takes over neither groups, administrators, nor people with unverified passwords', async () => {
    const group = { name: 'By hand', user_ids: [], cc_pair_ids: [] }
    await ok('POST', '/manage/admin/user-group', { body: group })
    for (const displayName of ['By hand', 'Admin'])
      assert.equal((await scim('POST', '/Groups', { displayName })).body.scimType, 'uniqueness')
    for (const [email, role, hash] of [
      ['boss@example.com', 'admin', 'null'],
      ['squatter@example.com', 'basic', "'x'"],
      ['known@example.com', 'basic', 'null'],
    ])
      await alterRecord(
        `insert into person (id, email, email_key, role, is_active, is_verified, password_hash, time_created, time_updated) values ('id-${email}', '${email}', '${email}', '${role}', 1, ${role === 'admin' ? 1 : 0}, ${hash}, 1, 1)`,
      )
    for (const userName of ['BOSS@example.com', 'squatter@example.com'])
      assert.deepEqual((await scim('POST', '/Users', { userName })).body.scimType, 'uniqueness')
    assert.equal((await makeUser('Known@example.com')).id, 'id-known@example.com')
  })

  test('an administrator is linked by an administrator, and keeps role, address and the last way in', async () => {
    await ok('POST', '/admin/scim/link', { body: { user_email: 'boss@example.com' } })
    const [id] = (await search('Users', 'userName eq "boss@example.com"')).Resources.map((it: { id: string }) => it.id)
    const moved = await patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'thief@example.com' })
    assert.equal(moved.status, 403)
    await done(patch(`/Users/${id}`, { op: 'replace', value: { displayName: 'Boss', roles: [{ value: 'basic' }] } }))
    assert.equal((await person('boss@example.com')).role, 'admin')
    for (const answer of [
      await patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
      await scim('DELETE', `/Users/${id}`),
    ])
      assert.match(answer.body.detail, /administrator/)
    assert.equal((await person('boss@example.com')).is_active, true)
  })

  test('changes are audited with the token and without addresses', async () => {
    const entries = await ok('GET', '/admin/audit?action=person.scim_create')
    assert.match(entries[0].actor_id, /^scim-token-/)
    assert.match(entries[0].object_id, /^person-/)
    // The address is not in the entry: it goes with the person.
    const stored = entries.map((it: object) => ({ ...it, object_email: null }))
    assert.ok(!JSON.stringify(stored).includes('@example.com'))
  })
})

test('a group with 10,000 members', async () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `many-${at}`)
  const people = ids.map((it) => `('${it}', '${it}@m.example', '${it}@m.example', 'basic', 1, 1, 1, 1)`)
  await alterRecord(
    `insert into person (id, email, email_key, role, is_active, is_verified, time_created, time_updated) values ${people.join(',')}`,
  )
  const users = ids.map((it) => `('${it}', '${it}', '${it}', 0, 1, 1)`)
  await alterRecord(
    `insert into scim_user (person_id, user_name, user_name_key, made_person, time_created, time_updated) values ${users.join(',')}`,
  )
  const group = await makeGroup('Everybody', ids)
  assert.equal(group.members.length, 10_000)
  await done(patch(`/Groups/${group.id}`, { op: 'remove', path: 'members[value eq "many-5"]' }))
  assert.equal((await done(scim('GET', `/Groups/${group.id}`))).members.length, 9_999)
  await done(patch(`/Groups/${group.id}`, { op: 'replace', path: 'members', value: [{ value: 'many-5' }] }))
  assert.equal((await scim('DELETE', `/Groups/${group.id}`)).status, 204)
})

test('wrong tokens are slowed down; the right one is not', async () => {
  const statuses = new Set<number>()
  for (let at = 0; at < 40; at++) statuses.add((await ask('GET', `${BASE}/Users`, { key: `pharos_scim_${at}` })).status)
  assert.deepEqual([...statuses].sort(), [401, 429])
  assert.equal((await scim('GET', '/Users?count=0')).status, 200)
})

test('a new token ends the old one, and without a token nothing opens SCIM', async () => {
  const created = await ask('POST', '/admin/enterprise-settings/scim/token', { body: { name: 'second' } })
  assert.ok([401, 429].includes((await scim('GET', '/Users')).status))
  token = created.body.raw_token
  assert.equal((await scim('GET', '/Users')).status, 200)
  await ok('DELETE', '/admin/enterprise-settings/scim/token')
  assert.ok([401, 429].includes((await scim('GET', '/Users')).status))
  assert.equal((await ask('GET', '/admin/enterprise-settings/scim/token')).body.error_code, 'SCIM_NO_TOKEN')
})
