// People sign in with a SAML provider, and administrators set it up.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { makeAuthority } from '../egress/certificate.ts'
import { failureIn } from '../oidc-browser.ts'
import { openSamlBrowser } from '../saml-browser.ts'
import { makeSmallSamlProvider } from '../small-saml-provider.ts'
import { start } from './setup.ts'

const PUBLIC_URL = 'http://pharos.example:8080'
const idp = makeSmallSamlProvider()
const { ask, ok } = await start({ EGRESS_ALLOW: '127.0.0.1', PUBLIC_URL })

let count = 0
const settingsOf = (more: Record<string, unknown> = {}) => ({
  ...{ entity_id: idp.entityId, sso_url: idp.ssoUrl, certificates: [idp.certificate], vouches_for_emails: true },
  ...more,
})
async function makeProvider(
  saml: Record<string, unknown> = {},
  policy: Record<string, unknown> = {},
  is_enabled = true,
) {
  const slug = `p-${count++}`
  const body = {
    ...{ slug, name: `Provider ${slug}`, is_enabled, saml: settingsOf(saml) },
    policy: { groups_claim: 'groups', ...policy },
  }
  const { id } = await ok('POST', '/admin/sign-in/providers', { body })
  return { slug, id: id as number }
}
const accountOf = (name: string, more: Record<string, string | string[]> = {}) => ({
  nameId: `id-${name}`,
  attributes: { email: `${name}@example.com`, name, groups: ['sales', 'board'], ...more },
})
const shared = await makeProvider()
async function signIn(account: ReturnType<typeof accountOf>, { slug } = shared, next = '/') {
  const browser = openSamlBrowser(ask)
  const request = idp.read(await browser.leave(slug, next))
  const reply = await browser.comeBack(slug, idp.answer(request, account), request.relayState)
  return { browser, reply, failure: failureIn(reply) }
}
const whoIs = async (browser: ReturnType<typeof openSamlBrowser>) => (await browser.ask('GET', '/me')).body

test('a person signs in, and gets the groups of the provider', async () => {
  const { browser, reply } = await signIn(accountOf('ann'), shared, '/admin/connectors?x=1')
  assert.equal(reply.headers.location, '/admin/connectors?x=1')
  const me = await whoIs(browser)
  assert.deepEqual([me.email, me.groups, me.role], ['ann@example.com', ['board', 'sales'], 'basic'])
  assert.equal(browser.cookies.has('pharos_sign_in'), false)
  const again = await whoIs((await signIn(accountOf('ann', { groups: 'sales' }))).browser)
  assert.deepEqual([again.id, again.groups], [me.id, ['sales']])
  const [session] = await ok('GET', `/manage/admin/users/${me.id}/sessions`)
  assert.equal(session.method, 'saml')
  const [entry] = await ok('GET', '/admin/audit?action=session.create')
  assert.deepEqual([entry.actor_email, entry.object_id, entry.outcome], ['ann@example.com', shared.slug, 'success'])
})

test('settings that are saved while a provider is switched on are kept', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await makeProvider({}, {}, false)
    const change = (body: Record<string, unknown>) => ok('PATCH', `/admin/sign-in/providers/${id}`, { body })
    await Promise.all([change({ policy: { groups_claim: 'teams' } }), change({ is_enabled: true })])
    const { policy, is_enabled } = await ok('GET', `/admin/sign-in/providers/${id}`)
    assert.deepEqual([policy.groups_claim, is_enabled], ['teams', true])
  }
})

test('the request names this service, and the addresses that the administrator sees', async () => {
  const address = await openSamlBrowser(ask).leave(shared.slug)
  assert.ok(address.startsWith('https://idp.example/sso?tenant=1&'), address)
  const { saml } = await ok('GET', `/admin/sign-in/providers/${shared.id}`)
  const { acsUrl, entityId } = idp.read(address)
  assert.deepEqual([acsUrl, entityId], [saml.acs_url, saml.service_entity_id])
  assert.equal(acsUrl, `${PUBLIC_URL}/auth/saml/${shared.slug}/callback`)
})

