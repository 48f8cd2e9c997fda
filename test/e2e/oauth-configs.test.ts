// OAuth configurations for administrators, and what people connect on their account page.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { startRemote } from '../remote-mcp.ts'
import { answerJson } from '../remote-oauth.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const provider = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ access_token: 'x', token_type: 'Bearer', expires_in: 3_600 }))
})
await new Promise<void>((resolve) => void provider.listen(0, '127.0.0.1', resolve))
after(() => provider.close())
const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
const remote = await startRemote()
const locked = await startRemote()
locked.guard = ({ headers }, response) =>
  headers.authorization === 'Bearer own-key' ? false : answerJson(response, 401, {})

const definition = {
  openapi: '3.0.0',
  info: { title: 'Calendar', description: 'Appointments' },
  servers: [{ url: origin }],
  paths: { '/now': { get: { operationId: 'now', summary: 'Now' } } },
}
let setup: ReturnType<typeof createSetup>
let ann: string
const inBrowser = await openBrowser(
  async (server) => {
    setup = createSetup(createRequester(server))
    ann = await setup.makeKey({ role: 'basic', user_email: 'ann@example.com' })
  },
  { EGRESS_ALLOW: '127.0.0.1' },
)

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const makeConfig = (name: string, more: object = {}) =>
  setup.ok('POST', '/admin/oauth-config/create', {
    body: {
      ...{ name, authorization_url: `${origin}/authorize`, token_url: `${origin}/token` },
      ...{ client_id: 'pharos', client_secret: 'canary-secret', ...more },
    },
  })
const makeTool = (name: string, more: object) =>
  setup.ok('POST', '/admin/tool/custom', { body: { name, definition, passthrough_auth: false, ...more } })

async function signInAs(page: Page, url: string, api_key: string): Promise<void> {
  const headers = { 'x-requested-with': 'test' }
  const response = await page.request.post(`${url}/api/auth/session`, { data: { api_key }, headers })
  assert.ok(response.ok(), await response.text())
}

