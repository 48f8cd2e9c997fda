// People whom a trusted proxy signs in. src/api/admission/proxy-identity.test.ts has the headers of other addresses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Question } from './request.ts'
import { start } from './setup.ts'

const headerSettings = {
  SIGN_IN_HEADER_EMAIL: 'X-Forwarded-Email',
  SIGN_IN_HEADER_NAME: 'X-Forwarded-Name',
  SIGN_IN_HEADER_GROUPS: 'X-Forwarded-Groups',
  SIGN_IN_HEADER_DOMAINS: 'example.com',
}
const { ask, ok, push, makeKey, makePair } = await start({ ...headerSettings, TRUSTED_PROXIES: '127.0.0.1' })
const stranger = await start({ ...headerSettings, TRUSTED_PROXIES: '192.0.2.1' })

const ada = 'ada@example.com'
const proxied = (email: string, more: Record<string, string> = {}): Question => ({
  key: null,
  headers: { 'x-forwarded-email': email, ...more },
})
const inGroups = (email: string, groups: string) => proxied(email, { 'x-forwarded-groups': groups })
const groupsOf = async (email: string): Promise<string[]> => {
  const groups: { name: string; users: { email: string }[] }[] = await ok('GET', '/manage/admin/user-group')
  return groups.filter((it) => it.users.some((user) => user.email === email)).map((it) => it.name)
}
const actsOf = async (action: string): Promise<{ actor_email: string; outcome: string }[]> => {
  const entries = await ok('GET', `/admin/audit?action=${action}&limit=100`)
  return entries.items ?? entries
}

test('a person of an allowed domain is created with the role basic, once', async () => {
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => ask('GET', '/me', proxied(ada, { 'x-forwarded-name': 'Ada' }))),
  )
  assert.deepEqual([...new Set(replies.map((it) => it.status))], [200])
  assert.deepEqual(new Set(replies.map((it) => it.body.id)).size, 1)
  const { email, role } = replies[0]!.body
  assert.deepEqual([email, role], [ada, 'basic'])
  assert.equal((await ask('GET', '/admin/api-key', proxied(ada))).status, 403)
  for (const action of ['person.create', 'session.create']) {
    assert.equal((await actsOf(action)).filter((it) => it.actor_email === ada).length >= 1, true, action)
  }
  assert.equal((await actsOf('person.create')).length, 1)
  assert.equal((await ask('GET', '/me', proxied('ADA@Example.com'))).body.id, replies[0]!.body.id)
})

test('a request without a person is not signed in, and no cookie is set', async () => {
  assert.equal((await ask('GET', '/me', { key: null })).status, 401)
  assert.equal((await ask('GET', '/me', proxied(ada))).headers['set-cookie'], undefined)
})

test('the headers of another address name nobody', async () => {
  const forged = { 'x-forwarded-for': '192.0.2.1', 'x-real-ip': '192.0.2.1' }
  for (const headers of [{}, forged]) {
    assert.equal((await stranger.ask('GET', '/me', proxied(ada, headers))).body.error_code, 'UNAUTHENTICATED')
  }
  assert.equal((await stranger.ask('GET', '/me', { headers: { 'x-forwarded-email': ada } })).body.role, 'admin')
  assert.equal((await stranger.ok('GET', '/manage/users/accepted')).total_items, 0)
})

for (const email of ['eve@other.example', 'eve@sub.example.com', 'eve@example.com.evil.example']) {
  test(`nobody is created for ${email}`, async () => {
    const reply = await ask('GET', '/me', proxied(email))
    assert.deepEqual([reply.status, reply.body.error_code], [403, 'HEADER_SIGN_IN_REFUSED'])
  })
}

test('malformed headers are refused', async () => {
  for (const email of ['ada', 'ada@example.com, eve@example.com', `${'a'.repeat(400)}@example.com`]) {
    assert.equal((await ask('GET', '/me', proxied(email))).status, 400, email.slice(0, 40))
  }
  assert.equal((await ask('GET', '/health', proxied('ada'))).status, 200)
})

test('a suspended person is refused at the next request, and let in again when active', async () => {
  const bob = 'bob@example.com'
  await ask('GET', '/me', proxied(bob))
  await ok('PATCH', '/manage/admin/deactivate-user', { body: { user_email: bob } })
  assert.equal((await ask('GET', '/me', proxied(bob))).body.error_code, 'HEADER_SIGN_IN_REFUSED')
  await ok('PATCH', '/manage/admin/activate-user', { body: { user_email: bob } })
  assert.equal((await ask('GET', '/me', proxied(bob))).status, 200)
})

test('the groups of the proxy decide what the person reads, from one request to the next', async () => {
  const name = 'carol@example.com'
  await ask('GET', '/me', inGroups(name, 'payroll'))
  const pair = await makePair('salaries', { name: 'salaries', access_type: 'private', groups: [] })
  const access = { is_public: false, external_user_emails: [], external_user_group_ids: ['payroll'] }
  await push(
    {
      ...{ id: 'salary-list', semantic_identifier: 'Salaries', sections: [{ text: 'xylophone wages' }] },
      ...{ source: 'web', metadata: {}, external_access: access },
    },
    { cc_pair_id: pair },
  )
  const found = async (groups: string) => {
    const reply = await ask('POST', '/search', { ...inGroups(name, groups), body: { query: 'xylophone' } })
    assert.equal(reply.status, 200)
    return reply.body.results.length
  }
  assert.deepEqual([await found('payroll,staff'), await groupsOf(name)], [1, ['payroll', 'staff']])
  assert.deepEqual([await found('staff'), await groupsOf(name)], [0, ['staff']])
  assert.deepEqual([await found(''), await groupsOf(name)], [0, []])
})

