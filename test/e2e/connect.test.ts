// The OAuth callback page of tool providers.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { calls, says, startModelServer } from '../model/model-server.ts'
import { assertAccessible, openBrowser } from './browser.ts'

const provider = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ access_token: 'x', token_type: 'Bearer' }))
})
await new Promise<void>((resolve) => void provider.listen(0, '127.0.0.1', resolve))
provider.unref()
after(() => provider.close())
const { port } = provider.address() as AddressInfo

let ok: ReturnType<typeof createSetup>['ok']
let config = 0
let persona = 0
const model = await startModelServer()
const inBrowser = await openBrowser(async (server) => {
  ok = createSetup(createRequester(server)).ok
  for (const at of [port, Number(new URL(model.url).port)]) {
    await ok('POST', '/admin/egress/approval', {
      body: { host: '127.0.0.1', port: at, reason: 'a server of the test' },
    })
  }
  const url = `http://127.0.0.1:${port}`
  const own = { name: 'Elsewhere', client_id: 'c', client_secret: 's' }
  const body = { ...own, authorization_url: url, token_url: `${url}/token` }
  config = (await ok('POST', '/admin/oauth-config/create', { body })).id
  persona = await clerk(server.url, own)
})

/** A persona with a tool whose OAuth provider redirects back at once without a code. */
async function clerk(url: string, own: object): Promise<number> {
  const here = `${url}/oauth-config/callback`
  const account = { ...own, authorization_url: here, token_url: `http://127.0.0.1:${port}/token` }
  const { id: oauth_config_id } = await ok('POST', '/admin/oauth-config/create', { body: account })
  const definition = {
    openapi: '3.0.0',
    info: { title: 'T', description: 'T' },
    servers: [{ url: `http://127.0.0.1:${port}` }],
    paths: { '/now': { get: { operationId: 'now', summary: 'Now' } } },
  }
  const tool = { name: 'T', definition, passthrough_auth: false, oauth_config_id }
  const { id } = await ok('POST', '/admin/tool/custom', { body: tool })
  const provider = { name: 'P', provider: 'openai_compatible', api_base: model.url, api_key: 'k' }
  const models = { model_configurations: [{ name: 'small', is_visible: true }] }
  await ok('PUT', '/admin/llm/provider?is_creation=true', { body: { ...provider, ...models } })
  const prompts = { description: '', system_prompt: '', task_prompt: '', datetime_aware: false }
  const body = { name: 'Clerk', ...prompts, document_set_ids: [], tool_ids: [id], is_public: true }
  return (await ok('POST', '/persona', { body })).id
}

/** Starts the flow like the page does. */
const begin = async (page: Page): Promise<string> =>
  page.evaluate<string, number>(async (oauth_config_id) => {
    const headers = { 'content-type': 'application/json', 'x-requested-with': 'pharos' }
    const body = JSON.stringify({ oauth_config_id, return_path: '/admin/ingestion' })
    const answer = await fetch('/api/oauth-config/initiate', { method: 'POST', headers, body })
    return ((await answer.json()) as { state: string }).state
  }, config)

inBrowser('a code connects the account and returns to the previous page', {}, async ({ page, url }) => {
  const state = await begin(page)
  await page.goto(`${url}/oauth-config/callback?code=abc&state=${state}`)
  await page.getByRole('heading', { name: 'Ingestion', level: 1 }).waitFor()
  assert.deepEqual(await ok('GET', '/user-oauth-token/status'), [
    { oauth_config_id: config, oauth_config_name: 'Elsewhere', expires_at: null, is_expired: false },
  ])
})

inBrowser('an error is rendered as text with a way back', {}, async ({ page, url }) => {
  const state = await begin(page)
  const said = encodeURIComponent('<img src=x onerror=alert(1)>')
  await page.goto(`${url}/oauth-config/callback?error=access_denied&error_description=${said}&state=${state}`)
  await page.getByText('Your account was not connected').waitFor()
  await page.getByText('The provider refused the request: <img src=x onerror=alert(1)>.').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Go back' }).click()
  await page.getByRole('heading', { name: 'Ingestion', level: 1 }).waitFor()
})

inBrowser('a forged callback URL connects no account', {}, async ({ page, url }) => {
  await page.goto(`${url}/oauth-config/callback?code=abc&state=made-up`)
  await page.getByText(/started by another user/).waitFor()
})

inBrowser('a tool that needs an account leads to the provider and back to the chat', {}, async ({ page, url }) => {
  model.script([calls({ name: 'now', arguments: {} }), says('You have to connect it first.')])
  await page.goto(`${url}/chat?persona=${persona}`)
  await page.getByLabel('Ask a question').fill('What time is it?')
  await page.keyboard.press('Enter')
  await page.getByText('You have to connect it first.').first().waitFor()
  const chat = new URL(page.url())
  await page.getByRole('button', { name: 'Connect your account' }).click()
  await page.getByText('The provider sent no code.').waitFor()
  await page.getByRole('button', { name: 'Go back' }).click()
  await page.getByText('You have to connect it first.').first().waitFor()
  assert.equal(new URL(page.url()).pathname, chat.pathname)
})
