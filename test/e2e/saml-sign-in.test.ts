// The pages of SAML providers, and a sign-in in a real browser with an identity provider on another site.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after } from 'node:test'
import { makeSmallSamlProvider } from '../small-saml-provider.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'
import { recordPageRequests } from './page-requests.ts'

const idp = makeSmallSamlProvider()
/** Signs everybody in at once: its page posts the response from its own site. */
const site = createServer((request, response) => {
  const { id, acsUrl, entityId, relayState } = idp.read(`http://localhost${request.url}`)
  const account = { nameId: 'sam', attributes: { email: 'sam@example.com', name: 'Sam' } }
  const xml = idp.answer({ id, acsUrl, entityId, relayState }, account)
  response.setHeader('content-type', 'text/html')
  response.end(
    `<form method="post" action="${acsUrl}"><input name="SAMLResponse" value="${Buffer.from(xml).toString('base64')}">` +
      `<input name="RelayState" value="${relayState}"><button>Continue</button></form><script>document.forms[0].submit()</script>`,
  )
})
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
after(() => {
  site.closeAllConnections()
  site.close()
})
const address = site.address()
/** Another site than 127.0.0.1, where the service is. */
const ssoUrl = `http://localhost:${typeof address === 'object' && address !== null ? address.port : 0}/sso`

const inBrowser = await openBrowser(async ({ api }) => {
  const saml = { entity_id: idp.entityId, sso_url: ssoUrl, certificates: [idp.certificate], vouches_for_emails: true }
  const body = { slug: 'staff', name: 'Staff', is_enabled: true, saml }
  assert.equal((await api('POST', '/admin/sign-in/providers', body)).status, 200)
})

inBrowser('a person signs in with a provider on another site', { key: null }, async ({ page, url }) => {
  // A context of its own, because the browser leaves this service.
  const context = await page.context().browser()!.newContext()
  const records = recordPageRequests(context, url)
  try {
    const visitor = await context.newPage()
    await visitor.goto(`${url}/sign-in?next=${encodeURIComponent('/account')}`)
    await visitor.getByRole('button', { name: 'Sign in with Staff' }).click()
    await visitor.waitForURL(`${url}/account`)
    await visitor.getByText('sam@example.com').first().waitFor()
    const names = (await context.cookies(url)).map((it) => it.name)
    assert.ok(names.includes('pharos_session'), names.join())
    assert.ok(!names.includes('pharos_sign_in'), names.join())
  } finally {
    records.stop()
    await context.close()
  }
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(
      `the form of a SAML provider is accessible, ${scheme}, ${width} wide`,
      { scheme, width },
      async (visit) => {
        const { page, url } = visit
        await page.goto(`${url}/admin/sign-in`)
        await page.getByText(`${url}/auth/saml/staff/callback`).waitFor()
        await page.getByRole('button', { name: 'Check' }).click()
        await page.getByText('There is no metadata URL to compare with.').waitFor()
        await page.getByRole('button', { name: 'Edit' }).click()
        await page.getByText('More settings').click()
        await page.getByLabel('Accept sign-ins that begin at the provider').waitFor()
        await assertAccessible(page)
        await assertFits(page)
      },
    )
  }
}

inBrowser('metadata fills the form, and the provider is stored with it', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/sign-in`)
  await page.getByRole('button', { name: 'Add a provider' }).click()
  await page.getByLabel('Protocol').selectOption('saml')
  await page.getByLabel(/^Name/).first().fill('Second')
  await page.getByLabel('Short name').fill('second')
  await page
    .getByLabel('Metadata of the provider')
    .fill(idp.metadata({ attributes: ' WantAuthnRequestsSigned="true"' }))
  await page.getByRole('button', { name: 'Read the metadata' }).click()
  await page.getByText('allow unsigned ones there').waitFor()
  assert.equal(await page.getByLabel('Entity ID of the provider').inputValue(), idp.entityId)
  await page.getByLabel('Groups attribute').fill('groups')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Second' }).waitFor()
  const stored = await page.context().request.get(`${url}/admin/sign-in/providers/2`, {
    headers: { authorization: 'Bearer test-administrator-key-0123456789' },
  })
  const { saml, policy, is_enabled } = await stored.json()
  assert.deepEqual([saml.sso_url, saml.certificates.length, policy.groups_claim], [idp.ssoUrl, 1, 'groups'])
  assert.equal(is_enabled, false)
})
