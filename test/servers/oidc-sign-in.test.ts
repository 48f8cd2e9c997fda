// People sign in at real OpenID providers, through the whole program.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { start } from '../api/setup.ts'
import { needs, OIDC_PROVIDER } from '../needs.ts'
import { failureIn, openOidcBrowser } from '../oidc-browser.ts'
import { waitFor } from '../server.ts'
import { answers, freePort, ownFolder, type ServerProcess, startServerProcess } from './server-process.ts'
import { type Browser, openBrowser, signInAtProvider } from './start-oidc.ts'

const need = needs('oidc-provider')
if (need.skip !== undefined) test('sign-in at an OpenID provider', need, () => {})
else await register()

async function register(): Promise<void> {
  const { server, ask, ok, makeKey } = await start({ EGRESS_ALLOW: '127.0.0.1' })
  const redirectUri = `${server.url}/auth/oidc/callback`

  const groupsFile = join(ownFolder('groups'), 'groups.json')
  writeFileSync(groupsFile, '{}')
  /** `ann+sales` is ann, who belongs to the group sales. */
  const nameOf = (login: string): string => {
    const [name = '', ...groups] = login.split('+')
    writeFileSync(groupsFile, JSON.stringify({ [name]: groups }))
    return name
  }

  const run = async (port: number, skew = 0): Promise<ServerProcess> => {
    const script = join(import.meta.dirname, 'oidc-sign-in-provider.mjs')
    return startServerProcess({
      command: [process.execPath, script, String(port), server.url, String(skew), OIDC_PROVIDER, groupsFile],
      cwd: ownFolder('oidc-sign-in'),
      probe: () => answers(`http://127.0.0.1:${port}/.well-known/openid-configuration`),
    })
  }
  const [port, otherPort, skewedPort] = [await freePort(), await freePort(), await freePort()]
  let main = await run(port)
  await run(otherPort)
  await run(skewedPort, -100)
  const urlOf = (at: number) => `http://127.0.0.1:${at}`

  const makeProvider = async (slug: string, at: number, { policy = {}, oidc = {} } = {}): Promise<number> => {
    const body = {
      ...{ slug, name: `Provider ${slug}`, is_enabled: true },
      policy: { groups_claim: 'groups', ...policy },
      oidc: {
        ...{ issuer: urlOf(at), client_id: 'basic', client_secret: 'secret of & basic' },
        scopes: 'openid email profile groups',
        ...oidc,
      },
    }
    return (await ok('POST', '/admin/sign-in/providers', { body })).id
  }
  await makeProvider('basic', port)
  const signIn = async (slug: string, at: number, login: string, atProvider: Browser = openBrowser()) => {
    const browser = openOidcBrowser(ask)
    const place = { url: urlOf(at), redirectUri, browser: atProvider }
    const reply = await browser.comeBack(
      await signInAtProvider(place, await browser.leave(slug, '/chat'), nameOf(login)),
    )
    return { browser, reply, me: (await browser.ask('GET', '/me')).body }
  }

  test('a person signs in, gets groups, and returns to the page', async () => {
    const { reply, me } = await signIn('basic', port, 'ann+sales+board')
    assert.equal(reply.headers.location, '/chat')
    assert.deepEqual([me.email, me.groups, me.role], ['ann@example.org', ['board', 'sales'], 'basic'])
    assert.deepEqual((await signIn('basic', port, 'ann+sales')).me.groups, ['sales'])
  })

  test('the client authenticates in the body as well', async () => {
    const oidc = { client_id: 'post', client_secret: 'secret of & post', client_auth: 'client_secret_post' }
    await makeProvider('post', otherPort, { oidc })
    assert.equal((await signIn('post', otherPort, 'bob')).me.email, 'bob@example.org')
  })

  test('two providers know the same person, and two people with the same name of their account', async () => {
    await makeProvider('other', otherPort, { policy: { group_prefix: 'other/' } })
    const first = await signIn('basic', port, 'carl')
    const second = await signIn('other', otherPort, 'carl+x')
    assert.equal(second.me.id, first.me.id)
    assert.deepEqual(second.me.groups, ['other/x'])
    assert.deepEqual((await ask('GET', '/auth/providers', { key: null })).body.length >= 2, true)
  })

  test('an address that the provider does not verify takes over nobody', async () => {
    await makeKey({ role: 'basic', user_email: 'unverified@example.org' })
    const { reply, me } = await signIn('basic', port, 'unverified')
    assert.equal(failureIn(reply), 'email_unverified')
    assert.equal(me.email, undefined)
  })

  test('the role follows the claims, and the last administrator stays one', async () => {
    const policy = { role_mapping: [{ value: 'bosses', role: 'admin' }], default_role: 'limited', group_prefix: 'r/' }
    await makeProvider('roles', otherPort, { policy })
    assert.equal((await signIn('roles', otherPort, 'dora+bosses')).me.role, 'admin')
    assert.equal((await signIn('roles', otherPort, 'dora')).me.role, 'admin')
    assert.equal((await signIn('roles', otherPort, 'emil+bosses')).me.role, 'admin')
    assert.equal((await signIn('roles', otherPort, 'dora')).me.role, 'limited')
  })

  test('a test tells what a sign-in would do before the provider is switched on', async () => {
    const id = await makeProvider('tested', otherPort, { policy: { group_prefix: 't/' } })
    await ok('PATCH', `/admin/sign-in/providers/${id}`, { body: { is_enabled: false } })
    const check = await ok('POST', `/admin/sign-in/providers/${id}/check`)
    assert.deepEqual([check.oidc.issuer, check.oidc.supports_backchannel_logout], [urlOf(otherPort), true])
    const browser = openOidcBrowser(ask)
    const begun = await ask('POST', `/admin/sign-in/providers/${id}/test`)
    const cookie = String(begun.headers['set-cookie']).split(';', 1)[0] ?? ''
    browser.cookies.set(cookie.split('=')[0] ?? '', cookie.split('=')[1] ?? '')
    const place = { url: urlOf(otherPort), redirectUri }
    const reply = await browser.comeBack(await signInAtProvider(place, begun.body.authorization_url, nameOf('tess+a')))
    assert.equal(reply.headers.location, `/admin/sign-in?tested=${id}`)
    assert.equal((await browser.ask('GET', '/me')).status, 401)
    const verdict = await ok('GET', `/admin/sign-in/providers/${id}/test`)
    assert.deepEqual([verdict.failure, verdict.change, verdict.groups], [null, 'created', ['t/a']])
    assert.deepEqual([verdict.claims.email, verdict.person.email], ['tess@example.org', 'tess@example.org'])
    const { items } = await ok('GET', '/manage/users/accepted?q=tess')
    assert.deepEqual(items, [])
  })

  test('clocks may differ by as much as the setting says', async () => {
    await makeProvider('strict', skewedPort, { oidc: { clock_skew_seconds: 0 } })
    await makeProvider('lenient', skewedPort, { oidc: { clock_skew_seconds: 120 } })
    assert.equal(failureIn((await signIn('strict', skewedPort, 'fay')).reply), 'answer_invalid')
    assert.equal((await signIn('lenient', skewedPort, 'fay')).me.email, 'fay@example.org')
  })

  test('another issuer needs the secret and a confirmation, which ends sessions', async () => {
    const id = await makeProvider('moved', otherPort, { policy: { group_prefix: 'm/' } })
    const { browser } = await signIn('moved', otherPort, 'mia')
    const oidc = { issuer: urlOf(port), client_id: 'basic', scopes: 'openid email profile groups' }
    const path = `/admin/sign-in/providers/${id}`
    const without = await ask('PATCH', path, { body: { oidc } })
    assert.deepEqual([without.status, without.body.error_code], [400, 'INVALID_INPUT'])
    const withSecret = { ...oidc, client_secret: 'secret of & basic' }
    assert.equal((await ask('PATCH', path, { body: { oidc: withSecret } })).body.error_code, 'PROVIDER_HAS_PEOPLE')
    assert.equal((await browser.ask('GET', '/me')).status, 200)
    await ok('PATCH', path, { body: { oidc: withSecret, forget_accounts: true } })
    assert.equal((await browser.ask('GET', '/me')).status, 401)
    assert.equal((await signIn('moved', port, 'mia')).me.email, 'mia@example.org')
  })

  test('signing out here and at the provider ends every session of that sign-in', async () => {
    const atProvider = openBrowser()
    const first = await signIn('basic', port, 'gil', atProvider)
    const second = await signIn('basic', port, 'gil', atProvider)
    const elsewhere = await signIn('basic', port, 'gil')
    const { body } = await first.browser.ask('POST', '/auth/oidc/logout')
    assert.equal((await first.browser.ask('GET', '/me')).status, 401)
    assert.equal(new URL(body.end_session_url).searchParams.has('id_token_hint'), true)
    const page = await (await atProvider(body.end_session_url)).text()
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? assert.fail(page)
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const done = await atProvider(new URL(action, urlOf(port)).href, new URLSearchParams({ xsrf, logout: 'yes' }))
    assert.equal(done.headers.get('location'), `${server.url}/sign-in`)
    // The provider sends a logout token for its session.
    await waitFor(async () => (await second.browser.ask('GET', '/me')).status === 401, 'the end of the session')
    assert.equal((await elsewhere.browser.ask('GET', '/me')).status, 200)
  })

  test('new keys of the provider are read, and while it is down everything else goes on', async () => {
    const { browser } = await signIn('basic', port, 'hal')
    await main.end()
    assert.equal((await browser.ask('GET', '/me')).status, 200)
    const id = await makeProvider('down', port)
    const failed = await ask('GET', '/auth/oidc/authorize?provider=down', { key: null })
    assert.deepEqual([failed.status, failed.body.error_code], [424, 'SIGN_IN_PROVIDER_DOWN'])
    assert.match(failed.body.detail, /^The provider Provider down cannot be reached/)
    assert.equal((await ask('POST', `/admin/sign-in/providers/${id}/check`)).body.error_code, 'SIGN_IN_PROVIDER_FAILED')
    main = await run(port)
    assert.equal((await signIn('basic', port, 'hal')).me.email, 'hal@example.org')
    assert.equal((await browser.ask('GET', '/me')).status, 200)
  })
}
