import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { calls, says, startModelServer } from '../model/model-server.ts'
import { alterRecord } from '../record.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = []
let isDown = false
const tickets = createServer(async (request, response) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const { method = '', url = '', headers } = request
  seen.push({ method, url, headers, body: Buffer.concat(parts).toString() })
  response.writeHead(isDown ? 503 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ state: isDown ? 'down' : 'open', note: HOSTILE }))
})
await new Promise<void>((resolve) => void tickets.listen(0, '127.0.0.1', resolve))
after(() => tickets.close())
const origin = `http://127.0.0.1:${(tickets.address() as AddressInfo).port}`

const ticketId = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
const read = { operationId: 'getTicket', summary: 'Reads a ticket', parameters: [ticketId] }
const write = {
  operationId: 'setTicket',
  summary: 'Changes a ticket',
  parameters: [ticketId],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['title'],
          properties: {
            title: { type: 'string' },
            urgent: { type: 'boolean' },
            priority: { type: 'integer', enum: [1, 2] },
            labels: { type: 'array', items: { type: 'string' } },
          },
        },
      },
    },
  },
}
const definition = (more: object = {}) => ({
  openapi: '3.0.0',
  info: { title: 'Tickets', description: 'The tickets of the helpdesk' },
  servers: [{ url: origin }],
  paths: { '/tickets/{id}': { get: read, put: write }, ...more },
})

let setup: ReturnType<typeof createSetup>
let alter: (sql: string) => Promise<unknown>
const model = await startModelServer()
const inBrowser = await openBrowser(
  async (server) => {
    setup = createSetup(createRequester(server))
    alter = (sql) => alterRecord(server.dataDir, sql)
  },
  { EGRESS_ALLOW: '127.0.0.1', ...model.env() },
)

const section = (page: Page, name: string) => page.getByRole('region', { name })
const makeTool = async (name: string, more: object = {}): Promise<number> =>
  (
    await setup.ok('POST', '/admin/tool/custom', {
      body: { name, definition: definition(), passthrough_auth: false, ...more },
    })
  ).id
const makeAgent = (name: string, tool: number) =>
  setup.ok('POST', '/persona', {
    body: {
      ...{ name, description: '', system_prompt: '', task_prompt: '', datetime_aware: false, is_public: true },
      ...{ document_set_ids: [], tool_ids: [tool], starter_messages: [], users: [], groups: [] },
    },
  })

