import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { z } from 'zod'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { startRemote } from '../remote-mcp.ts'
import { answerJson, startAuthority } from '../remote-oauth.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const open = await startRemote()
const locked = await startRemote()
locked.guard = ({ headers }, response) =>
  headers.authorization === 'Bearer right-key' || headers['x-key'] === 'right-key'
    ? false
    : answerJson(response, 401, {})
const guarded = await startRemote()
const authority = await startAuthority(guarded)

let setup: ReturnType<typeof createSetup>
const inBrowser = await openBrowser(
  async (server) => {
    setup = createSetup(createRequester(server))
    await setup.ok('POST', '/manage/admin/user-group', { body: { name: 'Staff', user_ids: [], cc_pair_ids: [] } })
  },
  { EGRESS_ALLOW: '127.0.0.1' },
)

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const serverNamed = async (name: string) =>
  (await setup.ok('GET', '/admin/mcp/servers')).mcp_servers.find((it: { name: string }) => it.name === name)

async function addServer(page: Page, url: string, name: string, address: string, fill?: (page: Page) => Promise<void>) {
  await page.goto(`${url}/admin/mcp-servers`)
  await page.getByRole('button', { name: 'New MCP server' }).click()
  const dialog = page.getByRole('dialog', { name: 'New MCP server' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog.getByRole('textbox', { name: 'Address' }).fill(address)
  await fill?.(page)
  await dialog.getByRole('button', { name: 'Add server' }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

async function readTools(page: Page, button = 'Read tools') {
  await section(page, 'Tools').getByRole('button', { name: button }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

inBrowser('an open server is added, read, chosen from, paused and deleted', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/mcp-servers`)
  await page.getByText('No MCP servers yet').waitFor()
  await addServer(page, url, 'Orders', open.url)
  const connection = section(page, 'Connection')
  await connection.getByText('Not read yet').waitFor()
  await connection.getByRole('button', { name: 'Test connection' }).click()
  await connection.getByText('The server answers and offers 6 tools.').waitFor()
  await readTools(page)
  await connection.getByText('Connected', { exact: true }).waitFor()
  const tools = section(page, 'Tools')
  const row = tools.getByRole('row').filter({ hasText: 'Finds an order.' })
  await row.getByText('Read-only').waitFor()
  await tools.getByRole('checkbox', { name: 'Use hang' }).uncheck()
  await tools.getByRole('button', { name: 'Use 5 tools' }).click()
  await tools.getByRole('button', { name: 'Use 5 tools', disabled: true }).waitFor()
  await tools.getByRole('checkbox', { name: 'Use hang', checked: false }).waitFor()
  await tools.getByLabel('Approval for cancel').selectOption({ label: 'Run at once' })
  await connection.getByRole('button', { name: 'Pause' }).click()
  await connection.getByText('Paused', { exact: true }).waitFor()
  await connection.getByRole('button', { name: 'Resume' }).click()
  await connection.getByText('Connected', { exact: true }).waitFor()
  const stored = await serverNamed('Orders')
  assert.deepEqual(stored.tool_policies, { cancel: 'allow' })
  const listed = await setup.ok('GET', `/admin/mcp/server/${stored.id}/db-tools`)
  const off = listed.tools.filter((it: { enabled: boolean }) => !it.enabled)
  assert.deepEqual(
    off.map((it: { name: string }) => it.name),
    ['hang'],
  )

  await page.goto(`${url}/admin/tools`)
  const all = section(page, 'Tools of MCP servers')
  await all.getByRole('row').filter({ hasText: 'hang' }).getByText('Off', { exact: true }).waitFor()
  await all.getByRole('link', { name: 'Orders' }).first().click()
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('6 tools are deleted.').waitFor()
  await dialog.getByText('No agent uses its tools.').waitFor()
  await dialog.getByRole('button', { name: 'Delete server' }).click()
  await page.waitForURL(`${url}/admin/mcp-servers`)
  assert.equal(await serverNamed('Orders'), undefined)
})

inBrowser('changes of the server are shown before they are accepted', {}, async ({ page, url }) => {
  await addServer(page, url, 'Stock', open.url)
  await readTools(page)
  const tools = section(page, 'Tools')
  await tools.getByRole('button', { name: 'Check for changes' }).click()
  await page.getByText('Nothing has changed since the server was last read.').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  open.more = (server) =>
    void server.registerTool('reserve', { description: HOSTILE, inputSchema: z.object({ id: z.string() }) }, () => ({
      content: [],
    }))
  await tools.getByRole('button', { name: 'Check for changes' }).click()
  await page.getByText('1 new tool', { exact: true }).waitFor()
  await page.getByText(HOSTILE).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Accept' }).click()
  assert.equal(await tools.getByRole('checkbox', { name: 'Use reserve' }).isChecked(), false)
  open.more = () => {}
  await tools.getByRole('button', { name: 'Check for changes' }).click()
  await page.getByText('1 tool is no longer offered').waitFor()
  await page.getByRole('button', { name: 'Accept' }).click()
  await tools.getByRole('row').filter({ hasText: 'reserve' }).getByText('No longer offered').waitFor()
})

inBrowser('a server with a key refuses a wrong one, and access is limited', {}, async ({ page, url }) => {
  await addServer(page, url, 'Warehouse', locked.url, async () => {
    await page.getByLabel('Authentication').selectOption({ label: 'API key' })
    await page.getByLabel('Headers').fill('X-Key: {api_key}')
    await page.getByRole('textbox', { name: 'API key' }).fill('canary-wrong-key-0123456789')
  })
  const connection = section(page, 'Connection')
  await connection.getByRole('button', { name: 'Test connection' }).click()
  await connection.getByText('rejected the credentials').waitFor()
  assert.doesNotMatch(await page.content(), /canary-wrong-key-0123456789/)
  await page.getByRole('button', { name: 'Change' }).click()
  await page.getByRole('textbox', { name: 'API key' }).fill('right-key')
  await page.getByRole('button', { name: 'Save' }).last().click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await readTools(page)
  await connection.getByText('Connected', { exact: true }).waitFor()

  const access = section(page, 'Access')
  await access.getByLabel('Everybody may use this server').uncheck()
  await access.getByLabel('People').fill('ann@example.com')
  await access.getByLabel('Staff').check()
  await access.getByRole('button', { name: 'Save' }).click()
  await access.getByText('Access is saved.').waitFor()
  const { is_public, users, groups } = await serverNamed('Warehouse')
  assert.deepEqual([is_public, users, groups], [false, ['ann@example.com'], ['Staff']])
})

inBrowser('a form that another person overtook shows their changes, and overwrites nothing', {}, async (visit) => {
  const { page, url } = visit
  await addServer(page, url, 'Suppliers', open.url)
  const { id } = await serverNamed('Suppliers')
  const change = (body: object) => setup.ok('PATCH', `/admin/mcp/server/${id}`, { body })
  await page.getByRole('button', { name: 'Change' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Vendors')
  await change({ description: 'Changed elsewhere' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Another person changed this meanwhile').waitFor()
  await dialog.getByRole('row').filter({ hasText: 'Changed elsewhere' }).waitFor()
  await assertAccessible(page)
  assert.equal((await serverNamed('Suppliers')).description, 'Changed elsewhere')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Vendors', level: 1 }).waitFor()
  assert.equal((await serverNamed('Vendors')).description, 'Changed elsewhere')

  const access = section(page, 'Access')
  await access.getByLabel('Everybody may use this server').uncheck()
  await access.getByLabel('Staff').check()
  await change({ users: ['bob@example.com'] })
  await access.getByRole('button', { name: 'Save' }).click()
  await access.getByRole('row').filter({ hasText: 'bob@example.com' }).waitFor()
  assert.equal((await serverNamed('Vendors')).is_public, true)
  await access.getByRole('button', { name: 'Save' }).click()
  await access.getByText('Access is saved.').waitFor()
  const { is_public, users, groups } = await serverNamed('Vendors')
  assert.deepEqual([is_public, users, groups], [false, ['bob@example.com'], ['Staff']])
})

inBrowser('an administrator signs in to a server with OAuth, and comes back', {}, async ({ page, url }) => {
  // No test leaves the origin of the page: instead of the provider, the page that the provider leads to is opened.
  await page.route('**/api/mcp/oauth/connect', async (route) => {
    const response = await route.fetch()
    const reply: { oauth_url: string } = await response.json()
    const returned = new URLSearchParams(authority.approve(reply.oauth_url))
    await route.fulfill({ response, json: { ...reply, oauth_url: `${url}/mcp/oauth/callback?${returned}` } })
  })
  await addServer(page, url, 'Billing', guarded.url, async () => {
    await page.getByLabel('Authentication').selectOption({ label: 'OAuth' })
  })
  const connection = section(page, 'Connection')
  await connection.getByText('Needs credentials').waitFor()
  await connection.getByRole('button', { name: 'Sign in' }).click()
  await connection.getByText('Connected', { exact: true }).waitFor()
  assert.equal(new URL(page.url()).pathname, `/admin/mcp-servers/${(await serverNamed('Billing')).id}`)
  await connection.getByRole('button', { name: 'Sign in again' }).waitFor()
})

inBrowser('a server that receives a token of the person is allowed and withdrawn', {}, async ({ page, url }) => {
  const curator = await setup.makeKey({ role: 'curator' })
  const body = { name: 'Archive', server_url: open.url, auth_type: 'PT_OAUTH' }
  const { server_id } = await setup.ok('POST', '/admin/mcp/servers/create', { key: curator, body })
  await page.goto(`${url}/admin/mcp-servers/${server_id}`)
  const card = section(page, 'Token of the person who asks')
  await card.getByRole('button', { name: 'Allow' }).click()
  await card.getByText('Allowed', { exact: true }).waitFor()
  await card.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await card.getByText('Not allowed', { exact: true }).waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(`the pages of MCP servers are accessible, ${scheme}, ${width} wide`, { scheme, width }, async (visit) => {
      const { page, url } = visit
      const check = async () => {
        await assertAccessible(page)
        await assertFits(page)
      }
      await page.goto(`${url}/admin/mcp-servers`)
      await page.getByRole('link', { name: 'Stock' }).click()
      await section(page, 'Tools').getByRole('checkbox', { name: 'Use hang' }).waitFor()
      await check()
      await page.getByRole('link', { name: 'MCP servers' }).last().click()
      await page.getByRole('link', { name: 'Warehouse' }).waitFor()
      await check()
      await page.getByRole('button', { name: 'New MCP server' }).click()
      await page.getByLabel('Authentication').selectOption({ label: 'OAuth' })
      await check()
      await page.getByLabel('Authentication').selectOption({ label: 'API key' })
      await check()
    })
  }
}
