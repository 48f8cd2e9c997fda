// People sign in at LemonLDAP::NG with OpenID Connect, through the whole program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from '../api/setup.ts'
import { needs } from '../needs.ts'
import { failureIn, openOidcBrowser } from '../oidc-browser.ts'
import { makeIssuerKeys, startLemonldap } from './start-lemonldap.ts'
import { openBrowser } from './start-oidc.ts'

const CLIENTS = { pharos: 'secret0of0pharos', special: 'secret of & special' }
const forEachClient = (settingOf: (client: [string, string]) => unknown) =>
  Object.fromEntries(Object.entries(CLIENTS).map((client) => [client[0], settingOf(client)]))

const need = needs('lemonldap')
if (need.skip !== undefined) test('sign-in at LemonLDAP::NG', need, () => {})
else await register()

async function register(): Promise<void> {
  const { server, ask, ok } = await start({ EGRESS_ALLOW: '127.0.0.1' })
  const portal = await startLemonldap((url) => oidcSettings(url, server.url))

  const providerBody = (slug: string, { policy = {}, oidc = {} } = {}) => ({
    ...{ slug, name: 'LemonLDAP::NG', is_enabled: true },
    policy: { groups_claim: 'groups', ...policy },
    oidc: {
      ...{ issuer: portal.url, client_id: 'pharos', client_secret: CLIENTS.pharos },
      ...{ scopes: 'openid email profile', ends_provider_session: true },
      ...oidc,
    },
  })
  const provider = await ok('POST', '/admin/sign-in/providers', { body: providerBody('lemonldap') })

  const signIn = async (login: string, slug = 'lemonldap', atPortal = openBrowser()) => {
    const browser = openOidcBrowser(ask)
    const back = await portal.signIn(await browser.leave(slug, '/chat'), login, atPortal)
    return { browser, reply: await browser.comeBack(back), atPortal }
  }

  test('the check reads what LemonLDAP::NG says about itself', async () => {
    const check = await ok('POST', `/admin/sign-in/providers/${provider.id}/check`)
    assert.deepEqual([check.oidc.issuer, check.oidc.supports_backchannel_logout], [portal.url, false])
  })

  test('a person signs in, and gets the groups that LemonLDAP::NG names', async () => {
    const { browser, reply } = await signIn('dwho')
    assert.equal(reply.headers.location, '/chat')
    const { email, groups, role } = (await browser.ask('GET', '/me')).body
    assert.deepEqual([email, groups, role], ['dwho@badwolf.org', ['timelords', 'users'], 'basic'])
    const other = await signIn('rtyler')
    assert.deepEqual((await other.browser.ask('GET', '/me')).body.groups, ['earthlings', 'users'])
  })

  test('the person stays the same person, and a wrong answer signs nobody in', async () => {
    const first = await signIn('msmith')
    const again = await signIn('msmith')
    const [one, two] = [await first.browser.ask('GET', '/me'), await again.browser.ask('GET', '/me')]
    assert.equal(one.body.id, two.body.id)
    const browser = openOidcBrowser(ask)
    const back = await portal.signIn(await browser.leave('lemonldap', '/'), 'msmith')
    back.searchParams.set('code', 'f'.repeat(64))
    assert.notEqual(failureIn(await browser.comeBack(back)), null)
    assert.equal((await browser.ask('GET', '/me')).status, 401)
  })

  test('a domain that may not sign in is refused', async () => {
    await ok('POST', '/admin/sign-in/providers', {
      body: providerBody('closed', { policy: { allowed_domains: ['example.org'] } }),
    })
    assert.equal(failureIn((await signIn('dwho', 'closed')).reply), 'domain_not_allowed')
  })

  test('a secret with special characters is refused in the header, which the verdict explains, and accepted in the body', async () => {
    const oidc = { client_id: 'special', client_secret: CLIENTS.special }
    const { id } = await ok('POST', '/admin/sign-in/providers', { body: providerBody('special', { oidc }) })
    const begun = await ask('POST', `/admin/sign-in/providers/${id}/test`)
    const browser = openOidcBrowser(ask)
    const [name = '', value = ''] = String(begun.headers['set-cookie']).split(';', 1)[0]!.split('=')
    browser.cookies.set(name, value)
    await browser.comeBack(await portal.signIn(begun.body.authorization_url, 'dwho'))
    const verdict = await ok('GET', `/admin/sign-in/providers/${id}/test`)
    assert.equal(verdict.failure, 'provider_refused')
    assert.match(verdict.detail, /set client_auth to the other method/)
    await ok('PATCH', `/admin/sign-in/providers/${id}`, {
      body: { oidc: { ...oidc, issuer: portal.url, client_auth: 'client_secret_post' } },
    })
    const { reply } = await signIn('rtyler', 'special')
    assert.equal(reply.headers.location, '/chat')
  })

  test('signing out here signs out at LemonLDAP::NG too', async () => {
    const { browser, atPortal } = await signIn('dwho')
    const { body } = await browser.ask('POST', '/auth/oidc/logout')
    assert.equal((await browser.ask('GET', '/me')).status, 401)
    assert.equal((await portal.signIn(body.end_session_url, 'dwho', atPortal)).href, `${server.url}/sign-in`)
    // The portal shows its form again.
    const page = await atPortal(await openOidcBrowser(ask).leave('lemonldap', '/'))
    assert.match(await page.text(), /name="password"/)
  })
}

function oidcSettings(url: string, pharos: string): Record<string, unknown> {
  const { privateKey, publicKey } = makeIssuerKeys()
  const optionsOf = ([id, secret]: [string, string]) => ({
    ClientID: id,
    ClientSecret: secret,
    RedirectUris: `${pharos}/auth/oidc/callback`,
    PostLogoutRedirectUris: `${pharos}/sign-in`,
    RequirePKCE: 1,
    BypassConsent: 1,
    LogoutBypassConfirm: 1,
    IDTokenSignAlg: 'RS256',
    UserIDAttr: 'uid',
  })
  const claims = { email: 'mail', name: 'cn', email_verified: 'is_verified;bool;auto', groups: 'groups;string;always' }
  return {
    issuerDBOpenIDConnectActivation: 1,
    oidcServiceMetaDataIssuer: url,
    ...{ oidcServicePrivateKeySig: privateKey, oidcServicePublicKeySig: publicKey, oidcServiceKeyIdSig: 'one' },
    oidcServiceAllowAuthorizationCodeFlow: 1,
    oidcRPMetaDataOptions: forEachClient((client) =>
      Object.fromEntries(Object.entries(optionsOf(client)).map(([key, it]) => [`oidcRPMetaDataOptions${key}`, it])),
    ),
    oidcRPMetaDataExportedVars: forEachClient(() => claims),
    oidcRPMetaDataOptionsExtraClaims: forEachClient(() => ({ profile: 'groups' })),
  }
}