test('a proxy joins neither a group that administrators made nor a default group, and its own are closed to them', async () => {
  const dave = 'dave@example.com'
  await ok('POST', '/manage/admin/user-group', { body: { name: 'board', user_ids: [] } })
  await ask('GET', '/me', inGroups(dave, 'board,Admin,Basic,drivers'))
  assert.deepEqual(await groupsOf(dave), ['drivers'])
  assert.equal((await ask('GET', '/me', inGroups(dave, 'drivers'))).body.role, 'basic')
  const groups = await ok('GET', '/manage/admin/user-group')
  const { id, origin } = groups.find((it: { name: string }) => it.name === 'drivers')
  assert.equal(origin, 'header')
  const reply = await ask('DELETE', `/manage/admin/user-group/${id}`)
  assert.equal(reply.body.error_code, 'GROUP_MANAGED_ELSEWHERE')
})

test('pages of other sites cannot write with the identity that a proxy adds', async () => {
  const write = (headers: Record<string, string>) =>
    ask('POST', '/search', { ...proxied(ada, headers), body: { query: 'x' } })
  const own = { 'sec-fetch-site': 'same-origin', 'x-requested-with': 'pharos' }
  assert.equal((await write(own)).status, 200)
  assert.equal((await write({ 'sec-fetch-site': 'same-origin' })).body.error_code, 'CSRF_FAILURE')
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, { origin: 'null' }]) {
    assert.equal((await write({ ...headers, 'x-requested-with': 'pharos' })).status, 401)
  }
  assert.equal(
    (await write({ referer: 'https://evil.example/', 'x-requested-with': 'x' })).body.error_code,
    'CSRF_FAILURE',
  )
})

test('a key decides before the proxy, and the proxy before a cookie', async () => {
  const limited = await makeKey({ role: 'limited' })
  assert.equal((await ask('GET', '/me', { key: limited, headers: { 'x-forwarded-email': ada } })).body.role, 'limited')
  const wrong = await ask('GET', '/me', { key: 'wrong', headers: { 'x-forwarded-email': ada } })
  assert.equal(wrong.status, 401)
  const key = await makeKey({ role: 'admin' })
  const signedIn = await ask('POST', '/auth/session', { key: null, body: { api_key: key } })
  const cookie = String(signedIn.headers['set-cookie']).split(';', 1)[0]!
  assert.equal((await ask('GET', '/me', { key: null, headers: { cookie } })).body.role, 'admin')
  assert.equal((await ask('GET', '/me', proxied(ada, { cookie }))).body.email, ada)
  assert.equal((await ask('GET', '/me', proxied('eve@other.example', { cookie }))).status, 403)
})

test('each request has the person that its own header names', async () => {
  const people = ['erin@example.com', 'frank@example.com', 'grace@example.com']
  const asked = Array.from({ length: 30 }, (_, at) => people[at % people.length]!)
  const replies = await Promise.all(asked.map((it) => ask('GET', '/me', proxied(it))))
  assert.deepEqual(
    replies.map((it) => it.body.email),
    asked,
  )
})

test('signing out ends no sign-in of the proxy: the next request is signed in', async () => {
  assert.equal((await ask('POST', '/auth/logout', proxied(ada))).status, 204)
  assert.equal((await ask('GET', '/me', proxied(ada))).status, 200)
})

test('a person who exists signs in whatever the domain, and keeps the role', async () => {
  await ok('PUT', '/manage/admin/users', { body: { emails: ['boss@other.example'] } })
  assert.equal((await ask('GET', '/me', proxied('boss@other.example'))).status, 403, 'an invitation is no person yet')
  await makeKey({ role: 'admin', user_email: 'boss@other.example' })
  await ok('PATCH', '/manage/set-user-role', { body: { user_email: 'boss@other.example', new_role: 'curator' } })
  const { email, role } = (await ask('GET', '/me', inGroups('boss@other.example', 'admin'))).body
  assert.deepEqual([email, role], ['boss@other.example', 'curator'])
})

test('a person whom a key named is verified by the proxy', async () => {
  const email = 'heidi@other.example'
  await makeKey({ role: 'basic', user_email: email })
  const isVerified = async () => (await ok('GET', `/manage/users/accepted?q=${email}`)).items[0].is_verified
  assert.equal(await isVerified(), false)
  assert.equal((await ask('GET', '/me', proxied(email))).status, 200)
  assert.equal(await isVerified(), true)
})

test('a curator who leaves the group of the proxy is no curator any more', async () => {
  const ivan = 'ivan@example.com'
  const { id } = (await ask('GET', '/me', inGroups(ivan, 'porters'))).body
  const groups: { id: number; name: string }[] = await ok('GET', '/manage/admin/user-group')
  const porters = groups.find((it) => it.name === 'porters')!.id
  await ok('POST', `/manage/admin/user-group/${porters}/set-curator`, { body: { user_id: id, is_curator: true } })
  assert.equal((await ask('GET', '/me', inGroups(ivan, 'porters'))).body.role, 'curator')
  assert.equal((await ask('GET', '/me', inGroups(ivan, 'drivers'))).body.role, 'basic')
})

test('a refused sign-in is audited with its reason, without the address', async () => {
  assert.equal((await ask('GET', '/me', proxied('eve@other.example'))).status, 403)
  const entries: { object_id: string; error_code: string; fields: string[] }[] = await ok(
    'GET',
    '/admin/audit?action=session.create&outcome=refused',
  )
  const entry = entries.find((it) => it.fields[0] === 'no_account')
  assert.deepEqual([entry?.object_id, entry?.error_code], ['header', 'HEADER_SIGN_IN_REFUSED'])
  assert.doesNotMatch(JSON.stringify(entry), /eve@/)
})
