import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester, type Requester } from '../api/request.ts'
import { connectorOf, createSetup } from '../api/setup.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES } from './browser.ts'

let ask: Requester
let steps: ReturnType<typeof createSetup>
const WIKI = '10.9.8.7'

const inBrowser = await openBrowser(async (server: Server) => {
  ask = createRequester(server)
  steps = createSetup(ask)
})

const open = async (page: Page, url: string) => {
  await page.goto(`${url}/admin/egress`)
  await page.getByRole('heading', { name: 'Outbound calls', level: 1 }).waitFor()
}
const rowOf = (page: Page, section: string, text: string) =>
  page.getByRole('region', { name: section }).getByRole('row').filter({ hasText: text })

/** A webhook at a public address is made and then changed to a private one, which is refused. */
async function refuseWebhook(): Promise<void> {
  const { id } = await steps.ok('POST', '/admin/webhook', { body: { url: 'https://8.8.8.8/hook' } })
  const answer = await ask('PATCH', `/admin/webhook/${id}`, { body: { url: `http://${WIKI}:8090/hook` } })
  assert.equal(answer.status, 422)
}

async function refuseConnector(name: string, base_url: string): Promise<void> {
  const id = await steps.makeConnector(name)
  const body = connectorOf(name, { connector_specific_config: { base_url } })
  const answer = await ask('PATCH', `/manage/admin/connector/${id}`, { body })
  assert.equal(answer.status, 422, answer.text)
}

inBrowser('without refusals the page says so', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByRole('heading', { name: 'No address was refused' }).waitFor()
  await page.getByText('No host is allowed beyond the public internet').waitFor()
})

inBrowser('an administrator checks an address, and allows its host from there', {}, async ({ page, url }) => {
  await open(page, url)
  const check = page.getByRole('region', { name: 'Check an address' })
  const verdictOf = async (address: string) => {
    await check.getByLabel('Address', { exact: true }).fill(address)
    await check.getByRole('button', { name: 'Check' }).click()
    const verdict = check.getByRole('status')
    await verdict.waitFor()
    return verdict.innerText()
  }
  assert.match(await verdictOf('https://8.8.8.8/'), /Pharos may call this address[\s\S]*8\.8\.8\.8/)
  assert.match(await verdictOf('http://169.254.169.254/'), /can never be called/)
  assert.match(await verdictOf('ftp://8.8.8.8/'), /http and https addresses only/)
  assert.match(await verdictOf('https://name.invalid/'), /The host has no address/)
  assert.match(await verdictOf('172.16.0.9:8443'), /not on the public internet/)
  await check.getByRole('button', { name: 'Allow this host' }).click()
  const dialog = page.getByRole('dialog', { name: 'Allow a host' })
  assert.equal(await dialog.getByLabel('Host name or IP address').inputValue(), '172.16.0.9')
  await dialog.getByLabel('Reason').fill('The wiki of the company')
  await dialog.getByRole('button', { name: 'Allow host' }).click()
  const row = rowOf(page, 'Allowed hosts', '172.16.0.9')
  await row.getByText('8443').waitFor()
  await row.getByText('The wiki of the company').waitFor()
  assert.match(await verdictOf('https://172.16.0.9:8443/'), /Pharos may call this address/)

  await row.getByRole('button', { name: /^Delete the permission for 172/ }).click()
  await page.getByRole('button', { name: 'Delete permission' }).click()
  await row.waitFor({ state: 'detached' })
  assert.deepEqual(await steps.ok('GET', '/admin/egress/approval'), [])
})

inBrowser('a refused address shows who asked for it and why, and one click allows it', {}, async ({ page, url }) => {
  await refuseWebhook()
  await refuseConnector('Old wiki', `http://${WIKI}:8091/`)
  await refuseConnector('Cloud', 'http://169.254.169.254/')
  await open(page, url)
  const webhook = rowOf(page, 'Refused addresses', `${WIKI}:8090`)
  await webhook.getByText('Webhook “8.8.8.8”').waitFor()
  await webhook.getByText('Not on the public internet').waitFor()
  const never = rowOf(page, 'Refused addresses', '169.254.169.254')
  await never.getByText('Connector “Cloud”').waitFor()
  await never.getByText('Cannot be allowed').waitFor()
  const connector = rowOf(page, 'Refused addresses', `${WIKI}:8091`)
  await connector.getByRole('button', { name: `Allow ${WIKI}:8091` }).click()
  const dialog = page.getByRole('dialog', { name: 'Allow a host' })
  assert.equal(await dialog.getByLabel('Reason').inputValue(), 'Needed by: Connector “Old wiki”')
  await dialog.getByRole('button', { name: 'Allow host' }).click()
  await connector.waitFor({ state: 'detached' })
  await webhook.getByRole('button', { name: `Allow ${WIKI}:8090` }).waitFor()
  const [approval] = await steps.ok('GET', '/admin/egress/approval')
  assert.deepEqual([approval.host, approval.port], [WIKI, 8091])
})

inBrowser('a host that is allowed already is not allowed twice', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByRole('button', { name: 'Allow a host' }).click()
  const dialog = page.getByRole('dialog', { name: 'Allow a host' })
  await dialog.getByLabel('Host name or IP address').fill(WIKI)
  await dialog.getByLabel('Port', { exact: true }).fill('8091')
  await dialog.getByLabel('Reason').fill('Again')
  await dialog.getByRole('button', { name: 'Allow host' }).click()
  await dialog.getByText(/already allows/).waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(`outbound calls are accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await open(page, url)
      await rowOf(page, 'Refused addresses', `${WIKI}:8090`).waitFor()
      await rowOf(page, 'Allowed hosts', WIKI).waitFor()
      await page.getByLabel('Address', { exact: true }).fill(WIKI)
      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByRole('region', { name: 'Check an address' }).getByRole('status').waitFor()
      await assertAccessible(page)
      await assertFits(page)
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/egress-${scheme}-${width}.png`, fullPage: true })
      await page.getByRole('button', { name: 'Allow a host' }).click()
      await page.getByRole('dialog', { name: 'Allow a host' }).waitFor()
      await assertAccessible(page)
    })
  }
}
