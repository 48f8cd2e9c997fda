// From a hit in an uploaded file to its page in the PDF, or to its passage on the page of the document.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { form, formHeaders } from '../api/multipart-form.ts'
import { createRequester } from '../api/request.ts'
import { connectorOf, createSetup, documentOf } from '../api/setup.ts'
import { pdf } from '../extract/pdf-writer.ts'
import { waitFor } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const HANDBOOK = pdf([{ text: 'About trains.' }, { text: 'About holidays: thirty days.' }, { text: 'About parking.' }])
const NOTES = `# Birds\n\n${'The heron stands in the reed. '.repeat(900)}\n\n# Fish\n\nThe pike hides.\n\n# End\n\nNo more.`
const FILES = [
  { field: 'files', name: 'handbook.pdf', type: 'application/pdf', content: HANDBOOK },
  { field: 'files', name: 'notes.md', type: 'text/markdown', content: NOTES },
]

const inBrowser = await openBrowser(async (server) => {
  const { ok, push, found } = createSetup(createRequester(server))
  const { file_paths } = await ok('POST', '/manage/admin/connector/file/upload', {
    ...{ bytes: form(...FILES), headers: formHeaders },
  })
  const config = { file_locations: file_paths, file_names: FILES.map((it) => it.name) }
  const connector = connectorOf('Files', {
    ...{ source: 'file', input_type: 'load_state', connector_specific_config: config },
    ...{ refresh_freq: null, prune_freq: null },
  })
  const { id } = await ok('POST', '/manage/admin/connector', { body: connector })
  await ok('PUT', `/manage/admin/connector/${id}/credential/0`, { body: {} })
  await push(documentOf('The kudu stands on a hill.', { id: 'kudu', semantic_identifier: 'Kudu' }))
  for (const word of ['holidays', 'pike'])
    await waitFor(async () => (await found(word)).length > 0, `"${word}" to be found`, 60_000)
})

async function openHit(page: Page, query: string): Promise<Page> {
  await page.getByRole('textbox', { name: 'Search' }).fill(query)
  const hit = page.getByRole('list', { name: 'Results' }).getByRole('heading').getByRole('link').first()
  await hit.waitFor()
  const opened = page.context().waitForEvent('page')
  await hit.click()
  return opened
}

inBrowser('a hit in a PDF opens the file at its page', {}, async ({ page, url }) => {
  const answer = page.context().waitForEvent('response', (it) => it.url().includes('/document/original'))
  const opened = await openHit(page, 'holidays')
  assert.equal((await answer).status(), 200)
  await opened.waitForURL(/\/api\/document\/original\?document_id=FILE_CONNECTOR__[0-9a-f-]{36}#page=2$/)
  assert.ok(opened.url().startsWith(url))
  assert.equal(await opened.evaluate('document.contentType'), 'application/pdf')
  await opened.close()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(
      `a hit in other files opens its text at the passage, ${scheme} ${width}`,
      { scheme, width },
      async ({ page }) => {
        const opened = await openHit(page, 'pike hides')
        await opened.locator('mark', { hasText: 'The pike hides.' }).waitFor()
        await opened.getByText('notes.md').waitFor()
        assert.ok(await opened.locator('mark').first().isVisible())
        await assertAccessible(opened)
        await assertFits(opened)
        const before = await opened.locator('.reader-section').count()
        await opened.getByRole('button', { name: 'Show earlier text' }).click()
        await waitFor(async () => (await opened.locator('.reader-section').count()) > before, 'earlier text')
        const original = opened.waitForEvent('popup')
        await opened.getByRole('link', { name: 'Open the original' }).click()
        const file = await original
        await file.waitForURL(/\/api\/document\/original\?/)
        assert.match((await file.evaluate('document.contentType')) as string, /^text\/plain/)
        await file.close()
        await opened.close()
      },
    )
  }
}

inBrowser('the outline leads to another section', {}, async ({ page }) => {
  const opened = await openHit(page, 'pike hides')
  await opened.getByRole('button', { name: 'End' }).click()
  await opened.waitForURL(/&section=\d+$/)
  await opened.getByText('No more.').waitFor()
  await opened.close()
})

inBrowser('a document without a link has its text too', {}, async ({ page, url }) => {
  await page.goto(`${url}/document?id=kudu&chunk=0`)
  await page.locator('mark', { hasText: 'The kudu stands on a hill.' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Open the original' }).count(), 0)
  await page.goto(`${url}/document?id=kudu&chunk=7`)
  await page.getByText('The document has changed since it was found').waitFor()
  await page.goto(`${url}/document?id=never`)
  await page.getByRole('heading', { name: 'The document was not found' }).waitFor()
})

inBrowser(
  'the original of a document leads a person without a session to the sign-in',
  { key: null },
  async ({ page, url }) => {
    await page.goto(`${url}/api/document/original?document_id=kudu`)
    await page.waitForURL((it) => it.pathname === '/sign-in' && it.searchParams.get('next') === '/document?id=kudu')
  },
)
