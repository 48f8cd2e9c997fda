// People sign in with the password of a real LDAP server, through the whole program.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { start } from '../api/setup.ts'
import { needs } from '../needs.ts'
import { ownFolder } from './server-process.ts'
import { BASE, makeCertificate, ROOT, ROOT_PASSWORD, startSlapd } from './start-slapd.ts'

const need = needs('slapd')
if (need.skip !== undefined) test('sign-in with LDAP', need, () => {})
else await register()

async function register(): Promise<void> {
  const directory = await startSlapd()
  const { ask, ok, makeKey } = await start({ EGRESS_ALLOW: '127.0.0.1' })
  const PEOPLE = `ou=people,${BASE}`
  directory.change(
    `dn: ${PEOPLE}\nobjectClass: organizationalUnit\n\ndn: ou=groups,${BASE}\nobjectClass: organizationalUnit\n`,
  )
  const addPerson = (uid: string, more = '', rdn = `uid=${uid}`) =>
    directory.change(
      `dn: ${rdn},${PEOPLE}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: Name of ${uid}\nsn: X\nmail: ${uid}@example.org\nuserPassword: right of ${uid}\n${more}`,
    )
  const addGroup = (name: string, ...uids: string[]) =>
    directory.change(
      `dn: cn=${name},ou=groups,${BASE}\nobjectClass: groupOfNames\n${uids.map((it) => `member: uid=${it},${PEOPLE}\n`).join('')}`,
    )
  for (const it of ['ann', 'bob', 'carl', 'dora']) addPerson(it)
  addPerson('twin', '', 'cn=first twin')
  addPerson('twin', '', 'cn=second twin')
  addGroup('sales', 'ann', 'bob')
  addGroup('board', 'ann')
  // A part of the tree that another server holds. It counts who asks.
  let asked = 0
  const elsewhere = createServer((socket) => {
    asked++
    socket.destroy()
  })
  elsewhere.listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  after(() => elsewhere.close())
  const { port } = elsewhere.address() as AddressInfo
  directory.change(
    `dn: ou=elsewhere,${PEOPLE}\nobjectClass: referral\nobjectClass: extensibleObject\nou: elsewhere\nref: ldap://127.0.0.1:${port}/ou=elsewhere,${PEOPLE}\n`,
  )

  const search = {
    ...{ bind_dn: ROOT, bind_password: ROOT_PASSWORD, base_dn: BASE },
    filter: '(&(objectClass=inetOrgPerson)(uid={username}))',
  }
  const groups = { base_dn: BASE, filter: '(&(objectClass=groupOfNames)(member={dn}))' }
  const secure = { url: directory.secureUrl, ca: directory.ca }
  const makeProvider = async (slug: string, ldap: object, { policy = {}, is_enabled = true } = {}) => {
    const body = { slug, name: `Provider ${slug}`, is_enabled, ldap, policy: { trusts_emails: true, ...policy } }
    return (await ok('POST', '/admin/sign-in/providers', { body })).id as number
  }
  const signIn = async (provider: string, username: string, password = `right of ${username}`) => {
    const headers = { 'x-requested-with': 'test' }
    const reply = await ask('POST', '/auth/ldap/login', { key: null, headers, body: { provider, username, password } })
    const cookie = [reply.headers['set-cookie']]
      .flat()
      .map((it) => String(it).split(';', 1)[0])
      .join('; ')
    const code = reply.body?.error_code ?? reply.status
    if (code !== 204) return { reply, code }
    return { reply, code, cookie, me: (await ask('GET', '/me', { key: null, headers: { cookie } })).body }
  }
  await makeProvider('main', { ...secure, search, groups })

  test('a person signs in, and gets the groups of the directory at each sign-in', async () => {
    const { me } = await signIn('main', 'ann')
    assert.deepEqual([me.email, me.groups, me.role], ['ann@example.org', ['board', 'sales'], 'basic'])
    directory.change(`dn: cn=board,ou=groups,${BASE}\nchangetype: delete\n`)
    const again = await signIn('main', 'ann')
    assert.deepEqual([again.me.id, again.me.groups], [me.id, ['sales']])
    const [session] = await ok('GET', `/manage/admin/users/${me.id}/sessions`)
    assert.equal(session.method, 'ldap')
    const [entry] = await ok('GET', '/admin/audit?action=session.create')
    assert.deepEqual([entry.actor_email, entry.object_id, entry.outcome], ['ann@example.org', 'main', 'success'])
  })

  test('StartTLS and a template for names work, and a wrong certificate or none does not', async () => {
    const dn_template = `uid={username},${PEOPLE}`
    await makeProvider('template', { url: directory.url, ca: directory.ca, dn_template })
    assert.equal((await signIn('template', 'bob')).me.email, 'bob@example.org')
    const other = join(ownFolder('certificate'), 'other.pem')
    makeCertificate(other, `${other}.key`)
    await makeProvider('wrong-ca', { url: directory.url, ca: readFileSync(other, 'utf8'), dn_template })
    await makeProvider('no-ca', { url: directory.secureUrl, dn_template })
    for (const slug of ['wrong-ca', 'no-ca']) assert.equal((await signIn(slug, 'bob')).code, 'SIGN_IN_PROVIDER_DOWN')
    const body = { slug: 'plain', name: 'x', ldap: { url: 'ldap://dir.example.org', start_tls: false, dn_template } }
    assert.equal((await ask('POST', '/admin/sign-in/providers', { body })).body.error_code, 'INVALID_INPUT')
  })

  test('unknown people, wrong passwords, two entries and injected texts get one answer', async () => {
    const wrong = await signIn('main', 'ann', 'wrong')
    assert.deepEqual([wrong.reply.status, wrong.code], [400, 'LOGIN_BAD_CREDENTIALS'])
    const [entry] = await ok('GET', '/admin/audit?action=session.create&outcome=refused')
    assert.equal(entry.object_id, 'main')
    const injected = [
      '*',
      'a*',
      'carl)(uid=*',
      '*)(|(uid=*',
      'carl\\',
      'carl,ou=people',
      'x)(|(objectClass=*)',
      '{dn}',
      '"carl"',
    ]
    // Both entries have this password.
    const tries = [['twin', 'right of twin'], ...['nobody', 'twin', ...injected].map((it) => [it, 'right of carl'])]
    for (const [name = '', password] of tries) {
      const { reply } = await signIn('main', name, password)
      const { request_id: _, ...body } = reply.body
      const { request_id: __, ...expected } = wrong.reply.body
      assert.deepEqual([name, body], [name, expected])
    }
  })

  test('injected texts reach no other entry through a template', async () => {
    await makeProvider('names', { ...secure, dn_template: `uid={username},${PEOPLE}` })
    for (const name of ['carl+cn=x', `carl,${PEOPLE}#`, 'elsewhere', '#6361726c', '"carl', 'carl\\00'])
      assert.equal((await signIn('names', name, 'right of carl')).code, 'LOGIN_BAD_CREDENTIALS', name)
    assert.equal((await signIn('names', ' carl ', 'right of carl')).me.email, 'carl@example.org')
  })

  test('no referral is followed: neither in a search nor in a sign-in', async () => {
    assert.equal((await signIn('main', 'ann')).me.email, 'ann@example.org')
    await makeProvider('referred', { ...secure, dn_template: `uid={username},ou=elsewhere,${PEOPLE}` })
    await makeProvider('search-there', { ...secure, search: { ...search, base_dn: `ou=elsewhere,${PEOPLE}` } })
    for (const slug of ['referred', 'search-there']) {
      const { reply, code } = await signIn(slug, 'ann')
      assert.notEqual(code, 204, slug)
      assert.equal(reply.headers['set-cookie'], undefined)
      assert.doesNotMatch(reply.text, /ou=elsewhere|127\.0\.0\.1/)
    }
    assert.equal(asked, 0)
  })

  test('an empty password is refused before the server is asked', async () => {
    assert.equal((await signIn('main', 'ann', '')).reply.status, 422)
  })

  test('after some failures the name has to wait, however it is written', async () => {
    const spellings = ['dora', 'DORA', ' dora ', 'do\u00adra', 'dora\u200b', 'dora']
    for (const it of spellings) assert.equal((await signIn('main', it, 'wrong')).code, 'LOGIN_BAD_CREDENTIALS')
    assert.equal((await signIn('main', 'Dora', 'right of dora')).code, 'TOO_MANY_ATTEMPTS')
  })

  test('an address finds a person who exists only if the directory vouches for it', async () => {
    addPerson('eve')
    await makeKey({ role: 'basic', user_email: 'eve@example.org' })
    const refused = await signIn('main', 'eve')
    assert.deepEqual([refused.code, refused.reply.status], ['SIGN_IN_REFUSED', 403])
    await makeProvider('vouching', { ...secure, search, vouches_for_emails: true })
    assert.equal((await signIn('vouching', 'eve')).me.email, 'eve@example.org')
  })

  test('a suspended person is refused, and domains are checked', async () => {
    addPerson('fay')
    const { me, cookie } = await signIn('main', 'fay')
    await ok('PATCH', '/manage/admin/deactivate-user', { body: { user_email: me.email } })
    assert.equal((await ask('GET', '/me', { key: null, headers: { cookie: cookie ?? '' } })).status, 401)
    const refused = await signIn('main', 'fay')
    assert.deepEqual([refused.code, refused.reply.body.detail], ['SIGN_IN_REFUSED', 'This account is suspended.'])
    await makeProvider(
      'domain',
      { ...secure, search, vouches_for_emails: true },
      { policy: { allowed_domains: ['corp.example'] } },
    )
    assert.equal((await signIn('domain', 'bob')).code, 'SIGN_IN_REFUSED')
  })

  test('a test tells what a sign-in would do, and changes nothing', async () => {
    addPerson('gil')
    addGroup('testers', 'gil')
    const id = await makeProvider(
      'tested',
      { ...secure, search, groups },
      { is_enabled: false, policy: { group_prefix: 't/' } },
    )
    assert.equal((await signIn('tested', 'gil')).code, 'SIGN_IN_PROVIDER_UNKNOWN')
    const path = `/admin/sign-in/providers/${id}/ldap-test`
    const verdict = await ok('POST', path, { body: { username: 'gil', password: 'right of gil' } })
    assert.deepEqual([verdict.failure, verdict.change, verdict.groups], [null, 'created', ['t/testers']])
    assert.deepEqual(verdict.claims.mail, ['gil@example.org'])
    assert.deepEqual((await ok('GET', '/manage/users/accepted?q=gil')).items, [])
    const wrong = await ok('POST', path, { body: { username: 'gil', password: 'wrong' } })
    assert.deepEqual([wrong.failure, wrong.person], ['provider_refused', null])
  })

  test('a check says whether the server, the account and the places are right', async () => {
    const body = {
      slug: 'kiosk',
      name: 'x',
      oidc: { issuer: 'https://id.example.org', client_id: 'x', client_secret: 'x' },
    }
    const oidc = await ok('POST', '/admin/sign-in/providers', { body })
    const id = await makeProvider('checked', { ...secure, search, groups })
    const path = `/admin/sign-in/providers/${id}`
    const check = async (ldap: object) => {
      await ok('PATCH', path, { body: { ldap } })
      return ask('POST', `${path}/check`)
    }
    const good = await check({ ...secure, search, groups })
    const seen = { is_encrypted: true, bound_as: ROOT, sees_people: true, sees_groups: true }
    assert.deepEqual(good.body, { oidc: null, ldap: seen, saml: null })
    const nowhere = `ou=nowhere,${BASE}`
    const lost = { ...secure, search: { ...search, base_dn: nowhere }, groups: { ...groups, base_dn: nowhere } }
    assert.deepEqual((await check(lost)).body.ldap, { ...seen, sees_people: false, sees_groups: false })
    const template = { url: directory.url, ca: directory.ca, dn_template: `uid={username},${PEOPLE}` }
    const nothing = { is_encrypted: true, bound_as: null, sees_people: null, sees_groups: null }
    assert.deepEqual((await check(template)).body.ldap, nothing)
    const wrong = await check({ ...secure, search: { ...search, bind_password: 'wrong' } })
    assert.equal(wrong.body.error_code, 'SIGN_IN_PROVIDER_FAILED')
    assert.match(wrong.body.detail, /refuses the account that searches/)
    assert.doesNotMatch(wrong.body.detail, /wrong/)
    const began = await ask('POST', `${path}/test`)
    assert.deepEqual([began.status, began.body.error_code], [400, 'INVALID_INPUT'])
    assert.match(began.body.detail, new RegExp(`${RegExp.escape(path)}/ldap-test`))
    const login = { username: 'ann', password: 'x' }
    const other = await ask('POST', `/admin/sign-in/providers/${oidc.id}/ldap-test`, { body: login })
    assert.deepEqual([other.status, other.body.error_code], [400, 'INVALID_INPUT'])
  })

  test('the password of the search account is never shown and goes to no other server', async () => {
    addPerson('hal')
    const id = await makeProvider('secret', { ...secure, search })
    const path = `/admin/sign-in/providers/${id}`
    const shown = await ok('GET', path)
    assert.equal(JSON.stringify(shown).includes('quotes'), false)
    assert.equal(shown.ldap.search.has_bind_password, true)
    const { bind_password: _, ...rest } = search
    const moved = await ask('PATCH', path, { body: { ldap: { url: 'ldaps://other.example.org', search: rest } } })
    assert.deepEqual([moved.status, moved.body.error_code], [400, 'INVALID_INPUT'])
    await ok('PATCH', path, { body: { ldap: { ...secure, search: { ...rest, filter: '(cn=Name of {username})' } } } })
    assert.equal((await signIn('secret', 'hal')).code, 204)
    const wrong = { ...search, bind_password: 'wrong' }
    await ok('PATCH', path, { body: { ldap: { ...secure, search: wrong } } })
    assert.equal((await signIn('secret', 'hal')).code, 'SIGN_IN_PROVIDER_DOWN')
  })

  test('while the server is down, sessions go on and the answer says so', async () => {
    addPerson('ivy')
    const { cookie = '' } = await signIn('main', 'ivy')
    await directory.end()
    const { code, reply } = await signIn('main', 'ivy')
    assert.equal(code, 'SIGN_IN_PROVIDER_DOWN')
    assert.match(reply.body.detail, /^The provider Provider main cannot be reached/)
    assert.equal((await ask('GET', '/me', { key: null, headers: { cookie } })).status, 200)
    await directory.restart()
    assert.equal((await signIn('main', 'ivy')).code, 204)
  })
}