test('the metadata names the same addresses, and asks for signed assertions', async () => {
  const { headers, text } = await ask('GET', `/auth/saml/${shared.slug}/metadata`, { key: null })
  assert.match(String(headers['content-type']), /^application\/samlmetadata\+xml/)
  assert.match(text, new RegExp(`entityID="${PUBLIC_URL}/auth/saml/${shared.slug}/metadata"`))
  assert.match(text, new RegExp(`Location="${PUBLIC_URL}/auth/saml/${shared.slug}/callback"`))
  assert.match(text, /WantAssertionsSigned="true"/)
  assert.equal(
    (await ask('GET', '/auth/saml/nobody/metadata', { key: null })).body.error_code,
    'SIGN_IN_PROVIDER_UNKNOWN',
  )
})

test('a signature of the response beside that of the assertion is welcome', async () => {
  const browser = openSamlBrowser(ask)
  const request = idp.read(await browser.leave(shared.slug))
  const xml = idp.signResponse(idp.answer(request, accountOf('both')))
  assert.equal(failureIn(await browser.comeBack(shared.slug, xml, request.relayState)), null)
  assert.equal((await whoIs(browser)).email, 'both@example.com')
})

test('roles follow a mapping, names of attributes may be addresses, and a friendly name works', async () => {
  const EMAIL = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress'
  const policy = { email_claim: EMAIL, roles_claim: 'role', role_mapping: [{ value: 'boss', role: 'global_curator' }] }
  const provider = await makeProvider({}, policy)
  const account = { nameId: 'id-bob', attributes: { [EMAIL]: 'bob@example.com', role: 'boss' } }
  const { browser } = await signIn(account as never, provider)
  assert.equal((await whoIs(browser)).role, 'global_curator')
  const friendly = await makeProvider({}, { email_claim: 'mail' })
  const other = openSamlBrowser(ask)
  const request = idp.read(await other.leave(friendly.slug))
  const xml = idp
    .build(request, { nameId: 'id-oid', attributes: { 'urn:oid:0.9.2342': 'oid@example.com' } })
    .replace('Name="urn:oid:0.9.2342"', 'Name="urn:oid:0.9.2342" FriendlyName="mail"')
  assert.equal(failureIn(await other.comeBack(friendly.slug, idp.signAssertion(xml), request.relayState)), null)
  assert.equal((await whoIs(other)).email, 'oid@example.com')
})

test('an account is an attribute, if the settings say so; a transient NameID is none', async () => {
  const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
  const byAttribute = await makeProvider({ subject_attribute: 'uid' })
  const account = (nameId: string) => ({ ...accountOf('carl', { uid: 'carl-1' }), nameId, format: TRANSIENT })
  const first = await whoIs((await signIn(account('_1'), byAttribute)).browser)
  const second = await whoIs((await signIn(account('_2'), byAttribute)).browser)
  assert.equal(first.id, second.id)
  assert.equal((await signIn(account('_3'))).failure, 'answer_invalid')
  assert.equal((await signIn(accountOf('none', {}), byAttribute)).failure, 'answer_invalid')
  const two = accountOf('two', { uid: ['a', 'b'] })
  assert.equal((await signIn(two, byAttribute)).failure, 'answer_invalid')
})

test('an address finds a person who exists only if the provider vouches for it', async () => {
  await ok('POST', '/admin/api-key', { body: { role: 'admin', user_email: 'boss@example.com' } })
  const open = await makeProvider({ vouches_for_emails: false }, { trusts_emails: true })
  assert.equal((await signIn(accountOf('boss'), open)).failure, 'email_unverified')
  assert.equal((await signIn(accountOf('boss', { email_verified: 'true' }), open)).failure, null)
  const strict = await makeProvider({ vouches_for_emails: false })
  assert.equal((await signIn(accountOf('fresh'), strict)).failure, 'email_unverified')
})

test('1,000 groups are accepted, and more are not', async () => {
  const groups = Array.from({ length: 1_000 }, (_, at) => `CN=Group ${at},OU=groups,OU=staff,DC=example,DC=com`)
  assert.equal((await signIn(accountOf('many', { groups }))).failure, null)
  assert.equal((await signIn(accountOf('more', { groups: [...groups, 'one more'] }))).failure, 'too_many_groups')
})

