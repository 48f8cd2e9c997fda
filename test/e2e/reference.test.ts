import assert from 'node:assert/strict'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const inBrowser = await openBrowser(async () => {})

for (const scheme of SCHEMES) {
  for (const width of [1_440, NARROW]) {
    inBrowser(`the reference is accessible, ${scheme}, ${width} wide`, { key: null, scheme, width }, async (it) => {
      await it.page.goto(`${it.url}/docs#searchDocuments`)
      await it.page.getByRole('button', { name: 'Python' }).first().waitFor()
      await assertAccessible(it.page)
      await assertFits(it.page)
    })
  }
}

inBrowser('an operation can be found, opened and shown in three languages', { key: null }, async ({ page, url }) => {
  await page.goto(`${url}/docs`)
  await page.getByRole('searchbox', { name: 'Find an operation' }).fill('create webhook')
  await page.getByText('1 operation', { exact: true }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Create webhook' }).click()
  const operation = page.locator('#createWebhook')
  const sample = operation.locator('pre')
  await sample.waitFor()
  assert.match(await sample.innerText(), new RegExp(`^curl -X POST '${url}/admin/webhook'`))
  await operation.getByRole('button', { name: 'TypeScript' }).click()
  assert.match(await sample.innerText(), /await fetch\('http.*\/admin\/webhook'[\s\S]*"url": "https:\/\/example.com\/"/)
  await operation.getByRole('button', { name: 'Python' }).click()
  assert.match(await sample.innerText(), /urllib\.request\.Request\(/)
})

inBrowser('a link to a schema opens it', { key: null }, async ({ page, url }) => {
  await page.goto(`${url}/docs#schema-SearchRequest`)
  await page.locator('#schema-SearchRequest').getByText('num_hits', { exact: true }).waitFor()
})
