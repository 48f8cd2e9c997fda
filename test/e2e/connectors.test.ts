import assert from 'node:assert/strict'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { alterRecord } from '../record.ts'
import { type Server, settled } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

let steps: ReturnType<typeof createSetup>
let server: Server
let wiki = 0
let nameless = 0

const inBrowser = await openBrowser(async (started: Server) => {
  server = started
  steps = createSetup(createRequester(server))
  wiki = await steps.makePair('Company wiki')
  await steps.makePair('Support tickets', {}, { source: 'helpdesk', connector_specific_config: { project: 'SUP' } })
  nameless = await steps.makePair('To lose its name', {}, { source: 'archive' })
  for (let at = 0; at < 12; at++) {
    const document = {
      id: `page-${at}`,
      semantic_identifier: `Page ${at}`,
      sections: [{ text: 'x' }],
      source: 'web',
      metadata: {},
    }
    await steps.ok('POST', '/service-api/ingestion', { body: { document, cc_pair_id: wiki } })
  }
  await settled(server)
  await alterRecord(
    server.dataDir,
    `update receipt set error = 'the text is no text', attempts = 3, indexed_at = null where document_id = 'page-3'`,
  )
})

for (const scheme of SCHEMES) {
  for (const width of [1_440, NARROW]) {
    inBrowser(
      `the connectors page is accessible, ${scheme}, ${width} wide`,
      { scheme, width },
      async ({ page, url }) => {
        for (const path of ['/admin/connectors', `/admin/connector/${wiki}`]) {
          await page.goto(url + path)
          await page.getByText('Company wiki').first().waitFor()
          await page
            .getByText(/could not be indexed/)
            .first()
            .waitFor()
          await assertAccessible(page)
          await assertFits(page, path)
        }
      },
    )
  }
}

inBrowser('connectors are listed by source, with counts and a status reason', {}, async ({ page }) => {
  await page.getByRole('link', { name: 'Administration' }).click()
  await page.getByRole('link', { name: 'Connectors' }).click()
  const web = page.getByRole('region', { name: 'Intranet', exact: true })
  const row = web.getByRole('row').filter({ hasText: 'Company wiki' })
  await row.getByText('11 indexed, 1 failed').waitFor()
  await row.getByText('1 could not be indexed, see their receipts').waitFor()
  await row.getByText('With errors').waitFor()
  await page.getByRole('region', { name: 'Helpdesk', exact: true }).getByText('No documents yet').waitFor()
})

inBrowser('the page updates live', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connectors`)
  await page.getByText('Company wiki').waitFor()
  assert.equal(await page.getByText('Made meanwhile').count(), 0)
  const pair = await steps.makePair('Made meanwhile')
  await page.getByText('Made meanwhile').waitFor()
  const document = { id: 'meanwhile', semantic_identifier: 'x', sections: [{ text: 'x' }], source: 'web', metadata: {} }
  await steps.ok('POST', '/service-api/ingestion', { body: { document, cc_pair_id: pair } })
  await page.getByRole('row').filter({ hasText: 'Made meanwhile' }).getByText('1 indexed').waitFor()
})

inBrowser('connectors can be filtered by name and status', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connectors`)
  await page.getByRole('textbox', { name: 'Filter by name' }).fill('TICKETS')
  await page.getByText('Company wiki').waitFor({ state: 'detached' })
  await page.getByText('Support tickets').waitFor()
  await page.getByRole('combobox', { name: 'State' }).selectOption('with_errors')
  await page.getByRole('heading', { name: 'No connector matches the filters' }).waitFor()
})

inBrowser('the connector page has the id in its URL and lists errors', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connectors`)
  await page.getByRole('link', { name: 'Company wiki' }).click()
  await page.waitForURL(`${url}/admin/connector/${wiki}`)
  await page.getByRole('heading', { name: 'Company wiki', level: 1 }).waitFor()
  assert.equal(await page.title(), 'Company wiki · Pharos')
  const errors = page.getByRole('region', { name: 'Failed documents' })
  await errors.getByRole('row').filter({ hasText: 'page-3' }).getByText('the text is no text').waitFor()
})

inBrowser('a connector can be paused and resumed', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connector/${wiki}`)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused', { exact: true }).waitFor()
  assert.equal((await steps.ok('GET', `/manage/admin/cc-pair/${wiki}`)).status, 'PAUSED')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  assert.equal((await steps.ok('GET', `/manage/admin/cc-pair/${wiki}`)).status, 'ACTIVE')
})

inBrowser('an unknown connector id shows a message', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connector/999`)
  await page.getByRole('heading', { name: 'This connector does not exist' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  await page.goto(`${url}/admin/connector/x`)
  await page.getByRole('heading', { name: 'This connector does not exist' }).waitFor()
  await page.getByRole('link', { name: 'Go to the connectors' }).click()
  await page.waitForURL(`${url}/admin/connectors`)
})

inBrowser('pushed documents have a row and count in the total', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connectors`)
  await page.getByText('Company wiki').first().waitFor()
  const sum = page.locator('.facts > div').filter({ hasText: 'Documents indexed' }).locator('dd')
  const before = Number(await sum.innerText())
  await steps.push({
    id: 'loose',
    semantic_identifier: 'Loose',
    sections: [{ text: 'x' }],
    source: 'web',
    metadata: {},
  })
  const row = page.getByRole('row').filter({ hasText: 'Pushed through the API' })
  await row.getByText('1 indexed').waitFor()
  await row.getByText('Documents pushed without a `cc_pair_id`; all are indexed.').waitFor()
  assert.equal(Number(await sum.innerText()), before + 1)
  await row.getByRole('link').click()
  await page.getByRole('heading', { name: 'Pushed through the API', level: 1 }).waitFor()
})

inBrowser('a connector without a credential is listed and can be connected or deleted', {}, async ({ page, url }) => {
  await steps.makeConnector('Half made')
  await steps.makeConnector('Not wanted')
  await page.goto(`${url}/admin/connectors`)
  const waiting = page.getByRole('region', { name: 'Not connected yet', exact: true })
  await waiting.getByText('Half made').waitFor()
  await assertAccessible(page)
  const unwanted = waiting.getByRole('listitem', { name: 'Not wanted' })
  await unwanted.getByRole('button', { name: 'Delete' }).click()
  await unwanted.getByRole('button', { name: 'Confirm deletion' }).click()
  await unwanted.waitFor({ state: 'detached' })
  await waiting.getByRole('listitem', { name: 'Half made' }).getByRole('button', { name: 'Connect' }).click()
  await waiting.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Half made' }).waitFor()
  assert.ok(
    !(await steps.ok('GET', '/manage/admin/connector')).some((it: { name: string }) => it.name === 'Not wanted'),
  )
})

inBrowser('an old connector without a name is listed and can be opened', {}, async ({ page, url }) => {
  await alterRecord(server.dataDir, `update cc_pair set name = '' where id = ${nameless}`)
  await page.goto(`${url}/admin/connectors`)
  await page.getByRole('link', { name: `Connector ${nameless} (unnamed)` }).click()
  await page.getByRole('heading', { name: `Connector ${nameless} (unnamed)`, level: 1 }).waitFor()
})
