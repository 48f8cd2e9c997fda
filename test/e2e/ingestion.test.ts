import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { alterRecord } from '../record.ts'
import { type Server, settled } from '../server.ts'
import { assertAccessible, NARROW, openBrowser, SCHEMES } from './browser.ts'

let steps: ReturnType<typeof createSetup>
let server: Server

const inBrowser = await openBrowser(async (started: Server) => {
  server = started
  steps = createSetup(createRequester(server))
  for (const id of ['fine', 'given-up']) {
    await steps.ok('POST', '/service-api/ingestion', {
      body: { document: documentOf('x', { id, semantic_identifier: id }) },
    })
  }
  await settled(server)
  await alterRecord(
    server.dataDir,
    `update receipt set error = 'too odd', attempts = 3, indexed_at = null where document_id = 'given-up'`,
  )
  await steps.makeKey({ name: 'Nightly export', role: 'limited', scopes: ['ingest'] })
})

for (const scheme of SCHEMES) {
  for (const width of [1_440, NARROW]) {
    inBrowser(
      `the ingestion page is accessible, ${scheme}, ${width} wide`,
      { scheme, width },
      async ({ page, url }) => {
        await page.goto(`${url}/admin/ingestion`)
        await page.getByText('Nightly export').waitFor()
        await page.getByRole('row').filter({ hasText: 'given-up' }).waitFor()
        await assertAccessible(page)
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        assert.ok(overflow <= 0, `the page is ${overflow} px wider than the window`)
        await page.getByRole('button', { name: 'New key' }).click()
        await page.getByRole('dialog', { name: 'New key' }).waitFor()
        await assertAccessible(page)
      },
    )
  }
}

inBrowser(
  'a key created by keyboard is shown once, works, and stops working when deleted',
  {},
  async ({ page, url }) => {
    await page.goto(`${url}/admin/ingestion`)
    await page.getByRole('button', { name: 'New key' }).press('Enter')
    await page.getByLabel('Name').fill('Wiki export')
    await page.getByLabel('Name').press('Enter')
    const shown = page.getByRole('dialog', { name: 'Copy the key now' })
    const key = await shown.getByRole('figure', { name: 'The new key' }).locator('pre').innerText()
    assert.match(key, /^pharos_/)
    const { role, scopes } = await steps.ok('GET', '/me', { key })
    assert.deepEqual([role, scopes], ['limited', ['ingest']])
    await shown.getByRole('button', { name: 'Done' }).click()
    await shown.waitFor({ state: 'detached' })
    const row = page.getByRole('row').filter({ hasText: 'Wiki export' })
    await row.getByText('in 90 days').waitFor()
    assert.equal(await page.getByText(key).count(), 0)
    await row.getByRole('button', { name: 'Delete Wiki export' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click()
    await row.waitFor({ state: 'detached' })
    const { status } = await server.api('GET', '/me', undefined, { authorization: `Bearer ${key}` })
    assert.equal(status, 401)
  },
)

inBrowser('Escape closes the dialog without creating a key', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/ingestion`)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('Never')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const keys = await steps.ok('GET', '/admin/api-key')
  assert.ok(!keys.some((it: { api_key_name: string }) => it.api_key_name === 'Never'))
})

inBrowser('the example request works as shown, and its receipt appears', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/ingestion`)
  const request = await page.getByRole('figure', { name: 'Request that pushes a document' }).locator('pre').innerText()
  const env = { PATH: process.env.PATH, PHAROS_API_KEY: server.key }
  const answer = execFileSync('sh', ['-c', request], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] })
  assert.equal(JSON.parse(answer).document_id, 'handbook-1')
  const row = page.getByRole('row').filter({ hasText: 'handbook-1' })
  await row.getByText('Indexed').waitFor()
})

inBrowser('failed documents can be listed, with the reason and the fix', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/ingestion`)
  await page.getByRole('combobox', { name: 'Filter receipts' }).selectOption('failed')
  const table = page.getByRole('region', { name: 'Receipts' })
  await table.getByText('last error: too odd').waitFor()
  await page.getByRole('cell', { name: 'fine' }).waitFor({ state: 'detached' })
})

inBrowser(
  'a key without administrator access sees no keys and no other pages',
  { key: null },
  async ({ page, url }) => {
    const key = await steps.makeKey({ role: 'limited', scopes: ['ingest'] })
    await page.goto(url)
    await page.getByRole('button', { name: 'Use a key' }).click()
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'You do not have access to search' }).waitFor()
    assert.deepEqual(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents(), [
      'Search',
      'Administration',
    ])
    await page.getByRole('link', { name: 'Administration' }).click()
    await page.waitForURL(`${url}/admin/ingestion`)
    assert.deepEqual(
      await page.getByRole('navigation', { name: 'Administration' }).getByRole('link').allTextContents(),
      ['Ingestion', 'Documents', 'Trash'],
    )
    await page.getByText('Only administrators create keys.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'New key' }).count(), 0)
    await page.goto(`${url}/admin/connectors`)
    await page.getByRole('heading', { name: 'You do not have access to the page “Connectors”' }).waitFor()
  },
)
