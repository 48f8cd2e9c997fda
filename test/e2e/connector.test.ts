// The page of one connector, over a site that changes, loses pages, fails and returns what cannot be read.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { openSite, pageOf, type Site } from '../connectors/site.ts'
import { type Server, waitFor } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer of the API.
type Json = any
let steps: ReturnType<typeof createSetup>
let site: Site
let pair = 0

const NAMES = ['a', 'b', 'c'].map((it) => `/${it}.html`)
const until = <T>(look: () => Promise<T | false>, what: string) => waitFor(look, what, 60_000)

const attempts = async (): Promise<Json[]> =>
  (await steps.ok('GET', `/manage/admin/cc-pair/${pair}/index-attempts?page_size=100`)).items

const ended = (count: number) =>
  until(async () => {
    const all = await attempts()
    return all.length >= count && all.every((it) => it.time_finished !== null)
  }, `${count} ended runs`)

async function runAndWait(page: Page): Promise<void> {
  const { length } = await attempts()
  await page.getByRole('button', { name: 'Sync now' }).click()
  await ended(length + 1)
}

function fillSite(): void {
  site.pages.set('/', pageOf('Start', 'the start of all', [...NAMES, '/hidden.html', '/teapot.html']))
  for (const it of NAMES) site.pages.set(it, pageOf(`Page ${it}`, `this is the page ${it}`))
  site.pages.set('/hidden.html', pageOf('Hidden', 'not for you', [], '<meta name="robots" content="noindex">'))
  site.pages.set('/teapot.html', { status: 418, body: 'a teapot' })
}

const inBrowser = await openBrowser(
  async (server: Server) => {
    steps = createSetup(createRequester(server))
    site = await openSite()
    fillSite()
    const config = { base_url: `${site.url}/`, web_connector_type: 'recursive' }
    const body = { name: 'Handbook', source: 'web', input_type: 'poll', access_type: 'public', refresh_freq: 86_400 }
    const { id } = await steps.ok('POST', '/manage/admin/connector', {
      body: { ...body, connector_specific_config: config },
    })
    pair = (await steps.ok('PUT', `/manage/admin/connector/${id}/credential/0`, { body: {} })).data
    await ended(1)
  },
  { EGRESS_ALLOW: '127.0.0.1', CONNECTOR_REQUESTS_PER_SECOND: '0' },
)

/** Writes what a person sees, for a person who looks. */
const SHOTS = process.env.SHOTS
const shoot = async (page: Page, name: string) => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true })
}

const address = (url: string) => `${url}/admin/connector/${pair}`

inBrowser('failed and skipped documents are named with the reason, and read again', {}, async ({ page, url }) => {
  await page.goto(address(url))
  const failed = page.getByRole('region', { name: /^Failed documents/ })
  const skipped = page.getByRole('region', { name: /^Skipped documents/ })
  await failed
    .getByRole('row', { name: /teapot/ })
    .getByText('The page returned HTTP 418.')
    .waitFor()
  await skipped
    .getByRole('row', { name: /hidden/ })
    .getByText('The page is marked noindex.')
    .waitFor()
  site.pages.set('/teapot.html', pageOf('Teapot', 'short and stout'))
  await failed.getByRole('button', { name: /^Read again: .*teapot.html$/ }).click()
  await failed.getByText('No document failed.').waitFor()
  site.pages.set('/hidden.html', pageOf('Hidden', 'found at last'))
  await ended(2)
  await skipped.getByRole('button', { name: 'Read all again' }).click()
  await skipped.getByText('No document was skipped.').waitFor()
})

inBrowser('runs are bars and rows with counts, and each has a log', {}, async ({ page, url }) => {
  await page.goto(address(url))
  const runs = page.getByRole('region', { name: 'Runs', exact: true })
  const first = runs.getByRole('row').last()
  await first.getByText('With errors').waitFor()
  await runs
    .getByRole('button', { name: /: With errors, / })
    .first()
    .focus()
  await page.keyboard.press('Enter')
  const log = page.getByRole('dialog', { name: /^Log of run/ })
  await log.getByText('The run reads everything.').waitFor()
  await log.getByText('/teapot.html failed (fetch): The page returned HTTP 418.').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    log.getByRole('link', { name: 'Download' }).click(),
  ])
  assert.match(download.suggestedFilename(), /^run-\d+\.txt$/)
  await log.getByRole('button', { name: 'Close' }).click()
})

