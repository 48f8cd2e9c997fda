import assert from 'node:assert/strict'
import { asking } from '../api/ask.ts'
import { stepsOf } from '../api/steps.ts'
import { alterRecord } from '../record.ts'
import { type Server, settled } from '../server.ts'
import { assertAccessible, NARROW, SCHEMES, stage } from './browser.ts'

let steps: ReturnType<typeof stepsOf>
let wiki = 0

const inBrowser = await stage(async (server: Server) => {
  steps = stepsOf(asking(server))
  wiki = await steps.makePair('Company wiki')
  await steps.makePair('Support tickets', {}, { source: 'helpdesk', connector_specific_config: { project: 'SUP' } })
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
    inBrowser(`the connectors are accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      for (const path of ['/admin/connectors', `/admin/connector/${wiki}`]) {
        await page.goto(url + path)
        await page.getByText('Company wiki').first().waitFor()
        await page
          .getByText(/could not be indexed/)
          .first()
          .waitFor()
        await assertAccessible(page)
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        assert.ok(overflow <= 0, `${path} is ${overflow} px wider than the window`)
      }
    })
  }
}

inBrowser('connectors stand by source, each with its counts and why it is where it is', {}, async ({ page }) => {
  await page.getByRole('link', { name: 'Connectors' }).click()
  const web = page.getByRole('region', { name: 'Intranet', exact: true })
  const row = web.getByRole('row').filter({ hasText: 'Company wiki' })
  await row.getByText('11 indexed, 1 failed').waitFor()
  await row.getByText('1 could not be indexed, their receipts say why').waitFor()
  await row.getByText('With errors').waitFor()
  await page.getByRole('region', { name: 'Helpdesk', exact: true }).getByText('No documents yet').waitFor()
})

inBrowser('the page follows what happens, without being asked', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connectors`)
  await page.getByText('Company wiki').waitFor()
  assert.equal(await page.getByText('Made meanwhile').count(), 0)
  const pair = await steps.makePair('Made meanwhile')
  await page.getByText('Made meanwhile').waitFor()
  const document = { id: 'meanwhile', semantic_identifier: 'x', sections: [{ text: 'x' }], source: 'web', metadata: {} }
  await steps.ok('POST', '/service-api/ingestion', { body: { document, cc_pair_id: pair } })
  await page.getByRole('row').filter({ hasText: 'Made meanwhile' }).getByText('1 indexed').waitFor()
})

inBrowser('filters by name and by state', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connectors`)
  await page.getByRole('textbox', { name: 'Filter by name' }).fill('TICKETS')
  await page.getByText('Company wiki').waitFor({ state: 'detached' })
  await page.getByText('Support tickets').waitFor()
  await page.getByRole('combobox', { name: 'State' }).selectOption('failed')
  await page.getByRole('heading', { name: 'No connector passes the filters' }).waitFor()
})

inBrowser('a connector has an address that ends with its number, and tells its errors', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connectors`)
  await page.getByRole('link', { name: 'Company wiki' }).click()
  await page.waitForURL(`${url}/admin/connector/${wiki}`)
  await page.getByRole('heading', { name: 'Company wiki', level: 1 }).waitFor()
  assert.equal(await page.title(), 'Company wiki · Pharos')
  const errors = page.getByRole('region', { name: 'Documents that failed' })
  await errors.getByRole('row').filter({ hasText: 'page-3' }).getByText('the text is no text').waitFor()
})

inBrowser('a connector can be paused, and taken up again', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connector/${wiki}`)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused', { exact: true }).waitFor()
  assert.equal((await steps.ok('GET', `/manage/admin/cc-pair/${wiki}`)).status, 'PAUSED')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  assert.equal((await steps.ok('GET', `/manage/admin/cc-pair/${wiki}`)).status, 'ACTIVE')
})

inBrowser('a connector that is not there is said not to be', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connector/999`)
  await page.getByRole('alert').getByText('does not exist: 999').waitFor()
  await page.goto(`${url}/admin/connector/x`)
  await page.getByRole('heading', { name: 'There is no such connector' }).waitFor()
})
