// A document from its push to the trash and back, and why another person does not find it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { openSite, pageOf } from '../connectors/site.ts'
import { alterRecord } from '../record.ts'
import { type Server, settled, waitFor } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

let steps: ReturnType<typeof createSetup>
/** An id with every sign that an address treats specially, and a hostile title. */
const ID = 'https://wiki.example.com/a b?c=1&d=%2F#ü'
const HOSTILE = '<img src=x onerror=alert(1)> \u202Eplan'
const onlyAnn = {
  external_access: { is_public: false, external_user_emails: ['ann@example.com'], external_user_group_ids: [] },
}

const LONG = documentOf('', {
  ...{ id: 'long', semantic_identifier: 'Long read', source: 'port', metadata: { owner: 'port authority' } },
  sections: [
    { text: 'The quay needs paint. '.repeat(950), heading: 'Quay' },
    { text: 'The tide is low.', heading: null },
  ],
})

/** A connector reads this page, so that it can read it again. */
const CRAWLED = 'Notice of the port'

async function crawl(): Promise<void> {
  const site = await openSite()
  site.pages.set('/notice', pageOf(CRAWLED, 'The lock is closed on Sunday.'))
  const config = { base_url: `${site.url}/notice`, web_connector_type: 'single' }
  const connector = await steps.makeConnector('Notices', {
    ...{ source: 'web', refresh_freq: null, prune_freq: null, connector_specific_config: config },
  })
  await steps.ok('PUT', `/manage/admin/connector/${connector}/credential/0`, { body: {} })
  await waitFor(async () => {
    const { items } = await steps.ok('GET', `/service-api/receipts?title=${encodeURIComponent(CRAWLED)}`)
    return items.length > 0 && items[0].status === 'indexed'
  }, 'the page to be read')
}

const inBrowser = await openBrowser(
  async (server: Server) => {
    steps = createSetup(createRequester(server))
    for (const user_email of ['ann@example.com', 'bob@example.com']) await steps.makeKey({ role: 'basic', user_email })
    await steps.push(
      documentOf('The harbour buys cranes.', { id: ID, semantic_identifier: 'Harbour budget', ...onlyAnn }),
    )
    await steps.push(documentOf('text', { id: 'hostile', semantic_identifier: HOSTILE }))
    await steps.push(documentOf('text', { id: 'broken', semantic_identifier: 'Broken page' }))
    for (let at = 0; at < 60; at += 1)
      await steps.push(documentOf('text', { id: `page ${at}`, semantic_identifier: 'Page' }))
    await steps.push(LONG)
    const carl = await steps.makeKey({ role: 'limited', scopes: ['ingest'], user_email: 'carl@example.com' })
    await steps.push(documentOf('For Ann alone.', { id: 'sealed', ...onlyAnn }), {}, { key: carl })
    await steps.push(documentOf('High and low.', { id: 'tides' }), { cc_pair_id: await steps.makePair('Tide tables') })
    await crawl()
    await settled(server)
    await alterRecord(
      server.dataDir,
      `update receipt set error = 'too odd', attempts = 3, indexed_at = null where document_id = 'broken'`,
    )
  },
  { EGRESS_ALLOW: '127.0.0.1', CONNECTOR_REQUESTS_PER_SECOND: '0' },
)

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const partOf = (page: Page, name: string) => page.getByRole('region', { name })

