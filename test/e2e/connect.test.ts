// A browser that comes back from a provider, with what the provider sent it.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { asking } from '../api/ask.ts'
import { stepsOf } from '../api/steps.ts'
import { assertAccessible, stage } from './browser.ts'

const provider = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ access_token: 'x', token_type: 'Bearer' }))
})
await new Promise<void>((resolve) => void provider.listen(0, '127.0.0.1', resolve))
provider.unref()
after(() => provider.close())
const { port } = provider.address() as AddressInfo

let ok: ReturnType<typeof stepsOf>['ok']
let config = 0
const inBrowser = await stage(async (server) => {
  ok = stepsOf(asking(server)).ok
  await ok('POST', '/admin/egress/approval', { body: { host: '127.0.0.1', port, reason: 'a provider of the test' } })
  const url = `http://127.0.0.1:${port}`
  const own = { name: 'Elsewhere', client_id: 'c', client_secret: 's' }
  const body = { ...own, authorization_url: url, token_url: `${url}/token` }
  config = (await ok('POST', '/admin/oauth-config/create', { body })).id
})

/** As a page of ours begins it. */
const begin = async (page: Page): Promise<string> =>
  page.evaluate<string, number>(async (oauth_config_id) => {
    const headers = { 'content-type': 'application/json', 'x-requested-with': 'pharos' }
    const body = JSON.stringify({ oauth_config_id, return_path: '/admin/ingestion' })
    const answer = await fetch('/api/oauth-config/initiate', { method: 'POST', headers, body })
    return ((await answer.json()) as { state: string }).state
  }, config)

inBrowser('who comes back with a code is connected, and is where they were', {}, async ({ page, url }) => {
  const state = await begin(page)
  await page.goto(`${url}/oauth-config/callback?code=abc&state=${state}`)
  await page.getByRole('heading', { name: 'Ingestion', level: 1 }).waitFor()
  assert.deepEqual(await ok('GET', '/user-oauth-token/status'), [
    { oauth_config_id: config, expires_at: null, is_expired: false },
  ])
})

inBrowser('what went wrong is said as text, and leads back', {}, async ({ page, url }) => {
  const state = await begin(page)
  const said = encodeURIComponent('<img src=x onerror=alert(1)>')
  await page.goto(`${url}/oauth-config/callback?error=access_denied&error_description=${said}&state=${state}`)
  await page.getByText('Your account was not connected').waitFor()
  await page.getByText('The provider refused: <img src=x onerror=alert(1)>.').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Go back' }).click()
  await page.getByRole('heading', { name: 'Ingestion', level: 1 }).waitFor()
})

inBrowser('an address that was made up connects nobody', {}, async ({ page, url }) => {
  await page.goto(`${url}/oauth-config/callback?code=abc&state=made-up`)
  await page.getByText(/not begun here by you/).waitFor()
})
