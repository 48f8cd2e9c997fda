import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { createRequester, type Requester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { type Server, waitFor } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES } from './browser.ts'

let ask: Requester
let steps: ReturnType<typeof createSetup>
let pair: number

const received: { headers: IncomingHttpHeaders; body: string }[] = []
let status = 200
const endpoint = createServer(async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  received.push({ headers: request.headers, body: Buffer.concat(pieces).toString() })
  response.writeHead(status).end('<b>thanks</b>')
})
await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
after(() => {
  endpoint.close()
  endpoint.closeAllConnections()
})
const ADDRESS = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`

const inBrowser = await openBrowser(
  async (server: Server) => {
    ask = createRequester(server)
    steps = createSetup(ask)
    pair = await steps.makePair('Company wiki')
  },
  { EGRESS_ALLOW: '127.0.0.1' },
)

const open = async (page: Page, url: string) => {
  await page.goto(`${url}/admin/webhooks`)
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
}
const openOne = async (page: Page, url: string, id: number) => {
  await page.goto(`${url}/admin/webhooks/${id}`)
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
}
const makeWebhook = async (path: string, more: object = {}): Promise<number> =>
  (await steps.ok('POST', '/admin/webhook', { body: { url: ADDRESS + path, ...more } })).id
const rowsOf = (page: Page) => page.getByRole('region', { name: 'Deliveries' }).getByRole('row')

inBrowser('without webhooks the page says what they are for', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  await assertAccessible(page)
})

inBrowser('an administrator creates a webhook, and the snippet verifies its messages', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByRole('button', { name: 'New webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'New webhook' })
  await dialog.getByLabel('Address').fill(`${ADDRESS}made`)
  await dialog.getByRole('checkbox', { name: 'Documents failed' }).uncheck()
  await dialog.getByLabel('Connectors').selectOption({ label: 'Only these connectors' })
  assert.ok(await dialog.getByRole('button', { name: 'Create webhook' }).isDisabled())
  await dialog.getByRole('checkbox', { name: 'Company wiki' }).check()
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  const shown = page.getByRole('dialog', { name: 'Copy the secret now' })
  const secret = await shown.getByRole('figure', { name: 'The new secret' }).locator('pre').innerText()
  assert.match(secret, /^whsec_/)
  await shown.getByRole('button', { name: 'Done' }).click()
  const code = await page.getByRole('figure', { name: 'Code that verifies the signature' }).locator('pre').innerText()
  await page.getByRole('link', { name: `${ADDRESS}made` }).click()
  await page.getByText('Company wiki').waitFor()

  received.length = 0
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('The endpoint answered with status 200.').waitFor()
  await rowsOf(page).filter({ hasText: 'Delivered' }).getByText('Test').waitFor()
  const [message] = received
  assert.ok(message)
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  assert.equal(isGenuine(secret, message.headers, message.body), true)
  assert.equal(isGenuine(secret, message.headers, `${message.body} `), false)
  const [webhook] = await steps.ok('GET', '/admin/webhook')
  assert.deepEqual([webhook.cc_pair_ids, webhook.events.includes('failed')], [[pair], false])
})

inBrowser(
  'a failing endpoint is shown with its answer, and waiting messages are sent again',
  {},
  async ({ page, url }) => {
    const id = await makeWebhook('failing', { events: ['indexed'] })
    status = 500
    await openOne(page, url, id)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByRole('status').filter({ hasText: 'The webhook does not work' }).waitFor()
    const failed = rowsOf(page).filter({ hasText: 'Failed' })
    await failed.getByText(/answered with status 500/).waitFor()
    await failed.getByText('Details').click()
    await failed.getByText('<b>thanks</b>').waitFor()

    await steps.push(documentOf('A new page of the wiki'), { cc_pair_id: pair })
    const waiting = rowsOf(page).filter({ hasText: 'Waiting' })
    await waiting.getByText('The next attempt is').waitFor()
    status = 200
    await page.getByRole('button', { name: 'Send waiting messages now' }).click()
    await rowsOf(page).filter({ hasText: 'Documents indexed' }).filter({ hasText: 'Delivered' }).waitFor()
  },
)

inBrowser('a webhook is paused, resumed, edited, gets a new secret and is deleted', {}, async ({ page, url }) => {
  const id = await makeWebhook('changed')
  await openOne(page, url, id)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('An administrator paused it.').waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('An administrator paused it.').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit the webhook' })
  await dialog.getByLabel('Address').fill('http://10.1.2.3/')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText(/not on the public internet/).waitFor()
  await dialog.getByLabel('Address').fill(`${ADDRESS}elsewhere`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: `${ADDRESS}elsewhere` }).waitFor()

  await page.getByRole('button', { name: 'Replace secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace secret' }).click()
  await page
    .getByRole('dialog', { name: 'Copy the secret now' })
    .getByText(/^whsec_/)
    .waitFor()
  await page.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete webhook' }).click()
  await page.waitForURL(`${url}/admin/webhooks`)
  await page.getByRole('link', { name: `${ADDRESS}elsewhere` }).waitFor({ state: 'detached' })
  const left: { id: number }[] = await steps.ok('GET', '/admin/webhook')
  assert.ok(!left.some((it) => it.id === id))
  await page.goto(`${url}/admin/webhooks/${id}`)
  await page.getByRole('heading', { name: 'This webhook does not exist' }).waitFor()
})

inBrowser('a webhook that the service paused says why', {}, async ({ page, url }) => {
  const id = await makeWebhook('gone', { events: ['indexed'] })
  status = 410
  await steps.push(documentOf('Another page'), { cc_pair_id: pair })
  const isPaused = async () =>
    (await steps.ok('GET', '/admin/webhook')).find((it: { id: number }) => it.id === id).status === 'paused'
  await waitFor(isPaused, 'the webhook is paused', 30_000)
  status = 200
  await openOne(page, url, id)
  await page
    .getByText(/answered with status 410/)
    .first()
    .waitFor()
  await page.getByText('Correct the endpoint, send a test').waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(`webhooks are accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      const shoot = async (name: string) => {
        await assertAccessible(page)
        await assertFits(page)
        const { SHOTS } = process.env
        if (SHOTS) await page.screenshot({ path: `${SHOTS}/webhook-${name}-${scheme}-${width}.png`, fullPage: true })
      }
      const [first] = await steps.ok('GET', '/admin/webhook')
      await openOne(page, url, first.id)
      await rowsOf(page).first().waitFor()
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByRole('status').filter({ hasText: 'The webhook works' }).waitFor()
      await shoot('one')
      await open(page, url)
      await page.getByRole('link', { name: ADDRESS }).first().waitFor()
      await shoot('list')
      await page.getByRole('button', { name: 'New webhook' }).click()
      await page.getByRole('dialog', { name: 'New webhook' }).waitFor()
      await shoot('new')
    })
  }
}