inBrowser('a document is found by title, id and state', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/documents`)
  await rowOf(page, 'Page').first().waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await rowOf(page, 'Harbour budget').waitFor()
  await page.getByLabel('Title').fill('HARBOUR')
  await rowOf(page, 'Page').first().waitFor({ state: 'detached' })
  await rowOf(page, 'Harbour budget').waitFor()
  await page.getByLabel('Title').fill('')
  await page.getByLabel('Id').fill('hostile')
  await rowOf(page, 'Page').first().waitFor({ state: 'detached' })
  await rowOf(page, '<img src=x').waitFor()
  assert.equal(await page.getByRole('row').count(), 2)
  await page.getByLabel('Id').fill('')
  await page.getByLabel('State').selectOption('Failed')
  await page.getByRole('link', { name: 'Broken page' }).click()
  await partOf(page, 'Stages').getByText('last error: too odd', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Index again' }).click()
  await page.getByText('The document is indexed again.').waitFor()
  await partOf(page, 'Stages').getByText('1 passage is in the index.').waitFor()
})

inBrowser('the page of a document says why a person does not find it', {}, async ({ page, url }) => {
  await steps.ok('PATCH', '/admin/settings', { body: { view_as_enabled: false } })
  await page.goto(`${url}/admin/documents`)
  await page.getByLabel('Title').fill('harbour')
  await page.getByRole('link', { name: 'Harbour budget' }).click()
  await page.getByRole('heading', { name: 'Harbour budget', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Why is it not found?' }).click()
  const why = partOf(page, 'Why is it not found?')
  await why.getByText('The answer is about your own search.', { exact: false }).waitFor()
  await why.getByLabel('Query').fill('xylophone')
  await why.getByRole('button', { name: 'Explain' }).click()
  await why.getByText('The search loses the document at this step: Access.').waitFor()
  await steps.ok('PATCH', '/admin/settings', { body: { view_as_enabled: true } })
  await page.reload()
  await why.getByLabel('Query').fill('harbour cranes')
  await why.getByLabel('E-mail address of a person').fill('bob@example.com')
  await why.getByRole('button', { name: 'Explain' }).click()
  await why.getByText('The search loses the document at this step: Access.').waitFor()
  await why.getByText('Lost here').waitFor()
  await why.getByLabel('E-mail address of a person').fill('ann@example.com')
  await why.getByRole('button', { name: 'Explain' }).click()
  await why.getByText('The document is found, at rank 1.').waitFor()
  await page.getByRole('link', { name: 'Readers', exact: true }).click()
  const listed = page.getByRole('region', { name: 'Readers', exact: true })
  await listed.getByRole('row').filter({ hasText: 'ann@example.com' }).getByText('Active').waitFor()
  await listed.getByText('The document names this address.').waitFor()
  const readers = partOf(page, 'Who may read it?')
  await readers.getByLabel('E-mail address').fill('bob@example.com')
  await readers.getByRole('button', { name: 'Ask' }).click()
  await readers.getByText('No, the person may not read it.').waitFor()
  await page.reload()
  await readers.waitFor()
})

inBrowser('the text and the passages of a document are shown', {}, async ({ page, url }) => {
  await steps.ok('PATCH', '/admin/settings', { body: { view_as_enabled: false } })
  await page.goto(`${url}/admin/documents/long`)
  const version = partOf(page, 'Stored version')
  await version.getByText('A program pushed it').waitFor()
  await version.getByText('port authority').waitFor()
  await page.getByRole('link', { name: 'Text', exact: true }).click()
  const text = partOf(page, 'Text as it was extracted')
  await text.getByText('2 sections', { exact: false }).waitFor()
  await text.getByRole('heading', { name: 'Quay' }).waitFor()
  assert.equal(await text.getByText('The tide is low.').count(), 0)
  await text.getByRole('button', { name: 'Show more' }).click()
  await text.getByText('The tide is low.').waitFor()
  assert.equal(await text.getByRole('region', { name: /^Section/ }).count(), 2)
  await page.getByRole('link', { name: 'Passages', exact: true }).click()
  const passages = page.getByRole('region', { name: 'Passages', exact: true })
  await passages.getByText('Passage 1', { exact: true }).waitFor()
  await passages.getByText('Found by meaning').or(passages.getByText('No embedding model')).first().waitFor()
  await page.goto(`${url}/admin/documents/sealed?part=text`)
  await page.getByRole('heading', { name: 'You may not read this document' }).waitFor()
  await steps.ok('PATCH', '/admin/settings', { body: { view_as_enabled: true } })
  await page.reload()
  await partOf(page, 'Text as it was extracted').getByText('For Ann alone.').waitFor()
})

inBrowser('a document is hidden, stays listed, and is shown again', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/documents/hostile`)
  await page.getByRole('button', { name: 'Hide', exact: true }).click()
  await page.getByText('The document is hidden.').waitFor()
  await page.getByRole('link', { name: 'All documents' }).click()
  await page.getByLabel('Visibility').selectOption('Hidden')
  await rowOf(page, 'Page').first().waitFor({ state: 'detached' })
  await rowOf(page, '<img src=x').getByText('Hidden', { exact: true }).waitFor()
  await page.getByRole('link', { name: HOSTILE }).click()
  await page.getByRole('button', { name: 'Show again' }).click()
  await page.getByText('is shown again.', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Hide', exact: true }).click()
  await page.getByText('is hidden now', { exact: false }).waitFor()
  await page.getByRole('link', { name: 'All documents' }).click()
  await page.getByLabel('Visibility').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('is shown again.', { exact: false }).waitFor()
  await page.getByLabel('Visibility').selectOption('Hidden')
  await rowOf(page, '<img src=x').waitFor({ state: 'detached' })
})