inBrowser('a tool is added from a definition, tried, changed and deleted', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/tools`)
  await page.getByText('No tools of your own yet').waitFor()
  await page.getByRole('button', { name: 'New tool' }).click()
  const text = page.getByLabel('OpenAPI definition')
  await text.fill('openapi: 3.0.0')
  await page.getByText('This is not a JSON object').waitFor()
  await text.fill(JSON.stringify({ ...definition(), paths: {} }))
  await page.getByText('No methods found in OpenAPI schema').waitFor()
  await page.locator('input[type=file]').setInputFiles({
    name: 'tickets.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(definition())),
  })
  await page.getByText('A model can call 2 functions.').waitFor()
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Tickets')
  await page.getByRole('button', { name: 'Add a header' }).click()
  await page.getByLabel('Name of header 1').fill('X-Key')
  await page.getByLabel('Value of header 1', { exact: true }).fill('canary-0123456789-tail')
  await page.getByRole('button', { name: 'Create tool' }).click()
  await page.getByRole('heading', { name: 'Tickets', level: 1 }).waitFor()

  const bench = section(page, 'Try it')
  await bench.getByLabel('Function').selectOption('setTicket')
  await bench.getByRole('spinbutton', { name: 'id' }).fill('7')
  await bench.getByLabel('body.title').fill('The printer burns')
  await bench.getByLabel('body.labels').fill('hardware\nurgent')
  await bench.getByLabel('body.priority').fill('2')
  await bench.getByRole('button', { name: 'Show request only' }).click()
  await bench.getByText('The request was not sent.').waitFor()
  const request = bench.getByRole('figure', { name: 'Request' })
  assert.match(String(await request.textContent()), new RegExp(`PUT ${origin}/tickets/7`))
  assert.doesNotMatch(String(await page.content()), /0123456789/)
  assert.equal(seen.length, 0)
  await bench.getByRole('button', { name: 'Send' }).click()
  await bench.getByText('Status 200').waitFor()
  assert.match(String(await bench.getByRole('figure', { name: 'Response' }).textContent()), /onerror/)
  assert.deepEqual(JSON.parse(seen[0]!.body), {
    title: 'The printer burns',
    labels: ['hardware', 'urgent'],
    priority: 2,
  })
  assert.equal(seen[0]!.headers['x-key'], 'canary-0123456789-tail')

  await page.getByRole('button', { name: 'Change' }).click()
  await page.getByLabel('Description', { exact: true }).fill('Reads and changes tickets')
  const queue = { get: { operationId: 'listQueue', summary: 'Lists the queue' } }
  await text.fill(JSON.stringify({ ...definition({ '/queue': queue }), openapi: '3.0.1' }))
  await page.getByText('A model can call 3 functions.').waitFor()
  await page.getByRole('button', { name: 'Show changes' }).click()
  await page.getByText('1 new operation').waitFor()
  await page.getByText('Reads and changes tickets').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await bench.getByLabel('Function').selectOption('listQueue')
  await bench.getByRole('button', { name: 'Send' }).click()
  await bench.getByText('Status 200').waitFor()
  assert.equal(seen.at(-1)!.headers['x-key'], 'canary-0123456789-tail', 'the masked value was kept')

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No agent uses it.').waitFor()
  await page.getByRole('button', { name: 'Delete tool' }).click()
  await page.waitForURL(`${url}/admin/tools`)
  await page.getByText('No tools of your own yet').waitFor()
})

inBrowser('a change shows what another person changed meanwhile, and keeps it', {}, async ({ page, url }) => {
  const id = await makeTool('Orders')
  await page.goto(`${url}/admin/tools/${id}`)
  await page.getByRole('button', { name: 'Change' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Purchases')
  await setup.ok('PUT', `/admin/tool/custom/${id}`, { body: { description: 'Changed elsewhere' } })
  await page.getByRole('button', { name: 'Show changes' }).click()
  const theirs = page.getByRole('alert').filter({ hasText: 'Another person changed this tool meanwhile' })
  await theirs.getByRole('row').filter({ hasText: 'Changed elsewhere' }).waitFor()
  await setup.ok('PUT', `/admin/tool/custom/${id}`, { body: { requires_confirmation: false } })
  await page.getByRole('button', { name: 'Save' }).click()
  await theirs.getByRole('row').filter({ hasText: 'Ask before a call that writes' }).waitFor()
  assert.equal((await setup.ok('GET', `/tool/${id}`)).name, 'Orders', 'nothing is overwritten unseen')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Purchases', level: 1 }).waitFor()
  const { name, description, requires_confirmation } = await setup.ok('GET', `/tool/${id}`)
  assert.deepEqual([name, description, requires_confirmation], ['Purchases', 'Changed elsewhere', false])
})

inBrowser('a failed call of a chat is replayed', {}, async ({ page, url }) => {
  const id = await makeTool('Incidents')
  const { id: persona_id } = await makeAgent('Helpdesk', id)
  isDown = true
  model.script([calls({ name: 'getTicket', arguments: { id: 9 } }), says('It is down.')])
  const body = { message: 'Ticket 9?', stream: false, chat_session_info: { persona_id } }
  await setup.ok('POST', '/chat/send-chat-message', { body })
  isDown = false
  await page.goto(`${url}/admin/tools/${id}`)
  const failures = section(page, 'Failed calls')
  await failures.getByText('503', { exact: true }).waitFor()
  await failures.getByRole('button', { name: /^Fill in the form with getTicket/ }).click()
  assert.equal(await section(page, 'Try it').getByRole('spinbutton', { name: 'id' }).inputValue(), '9')
  await failures.getByRole('button', { name: /^Replay getTicket/ }).click()
  await section(page, 'Try it').getByText('Status 200').waitFor()
  assert.equal(seen.at(-1)!.url, '/tickets/9')

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('This agent uses it.').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Delete tool' }).isDisabled())
})

inBrowser('a token of the person is allowed, consented to in the bench, and withdrawn', {}, async ({ page, url }) => {
  const curator = await setup.makeKey({ role: 'curator' })
  const body = { name: 'Archive', definition: definition(), passthrough_auth: true, is_public: true }
  const { id } = await setup.ok('POST', '/admin/tool/custom', { key: curator, body })
  await page.goto(`${url}/admin/tools/${id}`)
  const card = section(page, 'Token of the person who asks')
  await card.getByText('Not allowed').waitFor()
  await card.getByRole('button', { name: 'Allow' }).click()
  await card.getByRole('button', { name: 'Withdraw' }).waitFor()
  const bench = section(page, 'Try it')
  await bench.getByRole('spinbutton', { name: 'id' }).fill('3')
  await bench.getByRole('button', { name: 'Send' }).click()
  await bench.getByRole('button', { name: 'Allow and send again' }).click()
  await bench.getByText('Status 200').waitFor()
  assert.match(String(seen.at(-1)!.headers.authorization), /^Bearer /)
  await card.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await card.getByText('Not allowed').waitFor()
  assert.deepEqual(await setup.ok('GET', '/user/passthrough-consent'), [])
})

inBrowser('a built-in tool is switched off and on', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/tools`)
  const row = section(page, 'Built-in tools').getByRole('row').nth(1)
  const toggle = row.getByRole('switch')
  await toggle.waitFor()
  await toggle.click()
  await row.getByText('Off', { exact: true }).waitFor()
  assert.equal((await setup.ok('GET', '/tool/1')).enabled, false)
  await toggle.click()
  await row.getByText('On', { exact: true }).waitFor()
  assert.equal((await setup.ok('GET', '/tool/1')).enabled, true)
})

