// The OAuth callback page of remote MCP servers.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { startRemote } from '../remote-mcp.ts'
import { startAuthority } from '../remote-oauth.ts'
import { assertAccessible, openBrowser } from './browser.ts'

const remote = await startRemote()
const authority = await startAuthority(remote)

let ok: ReturnType<typeof createSetup>['ok']
let id = 0
const inBrowser = await openBrowser(async (server) => {
  ok = createSetup(createRequester(server)).ok
  for (const { origin } of [remote, authority]) {
    const { hostname: host, port } = new URL(origin)
    await ok('POST', '/admin/egress/approval', { body: { host, port: Number(port), reason: 'a server of the test' } })
  }
  const body = { name: 'Orders', server_url: remote.url, auth_type: 'OAUTH' }
  id = (await ok('POST', '/admin/mcp/servers/create', { body })).server_id
})

/** Starts the flow like the page does. */
const begin = async (page: Page): Promise<URLSearchParams> => {
  const oauth_url = await page.evaluate<string, number>(async (server_id) => {
    const headers = { 'content-type': 'application/json', 'x-requested-with': 'pharos' }
    const body = JSON.stringify({ server_id, return_path: '/admin/ingestion' })
    const answer = await fetch('/api/mcp/oauth/connect', { method: 'POST', headers, body })
    return ((await answer.json()) as { oauth_url: string }).oauth_url
  }, id)
  return new URLSearchParams(authority.approve(oauth_url))
}

inBrowser('after signing in the user returns to the previous page, and the server is connected', {}, async (visit) => {
  const { page, url } = visit
  const returned = await begin(page)
  await page.goto(`${url}/mcp/oauth/callback?${returned}`)
  await page.getByRole('heading', { name: 'Ingestion', level: 1 }).waitFor()
  const { status, is_authenticated } = await ok('GET', `/admin/mcp/servers/${id}`)
  assert.deepEqual([status, is_authenticated], ['CONNECTED', true])
})

inBrowser('an error is rendered as text', {}, async ({ page, url }) => {
  const state = (await begin(page)).get('state')
  const said = encodeURIComponent('<img src=x onerror=alert(1)>')
  await page.goto(`${url}/mcp/oauth/callback?error=access_denied&error_description=${said}&state=${state}`)
  await page.getByText('<img src=x onerror=alert(1)>').waitFor()
  await assertAccessible(page)
})