inBrowser('a document is read again from its source; a pushed one has none', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/documents`)
  await page.getByLabel('Title').fill('notice')
  await page.getByRole('link', { name: CRAWLED }).click()
  await partOf(page, 'Stored version').getByText('A connector read it').waitFor()
  await page.getByRole('button', { name: 'Read again from its source' }).click()
  await page.getByText('Its connector reads the document again.').waitFor()
  await page.goto(`${url}/admin/documents/long`)
  await partOf(page, 'Stored version').getByText('A program pushed it').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Read again from its source' }).count(), 0)
})

inBrowser('the listing is filtered by source and exported', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/documents`)
  await page.getByLabel('Source').fill('port')
  await rowOf(page, 'Page').first().waitFor({ state: 'detached' })
  await rowOf(page, 'Long read').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  const rows = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\r\n')
  assert.equal(rows.length, 2)
  assert.match(rows[1] ?? '', /^long,Long read,port,/)
})

inBrowser('documents are listed by id, those of a connector with their state', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/documents`)
  await page.getByRole('link', { name: 'By id' }).click()
  await page.getByRole('heading', { name: 'Documents by id', level: 1 }).waitFor()
  await rowOf(page, 'hostile').waitFor()
  await page.getByLabel('Documents of').selectOption('Tide tables')
  await rowOf(page, 'hostile').waitFor({ state: 'detached' })
  const row = rowOf(page, 'tides')
  await row.waitFor()
  assert.equal(await row.getByRole('cell').count(), 4)
  assert.equal(await row.getByText('Waiting').count(), 0)
})

inBrowser('a document is deleted, and restored by undo and from the trash', {}, async ({ page, url }) => {
  const remove = async () => {
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('“Harbour budget” is in the trash').waitFor()
  }
  const address = `${url}/admin/documents/${encodeURIComponent(ID)}`
  await page.goto(address)
  await remove()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('“Harbour budget” was restored.', { exact: false }).waitFor()
  await remove()
  await page.getByRole('link', { name: 'trash', exact: true }).click()
  await page.getByRole('heading', { name: 'Trash', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Restore Harbour budget' }).click()
  await page.getByText('“Harbour budget” was restored.', { exact: false }).waitFor()
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
  await page.goto(address)
  await page.getByRole('heading', { name: 'Harbour budget', level: 1 }).waitFor()
})

inBrowser('documents in the trash are found, and deleted for good one by one or all', {}, async ({ page, url }) => {
  for (const id of ['page 1', 'page 2', 'hostile'])
    await steps.ok('DELETE', `/service-api/ingestion/${encodeURIComponent(id)}`)
  await page.goto(`${url}/admin/trash`)
  await rowOf(page, 'page 1').waitFor()
  await page.getByLabel('Title').fill('IMG SRC')
  await rowOf(page, 'page 1').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Delete for good: / }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('1 document was deleted for good.').waitFor()
  await page.getByText('No document matches the filters').waitFor()
  await page.getByLabel('Title').fill('')
  await rowOf(page, 'page 1').waitFor()
  await page.getByRole('button', { name: 'Empty the trash' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Empty the trash' }).click()
  await page.getByText('2 documents were deleted for good.').waitFor()
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
})

inBrowser('the pages are accessible in both themes and widths', {}, async ({ page, url }) => {
  await steps.push(documentOf('text', { id: 'trashed', semantic_identifier: `Trashed-${'x'.repeat(90)}` }))
  await steps.ok('DELETE', '/service-api/ingestion/trashed')
  for (const scheme of SCHEMES)
    for (const width of [1_280, NARROW]) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: 900 })
      for (const [name, path, seen] of [
        ['documents', '/admin/documents', 'Harbour budget'],
        ['document', `/admin/documents/${encodeURIComponent(ID)}`, 'Harbour budget'],
        ['text', '/admin/documents/long?part=text', 'The quay needs paint.'],
        ['passages', '/admin/documents/long?part=passages', 'The quay needs paint.'],
        ['readers', `/admin/documents/${encodeURIComponent(ID)}?part=readers`, 'ann@example.com'],
        ['by id', '/admin/documents?order=by_id', 'Long read'],
        ['trash', '/admin/trash', 'Trashed-'],
      ] as const) {
        await page.goto(`${url}${path}`)
        if (name === 'documents') await page.getByLabel('Title').fill('harbour')
        await page.getByText(seen).first().waitFor()
        await assertAccessible(page)
        await assertFits(page, name)
      }
    }
})