inBrowser('a check lists what is then deleted, and a rejected one deletes nothing', {}, async ({ page, url }) => {
  site.pages.set('/', pageOf('Start', 'fewer pages', ['/a.html', '/hidden.html', '/teapot.html', '/late.html']))
  site.pages.set('/late.html', pageOf('Late', 'came after the last run'))
  site.pages.delete('/b.html')
  site.pages.delete('/c.html')
  await page.goto(address(url))
  const prune = page.getByRole('region', { name: 'Deleted in the source' })
  const check = prune.getByRole('button', { name: 'Check what would be deleted' })
  const documents = async (): Promise<string[]> =>
    (await steps.ok('GET', `/service-api/connector-docs/${pair}`)).map((it: Json) => it.document_id)
  const before = await documents()
  await check.click()
  await prune.getByText('2 documents are no longer in the source').waitFor()
  await page.getByText('Deletion needs confirmation').first().waitFor()
  await prune.getByRole('button', { name: 'Keep them' }).click()
  await check.waitFor()
  assert.deepEqual(await documents(), before)
  await check.click()
  await prune.getByRole('button', { name: 'Delete 2 documents' }).waitFor()
  const named = await prune.getByRole('row').getByRole('link').allInnerTexts()
  await prune.getByRole('button', { name: 'Delete 2 documents' }).click()
  await prune.getByText(/The last check was .*: 2 documents were deleted\./).waitFor()
  const gone = before.filter((it) => named.includes(it))
  assert.deepEqual(gone, [`${site.url}/b.html`, `${site.url}/c.html`])
  assert.deepEqual(
    await documents(),
    before.filter((it) => !gone.includes(it)),
  )
  const missing = page.getByRole('region', { name: /^Completeness/ })
  await missing
    .getByRole('row', { name: /late\.html/ })
    .getByText('Not read yet')
    .waitFor()
  await runAndWait(page)
  await missing.getByText('Every document that the source listed is here.').waitFor()
})

inBrowser('a change of another person is shown before it is overwritten', {}, async ({ page, url }) => {
  await page.goto(address(url))
  const { connector } = await steps.ok('GET', `/manage/admin/cc-pair/${pair}`)
  const { length } = await attempts()
  await page.getByRole('button', { name: 'Edit configuration' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit the configuration' })
  await dialog.getByRole('textbox', { name: 'Max depth' }).fill('5')
  await dialog.getByRole('button', { name: 'Review changes' }).click()
  await dialog.getByRole('row', { name: 'Max depth empty 5' }).waitFor()
  const { name, source, input_type, connector_specific_config } = connector
  const config = { ...connector_specific_config, max_pages: 50 }
  const body = { name, source, input_type, access_type: 'public', refresh_freq: 7_200 }
  await steps.ok('PATCH', `/manage/admin/connector/${connector.id}`, {
    body: { ...body, connector_specific_config: config },
  })
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await dialog.getByText('Another person changed this connector meanwhile').waitFor()
  const theirs = dialog.getByRole('group', { name: 'The other person’s changes' })
  await theirs.getByRole('row', { name: 'Max pages empty 50' }).waitFor()
  await theirs.getByRole('row', { name: /^Sync every … minutes 1440 120$/ }).waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Save my changes too' }).click()
  await dialog.waitFor({ state: 'detached' })
  const after = (await steps.ok('GET', `/manage/admin/cc-pair/${pair}`)).connector
  assert.deepEqual(after.connector_specific_config, { ...config, max_depth: 5 })
  assert.equal(after.refresh_freq, 7_200)
  await ended(length + 1)
})

inBrowser(
  'an action that stops being possible keeps the focus, and Escape closes its menu',
  {},
  async ({ page, url }) => {
    await page.goto(address(url))
    await page.getByRole('button', { name: 'More' }).press('Enter')
    const item = page.getByRole('menuitem', { name: 'Read everything again' })
    await item.focus()
    await steps.ok('PUT', `/manage/admin/cc-pair/${pair}/status`, { body: { status: 'PAUSED' } })
    await page.locator('[role=menuitem][aria-disabled=true]:focus').waitFor()
    const { length } = await attempts()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await item.waitFor({ state: 'detached' })
    await steps.ok('PUT', `/manage/admin/cc-pair/${pair}/status`, { body: { status: 'ACTIVE' } })
    assert.equal((await attempts()).length, length)
  },
)

inBrowser('a failing connector looks failing on both pages, and can be paused', {}, async ({ page, url }) => {
  site.pages.set('/', { status: 403, body: 'no' })
  await page.goto(address(url))
  await runAndWait(page)
  await page.getByText('Sync failed').first().waitFor()
  await page.locator('.connector-reason').getByText('HTTP 403').waitFor()
  await page.goto(`${url}/admin/connectors`)
  await shoot(page, 'listing-failing')
  const row = page.getByRole('row').filter({ hasText: 'Handbook' })
  await row.getByText('Sync failed', { exact: true }).waitFor()
  await row.getByText('HTTP 403').waitFor()
  const [table] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export CSV' }).click(),
  ])
  assert.match(await readFile(await table.path(), 'utf8'), /^cc_pair_id,.*\r\n\d+,Handbook,web,failing,/)
  await page.getByRole('alert').getByRole('link', { name: 'Handbook' }).click()
  await page.waitForURL(address(url))
  fillSite()
  await runAndWait(page)
  await page.locator('.connector-reason.failing').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
})