test('a test shows what a sign-in would do, and why one fails, before the provider is on', async () => {
  const { slug, id } = await makeProvider({}, { group_prefix: 'staff ' }, false)
  const tested = async (change: (xml: string) => string) => {
    const browser = openSamlBrowser(ask)
    const begun = await ask('POST', `/admin/sign-in/providers/${id}/test`)
    browser.keep(begun)
    const request = idp.read(begun.body.authorization_url)
    const reply = await browser.comeBack(slug, change(idp.build(request, accountOf('tess'))), request.relayState)
    assert.equal(reply.headers.location, `/admin/sign-in?tested=${id}`)
    assert.equal((await browser.ask('GET', '/me')).status, 401)
    return ok('GET', `/admin/sign-in/providers/${id}/test`)
  }
  const good = await tested((xml) => idp.signAssertion(xml))
  assert.deepEqual([good.failure, good.change, good.groups], [null, 'created', ['staff board', 'staff sales']])
  assert.equal(good.claims.NameID, 'id-tess')
  const unsigned = await tested((xml) => xml)
  assert.equal(unsigned.failure, 'answer_invalid')
  assert.match(unsigned.detail, /The assertion is not signed/)
  assert.equal(
    (await ask('GET', `/auth/saml/${slug}/authorize`, { key: null })).body.error_code,
    'SIGN_IN_PROVIDER_UNKNOWN',
  )
  const people = await ok('GET', '/manage/users')
  assert.doesNotMatch(JSON.stringify(people), /tess@example\.com/)
})

test('administrators see why the provider refused, and the page does not', async () => {
  const browser = openSamlBrowser(ask)
  const request = idp.read(await browser.leave(shared.slug))
  const status = 'urn:oasis:names:tc:SAML:2.0:status:Requester'
  const xml = idp
    .build(request, accountOf('x'), { status })
    .replace('</samlp:Status>', '<samlp:StatusMessage>Call 0900-EVIL</samlp:StatusMessage></samlp:Status>')
  const reply = await browser.comeBack(shared.slug, xml, request.relayState)
  assert.equal(failureIn(reply), 'provider_refused')
  assert.doesNotMatch(String(reply.headers.location), /EVIL/)
})

test('a sign-in that begins at the provider works where it is allowed', async () => {
  const { slug } = await makeProvider({ allows_idp_initiated: true })
  const addresses = idp.read(await openSamlBrowser(ask).leave(slug))
  const unasked = { ...addresses, id: null }
  const browser = openSamlBrowser(ask)
  const reply = await browser.comeBack(slug, idp.answer(unasked, accountOf('ida')), '/chat?x=1')
  assert.equal(reply.headers.location, '/chat?x=1')
  assert.equal((await whoIs(browser)).email, 'ida@example.com')
})

test('settings that cannot work are refused with their field', async () => {
  const authority = makeAuthority('idp')
  const faults: [Record<string, unknown>, RegExp][] = [
    [{ sso_url: 'http://idp.example/sso' }, /sso_url/],
    [{ sso_url: 'javascript:alert(1)' }, /sso_url/],
    [{ metadata_url: 'https://a:b@idp.example' }, /metadata_url/],
    [{ certificates: ['no certificate'] }, /certificates/],
    [{ certificates: [authority.issue({ name: 'ec' }).cert] }, /RSA keys of at least 2048 bits/],
    [{ certificates: [authority.issue({ name: 'short', rsaBits: 1_024 }).cert] }, /RSA keys of at least 2048 bits/],
  ]
  for (const [change, reason] of faults) {
    const body = { slug: 'faulty', name: 'x', saml: settingsOf(change) }
    const { status, body: answer } = await ask('POST', '/admin/sign-in/providers', { body })
    assert.deepEqual([status, answer.error_code], [400, 'INVALID_INPUT'], JSON.stringify(change))
    assert.match(answer.detail, reason)
  }
  assert.equal((await ask('POST', '/admin/sign-in/providers', { body: { slug: 'a', name: 'b' } })).status, 400)
  const none = { slug: 'none', name: 'x', saml: settingsOf({ certificates: [] }) }
  assert.equal((await ask('POST', '/admin/sign-in/providers', { body: none })).status, 422)
})