inBrowser('many tools have pages, and an unknown tool leads back', {}, async ({ page, url }) => {
  for (let at = 1; at <= 26; at += 1) await makeTool(`Tool ${at}`)
  await page.goto(`${url}/admin/tools`)
  const own = section(page, 'Your tools')
  await own.getByRole('button', { name: 'Next page' }).click()
  await own.getByRole('link', { name: 'Tool 26' }).waitFor()
  await own.getByRole('button', { name: 'Previous page' }).click()
  await own.getByRole('link', { name: 'Purchases' }).waitFor()
  await page.goto(`${url}/admin/tools/999999`)
  await page.getByRole('link', { name: 'Show all tools' }).click()
  await page.waitForURL(`${url}/admin/tools`)
  await alter("delete from tool where name like 'Tool %'")
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(`the pages of tools are accessible, ${scheme}, ${width} wide`, { scheme, width }, async (visit) => {
      const { page, url } = visit
      const id = await makeTool(`${HOSTILE} ${'x'.repeat(80)}`, {
        custom_headers: [{ key: 'X-Key', value: 'y'.repeat(40) }],
      })
      const check = async () => {
        await assertAccessible(page)
        await assertFits(page)
      }
      await page.goto(`${url}/admin/tools`)
      await section(page, 'Your tools').getByRole('link', { name: HOSTILE }).first().waitFor()
      await section(page, 'Built-in tools').getByRole('switch').first().waitFor()
      await check()
      await page.goto(`${url}/admin/tools/${id}`)
      await section(page, 'Try it').getByRole('spinbutton', { name: 'id' }).fill('1')
      await section(page, 'Try it').getByRole('button', { name: 'Send' }).click()
      await section(page, 'Try it').getByText('Status 200').waitFor()
      await section(page, 'Failed calls').getByText('No call has failed.').waitFor()
      await check()
      await page.getByRole('button', { name: 'Change' }).click()
      await page.getByText('A model can call 2 functions.').waitFor()
      await check()
      await page.goto(`${url}/admin/tools/new`)
      await page.getByLabel('OpenAPI definition').waitFor()
      await check()
    })
  }
}
