// The pages of sign-in providers.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { startSmallProvider } from '../small-oidc-provider.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'
import { recordPageRequests } from './page-requests.ts'

const idp = await startSmallProvider()
const KEY = { authorization: 'Bearer test-administrator-key-0123456789', 'content-type': 'application/json' }
const inBrowser = await openBrowser(
  async ({ api }) => {
    const oidc = { issuer: idp.url, client_id: 'pharos', client_secret: 'secret' }
    const body = { slug: 'staff', name: 'Staff Login', is_enabled: true, policy: { groups_claim: 'groups' }, oidc }
    assert.equal((await api('POST', '/admin/sign-in/providers', body)).status, 200)
  },
  { EGRESS_ALLOW: '127.0.0.1' },
)

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(
      `the pages of providers are accessible, ${scheme}, ${width} wide`,
      { scheme, width },
      async ({ page, url }) => {
        await page.goto(`${url}/admin/sign-in`)
        await page.getByRole('heading', { name: 'Staff Login' }).waitFor()
        await page.getByRole('button', { name: 'Edit' }).click()
        await page.getByLabel('Issuer').waitFor()
        await assertAccessible(page)
        await assertFits(page)
        await page.context().clearCookies()
        await page.goto(`${url}/sign-in?failure=email_unverified&provider=staff`)
        await page.getByRole('button', { name: 'Sign in with Staff Login' }).waitFor()
        await page.getByText('The sign-in with Staff Login failed').waitFor()
        await assertAccessible(page)
      },
    )
  }
}

inBrowser('a test shows its verdict, and an unknown reason in the address shows nothing', {}, async ({ page, url }) => {
  const begun = await page.context().request.post(`${url}/admin/sign-in/providers/1/test`, { headers: KEY })
  const { authorization_url } = await begun.json()
  const claims = { sub: 'tess', email: 'tess@example.com', email_verified: true, groups: ['board'] }
  await page.context().request.get(idp.agree(authorization_url, claims).href, { maxRedirects: 0 })
  await page.goto(`${url}/admin/sign-in?tested=1`)
  await page.getByText('This person could sign in').waitFor()
  await page.getByText('A new account would be created.').waitFor()
  await page.getByText('Groups: board').waitFor()
  await assertAccessible(page)
  await page.context().clearCookies()
  await page.goto(`${url}/sign-in?failure=Call+0900-EVIL`)
  await page.getByRole('button', { name: 'Sign in with Staff Login' }).waitFor()
  assert.equal(await page.getByText('EVIL').count(), 0)
})

inBrowser('the rarer settings are changed, and the others and the secret stay', {}, async ({ page, url }) => {
  const { request } = page.context()
  const read = async () => (await request.get(`${url}/admin/sign-in/providers/1`, { headers: KEY })).json()
  const before = await read()
  await page.goto(`${url}/admin/sign-in`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByText('More settings').click()
  await page.getByLabel('E-mail claim').fill('upn')
  await page.getByLabel('Roles claim').fill('realm_access.roles')
  await page.getByLabel('Client secret is sent').selectOption('client_secret_post')
  await page.getByLabel('Clock skew in seconds').fill('90')
  await page.getByLabel('Signing out here leads').uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  const { time_updated: _, ...after } = await read()
  const policy = { ...before.policy, email_claim: 'upn', roles_claim: 'realm_access.roles' }
  const oidc = { client_auth: 'client_secret_post', clock_skew_seconds: 90, ends_provider_session: false }
  const { time_updated: __, ...expected } = before
  assert.deepEqual(after, { ...expected, policy, oidc: { ...before.oidc, ...oidc } })
})

inBrowser('a directory asks for its own name and password', {}, async ({ page, url }) => {
  const ldap = { url: 'ldap://127.0.0.1:9', start_tls: false, dn_template: 'uid={username},dc=example' }
  const body = { slug: 'directory', name: 'Directory', is_enabled: true, ldap }
  const created = await page.context().request.post(`${url}/admin/sign-in/providers`, { headers: KEY, data: body })
  assert.ok(created.ok(), await created.text())
  await page.goto(`${url}/admin/sign-in`)
  await page.getByText('ldap://127.0.0.1:9').waitFor()
  await page.getByText('ldap:directory').waitFor()
  await assertAccessible(page)
  await page.context().clearCookies()
  await page.goto(`${url}/sign-in`)
  await page.getByRole('button', { name: 'Sign in with Directory' }).click()
  await page.getByLabel('User name at Directory').fill('ann')
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText(/cannot be reached|does not answer/).waitFor()
  await page.getByRole('button', { name: 'Use a password' }).click()
  await page.getByLabel('E-mail address').waitFor()
})

/** A page of a context of its own, because the browser leaves this service for the provider, which agrees at once. */
async function visitProvider(page: Page, url: string, visit: (visitor: Page) => Promise<void>): Promise<void> {
  const context = await page.context().browser()!.newContext()
  const records = recordPageRequests(context, url)
  const email = 'vic@example.com'
  // The address is in either claim: a test above changes the claim that is read.
  const claims = { sub: 'vic', email, upn: email, email_verified: true, groups: ['board'] }
  await context.route(`${idp.url}/**`, async (route) => {
    const back = idp.agree(route.request().url(), claims).href.replaceAll('&', '&amp;')
    await route.fulfill({ contentType: 'text/html', body: `<a href="${back}">Continue</a>` })
  })
  try {
    await visit(await context.newPage())
  } finally {
    records.stop()
    await context.close()
  }
}

inBrowser('a person signs in with a provider of OpenID Connect', { key: null }, async ({ page, url }) => {
  await visitProvider(page, url, async (visitor) => {
    await visitor.goto(`${url}/sign-in?next=${encodeURIComponent('/account')}`)
    await visitor.getByRole('button', { name: 'Sign in with Staff Login' }).click()
    await visitor.getByRole('link', { name: 'Continue' }).click()
    await visitor.waitForURL(`${url}/account`)
    await visitor.getByText('vic@example.com').first().waitFor()
  })
})

inBrowser('a test of a provider leads there and back to its verdict', {}, async ({ page, url }) => {
  await visitProvider(page, url, async (visitor) => {
    const data = { api_key: KEY.authorization.replace('Bearer ', '') }
    await visitor.request.post(`${url}/api/auth/session`, { data, headers: { 'x-requested-with': 'test' } })
    await visitor.goto(`${url}/admin/sign-in`)
    const card = visitor.getByRole('region', { name: 'Staff Login' })
    await card.getByRole('button', { name: 'Test', exact: true }).click()
    await visitor.getByRole('link', { name: 'Continue' }).click()
    await card.getByText('This person could sign in').waitFor()
  })
})

inBrowser('a provider is deleted once it is switched off', {}, async ({ page, url }) => {
  const oidc = { issuer: idp.url, client_id: 'pharos', client_secret: 'secret' }
  const body = { slug: 'former', name: 'Former', is_enabled: true, oidc }
  const created = await page.context().request.post(`${url}/admin/sign-in/providers`, { headers: KEY, data: body })
  assert.ok(created.ok(), await created.text())
  await page.goto(`${url}/admin/sign-in`)
  const card = page.getByRole('region', { name: 'Former' })
  await card.getByRole('button', { name: 'Switch off' }).click()
  await card.getByRole('button', { name: 'Delete' }).click()
  await card.waitFor({ state: 'detached' })
})