const DIALOGS = [
  ['Rename', 'Rename the connector'],
  ['Change access', 'Who reads the documents'],
  ['Delete', 'Delete the connector?'],
] as const

inBrowser('a source that answers 503 to everything is named at once, with the next try', {}, async ({ page, url }) => {
  const kept = new Map(site.pages)
  for (const path of kept.keys()) site.pages.set(path, { status: 503, body: 'down' })
  await page.goto(`${url}/admin/connector/${pair}`)
  await page.getByRole('button', { name: 'Sync now' }).click()
  const host = new URL(site.url).host
  await page.getByText(`The run waits for the source: ${host} answered 503. The next try is`).waitFor()
  for (const [path, content] of kept) site.pages.set(path, content)
  await until(async () => (await attempts()).every((it) => it.time_finished !== null), 'the end of the run')
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(`the page and its dialogs are accessible, ${scheme}, ${width} wide`, { scheme, width }, async (visit) => {
      const { page, url } = visit
      await page.goto(address(url))
      await page.getByRole('region', { name: 'Runs', exact: true }).getByRole('row').nth(1).waitFor()
      await page
        .getByRole('region', { name: /^Skipped documents/ })
        .getByRole('row')
        .nth(1)
        .waitFor()
      await shoot(page, `page-${scheme}-${width}`)
      await assertAccessible(page)
      await assertFits(page)
      for (const [item, title] of DIALOGS) {
        await page.getByRole('button', { name: 'More' }).click()
        await page.getByRole('menuitem', { name: item }).click()
        const dialog = page.getByRole('dialog', { name: title })
        await dialog.waitFor()
        await shoot(page, `${item.toLowerCase().replace(' ', '-')}-${scheme}-${width}`)
        await assertAccessible(page)
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      }
      await page.getByRole('button', { name: 'Edit configuration' }).click()
      await page.getByRole('textbox', { name: 'Base url' }).waitFor()
      await assertAccessible(page)
      await shoot(page, `edit-${scheme}-${width}`)
    })
  }
}

inBrowser('the pages are German for a German browser', {}, async ({ page, url }) => {
  await page.addInitScript("Object.defineProperty(navigator, 'languages', { get: () => ['de-DE'] })")
  await page.goto(`${url}/admin/connectors`)
  await page.getByRole('heading', { name: 'Konnektoren', level: 1 }).waitFor()
  await page.getByRole('row').filter({ hasText: 'Handbook' }).waitFor()
  await shoot(page, 'listing-de')
  await page.goto(address(url))
  await page.getByRole('region', { name: 'In der Quelle gelöscht' }).waitFor()
  await page.getByRole('region', { name: 'Läufe' }).getByRole('row').nth(1).waitFor()
  await shoot(page, 'page-de')
  await assertAccessible(page)
})

inBrowser('a connector is renamed, closed to everybody, and deleted with its name', {}, async ({ page, url }) => {
  await page.goto(address(url))
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await choose('Rename')
  await page.getByRole('textbox', { name: 'Name' }).fill('Staff handbook')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('heading', { name: 'Staff handbook', level: 1 }).waitFor()
  await choose('Change access')
  await page.getByRole('radio', { name: 'Groups' }).click()
  await page.getByRole('button', { name: 'Save access' }).click()
  await page.getByText('No group', { exact: true }).waitFor()
  await choose('Delete')
  const dialog = page.getByRole('dialog', { name: 'Delete the connector?' })
  await dialog.getByText(/documents move to the trash/).waitFor()
  await dialog.getByText(/The configuration is deleted/).waitFor()
  const submit = dialog.getByRole('button', { name: 'Delete connector' })
  await dialog.getByRole('textbox').fill('Handbook')
  assert.ok(await submit.isDisabled())
  await dialog.getByRole('textbox').fill('Staff handbook')
  await submit.click()
  await page.waitForURL(`${url}/admin/connectors`)
  await page.goto(address(url))
  await page.getByRole('heading', { name: /^This connector (?:does not exist|was deleted)$/ }).waitFor()
})
