import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { createRequester, type Requester } from '../api/request.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES } from './browser.ts'

let ask: Requester

const inBrowser = await openBrowser(async (server: Server) => {
  ask = createRequester(server)
})

const open = async (page: Page, url: string) => {
  await page.goto(`${url}/admin/about`)
  await page.getByRole('heading', { name: 'About Pharos', level: 1 }).waitFor()
}

inBrowser('the page shows the version and the health of the service', {}, async ({ page, url }) => {
  await open(page, url)
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const section = page.getByRole('region', { name: 'Version' })
  await section.getByText(version, { exact: true }).waitFor()
  await section.getByText('Development', { exact: true }).waitFor()
  await section.getByText('SQLite, in a file of this service').waitFor()
  await page.getByRole('region', { name: 'Health' }).getByText('Healthy', { exact: true }).waitFor()
  const [docs] = await Promise.all([
    page.waitForResponse(/\/docs$/),
    page.getByRole('link', { name: 'reference' }).click(),
  ])
  assert.equal(docs.status(), 200)
})

inBrowser('a key for metrics reads them, and nothing else', {}, async ({ page, url }) => {
  await open(page, url)
  const section = page.getByRole('region', { name: 'Metrics' })
  await section.getByText(`- targets: ['${new URL(url).host}']`).waitFor()
  await section.getByRole('button', { name: 'New key for metrics' }).click()
  const dialog = page.getByRole('dialog', { name: 'New key for metrics' })
  await dialog.getByLabel('Name').fill('Prometheus')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const key = (await page.getByRole('figure', { name: 'The new key' }).locator('pre').textContent()) ?? ''
  const metrics = await ask('GET', '/metrics', { key })
  assert.equal(metrics.status, 200)
  assert.match(metrics.text, /^pharos_/m)
  assert.equal((await ask('POST', '/search', { key, body: { query: 'okapi' } })).status, 403)
})

inBrowser('packages are found by name and by licence', {}, async ({ page, url }) => {
  await open(page, url)
  const section = page.getByRole('region', { name: 'Licences' })
  await section.getByRole('button', { name: /^Show all \d+ packages$/ }).click()
  assert.ok(Number(await section.getByRole('table').getAttribute('aria-rowcount')) > 100)
  await section.getByLabel('Find a package').fill('@mantine/core')
  await section.getByText('1 package', { exact: true }).waitFor()
  await section.getByRole('row', { name: /^@mantine\/core .* MIT$/ }).waitFor()
  await section.getByLabel('Find a package').fill('no such licence')
  await section.getByText('No package matches.').waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(`the page is accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await open(page, url)
      await page.getByText('Healthy', { exact: true }).waitFor()
      await assertAccessible(page)
      await assertFits(page)
    })
  }
}