test('another entity id needs a confirmation if people are linked, and a new certificate does not', async () => {
  const { slug, id } = await makeProvider()
  const { browser } = await signIn(accountOf('lena'), { slug, id })
  const change = (saml: Record<string, unknown>, more = {}) =>
    ask('PATCH', `/admin/sign-in/providers/${id}`, { body: { saml: settingsOf(saml), ...more } })
  const next = makeSmallSamlProvider()
  const rotated = await change({ certificates: [idp.certificate, next.certificate] })
  assert.equal(rotated.body.saml.certificates.length, 2)
  assert.match(rotated.body.saml.certificates[0].fingerprint, /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  const other = openSamlBrowser(ask)
  const request = next.read(await other.leave(slug))
  const reply = await other.comeBack(slug, next.answer(request, accountOf('lena')), request.relayState)
  assert.equal(failureIn(reply), null)
  assert.equal((await change({ entity_id: 'https://other.example' })).body.error_code, 'PROVIDER_HAS_PEOPLE')
  assert.equal((await change({ name_id_format: 'urn:x' })).body.error_code, 'PROVIDER_HAS_PEOPLE')
  assert.equal((await change({ entity_id: 'https://other.example' }, { forget_accounts: true })).status, 200)
  assert.equal((await browser.ask('GET', '/me')).status, 401)
  assert.equal(
    (
      await ask('PATCH', `/admin/sign-in/providers/${id}`, {
        body: { ldap: null, oidc: { issuer: 'https://x.example', client_id: 'x' } },
      })
    ).status,
    400,
  )
})

const site = createServer((_, response) => response.end(idp.metadata()))
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
after(() => site.close())
const siteAddress = site.address()
const metadata_url = `http://127.0.0.1:${typeof siteAddress === 'object' ? siteAddress?.port : 0}/metadata`

test('metadata gives the settings, as a text and at an address', async () => {
  for (const body of [{ xml: idp.metadata() }, { url: metadata_url }]) {
    const read = await ok('POST', '/admin/sign-in/saml-metadata', { body })
    assert.deepEqual([read.entity_id, read.sso_url], [idp.entityId, idp.ssoUrl])
    assert.equal(read.certificates.length, 1)
    assert.equal(read.wants_signed_requests, false)
    const saml = { ...read, certificates: [read.certificates[0].pem] }
    const { entity_id, sso_url, certificates } = saml
    const made = await makeProvider({ entity_id, sso_url, certificates })
    assert.equal((await signIn(accountOf('meta'), made)).failure === 'answer_invalid', false)
  }
  const wants = idp.metadata({ attributes: ' WantAuthnRequestsSigned="true"' })
  assert.equal((await ok('POST', '/admin/sign-in/saml-metadata', { body: { xml: wants } })).wants_signed_requests, true)
})

test('metadata that cannot be used is refused with the reason', async () => {
  const faults: [string, RegExp][] = [
    ['<a/>', /no metadata/],
    ['not XML', /root element|not well formed/],
    [`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${idp.metadata()}`, /declaration/],
    [idp.metadata().replace('HTTP-Redirect', 'HTTP-Artifact'), /HTTP-Redirect/],
    [idp.metadata().replace('entityID=', 'entity='), /entityID/],
  ]
  for (const [xml, reason] of faults) {
    const { status, body } = await ask('POST', '/admin/sign-in/saml-metadata', { body: { xml } })
    assert.deepEqual([status, body.error_code], [424, 'SIGN_IN_PROVIDER_FAILED'], xml)
    assert.match(body.detail, reason)
  }
  const inside = { url: 'http://169.254.169.254/latest/meta-data' }
  assert.equal(
    (await ask('POST', '/admin/sign-in/saml-metadata', { body: inside })).body.error_code,
    'SIGN_IN_PROVIDER_FAILED',
  )
  assert.equal((await ask('POST', '/admin/sign-in/saml-metadata', { body: {} })).body.error_code, 'INVALID_INPUT')
})

test('a check compares the settings with the metadata at its address', async () => {
  const same = await makeProvider({ metadata_url })
  const checked = await ok('POST', `/admin/sign-in/providers/${same.id}/check`)
  assert.deepEqual([checked.saml.metadata_was_read, checked.saml.certificates.length, checked.oidc], [true, 1, null])
  const next = makeSmallSamlProvider()
  const behind = await makeProvider({ metadata_url, certificates: [next.certificate] })
  const { body } = await ask('POST', `/admin/sign-in/providers/${behind.id}/check`)
  assert.equal(body.error_code, 'SIGN_IN_PROVIDER_FAILED')
  assert.match(body.detail, /certificate that is not in the settings/)
})