inBrowser('a configuration is made, changed and deleted', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/oauth-configs`)
  await page.getByText('No OAuth configurations yet').waitFor()
  await page.getByRole('button', { name: 'New OAuth configuration' }).click()
  const dialog = page.getByRole('dialog', { name: 'New OAuth configuration' })
  await dialog.getByText(`${url}/oauth-config/callback`).waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Groupware')
  await dialog.getByRole('textbox', { name: 'Authorization URL' }).fill(`${origin}/authorize`)
  await dialog.getByRole('textbox', { name: 'Token URL' }).fill('ftp://wrong.example')
  await dialog.getByRole('textbox', { name: 'Client ID' }).fill('pharos')
  await dialog.getByRole('textbox', { name: 'Client secret' }).fill('canary-secret')
  await dialog.getByRole('textbox', { name: 'Scopes' }).fill('calendar.read\noffline')
  await dialog.getByRole('textbox', { name: 'Additional parameters' }).fill('prompt=consent')
  await dialog.getByRole('button', { name: 'Create configuration' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('textbox', { name: 'Token URL' }).fill(`${origin}/token`)
  await dialog.getByRole('button', { name: 'Create configuration' }).click()
  await page.getByRole('heading', { name: 'Groupware', level: 1 }).waitFor()
  await page.getByText('calendar.read offline').waitFor()
  await page.getByText('prompt=consent').waitFor()
  await page.getByText('Nobody has connected an account.').waitFor()
  assert.doesNotMatch(await page.content(), /canary-secret/)

  await page.getByRole('button', { name: 'Change' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Calendars')
  await page.getByRole('textbox', { name: 'Client ID' }).fill('other')
  await page.getByText('has to connect it again').waitFor()
  await page.getByRole('textbox', { name: 'Client ID' }).fill('pharos')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Calendars', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByText('No tool uses it.').waitFor()
  await page.getByRole('button', { name: 'Delete configuration' }).click()
  await page.waitForURL(`${url}/admin/oauth-configs`)
  assert.deepEqual(await setup.ok('GET', '/admin/oauth-config'), [])
})

inBrowser('a person connects their account, an administrator sees it, the person disconnects', {}, async (visit) => {
  const { page, url } = visit
  // The provider redirects back at once with a code.
  const { id } = await makeConfig('Elsewhere', { authorization_url: `${url}/oauth-config/callback?code=abc` })
  await makeTool('Appointments', { oauth_config_id: id })
  await signInAs(page, url, ann)
  await page.goto(`${url}/account`)
  const accounts = section(page, 'Connected accounts')
  const row = accounts.getByRole('row').filter({ hasText: 'Elsewhere' })
  await row.getByText('Not connected').waitFor()
  await row.getByText('Appointments').waitFor()
  await row.getByRole('button', { name: 'Connect your account' }).click()
  await page.waitForURL(`${url}/account`)
  await row.getByText('Connected', { exact: true }).waitFor()
  const [connection] = await setup.ok('GET', `/admin/oauth-config/${id}/connections`)
  assert.equal(connection.email, 'ann@example.com')

  await row.getByRole('button', { name: 'Disconnect Elsewhere' }).click()
  await row.getByText('Not connected').waitFor()
  assert.deepEqual(await setup.ok('GET', `/admin/oauth-config/${id}/connections`), [])
})

inBrowser('an administrator sees who is connected and which tools use it', {}, async ({ page, url }) => {
  const { id } = await makeConfig('Travel')
  await makeTool('Bookings', { oauth_config_id: id })
  const start = await setup.ok('POST', '/oauth-config/initiate', { key: ann, body: { oauth_config_id: id } })
  await setup.ok('POST', `/oauth-config/callback?code=abc&state=${start.state}`, { key: ann })
  await page.goto(`${url}/admin/oauth-configs`)
  await page.getByRole('link', { name: 'Travel' }).click()
  await section(page, 'Connected accounts').getByText('ann@example.com').waitFor()
  await page.getByRole('link', { name: 'Bookings' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 connected account is disconnected.').waitFor()
  await dialog.getByText('These tools stay, without an account: Bookings.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
})

inBrowser('a person enters their key for an MCP server, and sees its tools', {}, async ({ page, url }) => {
  const body = { name: 'Warehouse', server_url: locked.url, auth_type: 'API_TOKEN', auth_performer: 'PER_USER' }
  const { server_id } = await setup.ok('POST', '/admin/mcp/servers/create', { body })
  await setup.ok('PATCH', `/admin/mcp/server/${server_id}`, { body: { is_public: true } })
  await setup.ok('PATCH', `/admin/mcp/server/${server_id}/status?status=CONNECTED`)
  await signInAs(page, url, ann)
  await page.goto(`${url}/account`)
  const row = section(page, 'MCP servers').getByRole('row').filter({ hasText: 'Warehouse' })
  await row.getByText('Needs your credentials').waitFor()
  await row.getByRole('button', { name: 'Enter credentials for Warehouse' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your credentials' })
  await dialog.getByRole('textbox', { name: 'API key' }).fill('wrong')
  await dialog.getByRole('button', { name: 'Test and save' }).click()
  await dialog.getByText('rejected the credentials').waitFor()
  await dialog.getByRole('textbox', { name: 'API key' }).fill('own-key')
  await dialog.getByRole('button', { name: 'Test and save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await row.getByText('Ready').waitFor()
  await row.getByRole('button', { name: 'Show tools of Warehouse' }).click()
  await page.getByRole('dialog', { name: 'Tools of Warehouse' }).getByText('Finds an order.').waitFor()
})

inBrowser('a person lets an MCP server act as them, and withdraws it', {}, async ({ page, url }) => {
  const body = { name: 'Archive', server_url: remote.url, auth_type: 'PT_OAUTH' }
  const { server_id } = await setup.ok('POST', '/admin/mcp/servers/create', { body })
  await setup.ok('PATCH', `/admin/mcp/server/${server_id}`, { body: { is_public: true } })
  await setup.ok('PATCH', `/admin/mcp/server/${server_id}/status?status=CONNECTED`)
  await signInAs(page, url, ann)
  await page.goto(`${url}/account`)
  const row = section(page, 'MCP servers').getByRole('row').filter({ hasText: 'Archive' })
  await row.getByRole('button', { name: 'Allow to act as me: Archive' }).click()
  await row.getByText('Ready').waitFor()
  const consents = section(page, 'Tools that act as you')
  await consents.getByText('MCP server', { exact: true }).waitFor()
  await assertAccessible(page)
  await consents.getByRole('button', { name: 'Withdraw the consent for Archive' }).click()
  await row.getByText('Needs your consent').waitFor()
  assert.deepEqual(await setup.ok('GET', '/user/passthrough-consent', { key: ann }), [])
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(`OAuth and connections are accessible, ${scheme}, ${width} wide`, { scheme, width }, async (visit) => {
      const { page, url } = visit
      const check = async () => {
        await assertAccessible(page)
        await assertFits(page)
      }
      await page.goto(`${url}/admin/oauth-configs`)
      await page.getByRole('link', { name: 'Travel' }).waitFor()
      await check()
      await page.getByRole('link', { name: 'Travel' }).click()
      await section(page, 'Connected accounts').getByText('ann@example.com').waitFor()
      await check()
      await page.getByRole('button', { name: 'Change' }).click()
      await page.getByRole('dialog').waitFor()
      await check()
      await signInAs(page, url, ann)
      await page.goto(`${url}/account`)
      await section(page, 'Connected accounts').getByText('Travel').waitFor()
      await section(page, 'MCP servers').getByText('Warehouse').waitFor()
      await check()
    })
  }
}
