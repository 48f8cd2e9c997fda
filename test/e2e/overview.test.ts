// The overview of the administration, with measurements that are in the record, and others that are made meanwhile.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { alterRecord } from '../record.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES, tryAgain } from './browser.ts'

const MINUTE = 60_000
let steps: ReturnType<typeof createSetup>
let server: Server

/** Adds measurements of the hour before, with a gap of ten minutes. */
function measureHour(): Promise<void> {
  const now = Math.floor(Date.now() / MINUTE) * MINUTE
  const rows = Array.from({ length: 55 }, (_, at) => 55 - at).flatMap((minutes) => {
    if (minutes >= 20 && minutes < 30) return []
    const wave = Math.sin(minutes / 6) + 1
    const measurements = {
      measured_ms: MINUTE,
      documents_accepted: Math.round(300 * wave),
      documents_indexed: Math.round(280 * wave),
      documents_failed: minutes === 12 ? 3 : 0,
      searches: { 50: Math.round(10 * wave), 70: 4, 90: 1 },
      answers: minutes % 7 === 0 ? 2 : 0,
      input_tokens: Math.round(90_000 * wave),
      output_tokens: Math.round(9_000 * wave),
      server_errors: minutes === 40 ? 5 : 0,
      waiting: Math.round(1_200 * wave),
      oldest: { age_s: Math.round(40 * wave), reason: 'index_stalled', detail: '<b>The index</b> does not respond.' },
      disk: { used_bytes: (90 + wave) * 2 ** 30, free_bytes: (60 - wave) * 2 ** 30 },
      memory_bytes: (300 + 40 * wave) * 2 ** 20,
    }
    const at = now - minutes * MINUTE
    return [`('minute', ${at}, 'test', '${JSON.stringify(measurements)}')`]
  })
  return alterRecord(
    server.dataDir,
    `insert into sample (resolution, at, process, measurements) values ${rows.join(', ')}`,
  )
}

const inBrowser = await openBrowser(async (started: Server) => {
  server = started
  steps = createSetup(createRequester(server))
  await steps.makePair('Wiki')
  await steps.push(documentOf('heliotrope', { id: 'one' }))
})

const card = (page: Page, name: string) => page.getByRole('region', { name })
const figure = (page: Page, name: string) => page.locator('.facts > div').filter({ hasText: name }).locator('dd')

/** The service measures itself each minute, perhaps between the deletion and the request of the page. */
async function showNoMeasurements(page: Page): Promise<void> {
  const nothing = page.getByRole('heading', { name: 'Nothing was measured yet' })
  const measured = card(page, 'Documents per minute').getByRole('img')
  do {
    await alterRecord(server.dataDir, 'delete from sample')
    await page.reload()
    await nothing.or(measured).first().waitFor()
  } while (!(await nothing.isVisible()))
}

inBrowser('the overview opens the administration, and fills as the service measures itself', {}, async ({ page }) => {
  await page.getByRole('link', { name: 'Administration' }).click()
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await page.waitForURL('**/admin/overview')
  await showNoMeasurements(page)
  await figure(page, 'Documents').getByText('1', { exact: true }).waitFor()
  await figure(page, 'Connectors').getByText('1', { exact: true }).waitFor()
  await assertAccessible(page)
  await measureHour()
  await page.reload()
  await card(page, 'Documents per minute').getByRole('img').waitFor()
  await figure(page, 'Searches in 24 hours')
    .getByText(/^\d{3}$/)
    .waitFor()
})

inBrowser('a plot can be read without seeing it: as a summary and as a table', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/overview`)
  const documents = card(page, 'Documents per minute')
  const label = await documents.getByRole('img').getAttribute('aria-label')
  assert.match(
    label ?? '',
    /^Documents per minute: Accepted: [\d,.]+ now, 600 at most \(.+\), Indexed: .+, 560 at most/,
  )
  await documents.getByRole('button', { name: 'Show Documents per minute as a table' }).click()
  const rows = documents.getByRole('row')
  await rows.nth(45).waitFor()
  assert.ok((await rows.count()) <= 1 + 50, 'steps without measurements have no row')
  assert.match(await rows.nth(1).innerText(), /\d:\d\d.*\s[\d.]+\s+[\d.]+/)
  await assertAccessible(page)
  await documents.getByRole('button', { name: 'Show Documents per minute as a plot' }).click()
  await documents.getByRole('img').waitFor()
  const wait = card(page, 'Longest wait for the index')
  await wait.getByText('the index took no changes: <b>The index</b> does not respond.').waitFor()
})

inBrowser('the pointer shows the values below it', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/overview`)
  const plot = card(page, 'Changes waiting for the index')
  const box = await plot.getByRole('img').boundingBox()
  assert.ok(box !== null)
  await page.mouse.move(box.x + box.width - 20, box.y + box.height / 2)
  await plot.getByText(/^Changes: [\d,.]+ at \d/).waitFor()
  await page.mouse.move(0, 0)
  await plot.getByText(/^Changes: [\d,.]+ now, [\d,.]+ at most/).waitFor()
})

inBrowser('a day and a month can be chosen, and a failure leaves a way out', {}, async ({ page, url }) => {
  await page.route('**/api/admin/overview/series*', (it) => it.abort('connectionrefused'))
  await page.goto(`${url}/admin/overview`)
  const alert = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).first()
  await alert.waitFor()
  await tryAgain(page, alert, '**/api/admin/overview/series*')
  for (const [range, step] of [
    ['Day', 'per 10 minutes'],
    ['Month', 'per 3 hours'],
  ] as const) {
    await page.getByRole('button', { name: range, exact: true }).click()
    await page.getByRole('button', { name: range, pressed: true }).waitFor()
    if (range === 'Day') await card(page, `Answers in chats ${step}`).getByRole('img').waitFor()
  }
  await page.getByRole('group', { name: 'Time span' }).getByRole('button', { name: 'Hour' }).click()
  await card(page, 'Answers in chats per minute').getByRole('img').waitFor()
})

const RECOMMENDATION = {
  share: 0.38,
  languages: [
    { language: 'de', documents: 3_100 },
    { language: 'fr', documents: 500 },
    { language: 'es', documents: 100 },
    { language: 'pl', documents: 60 },
    { language: 'tr', documents: 40 },
  ],
  other_documents: 0,
  passages: 12_345,
  estimated_s: 880,
}

/** The overview of 10,000 documents. The returned function changes the recommendation. */
async function recommend(page: Page, first: typeof RECOMMENDATION | null = RECOMMENDATION) {
  let model_recommendation = first
  await page.route('**/api/admin/overview', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), documents: 10_000, model_recommendation } })
  })
  return (next: typeof RECOMMENDATION | null) => {
    model_recommendation = next
  }
}

inBrowser('the multilingual model is recommended with its cost, until the notice is dismissed', {}, async (visit) => {
  const { page, url } = visit
  const change = await recommend(page)
  await page.goto(`${url}/admin/overview`)
  const title = 'A further 38% of the documents could be found by their meaning'
  const notice = card(page, title)
  await notice.getByText('German 31%, French 5%, Spanish 1%, Polish 1%', { exact: true }).waitFor()
  await notice.getByText('Run pharos model add multilingual, set EMBEDDING to multilingual and restart').waitFor()
  await notice.getByText('12,345 passages are then embedded in the background, in about 15 min;').waitFor()
  await notice.getByRole('button', { name: `Dismiss: ${title}` }).click()
  await page.getByRole('menuitem', { name: 'In this browser, for a day' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('menuitem', { name: 'In this browser, until it ends' }).click()
  await notice.waitFor({ state: 'detached' })
  await page.reload()
  await figure(page, 'Documents').getByText('10,000', { exact: true }).waitFor()
  assert.equal(await notice.count(), 0)
  // It ends, and begins again.
  change(null)
  await page.reload()
  await figure(page, 'Documents').getByText('10,000', { exact: true }).waitFor()
  assert.equal(await notice.count(), 0)
  change({ ...RECOMMENDATION, languages: [{ language: 'de', documents: 3_100 }], other_documents: 700 })
  await page.reload()
  await notice.getByText('German 31%, other languages 7%', { exact: true }).waitFor()
})

inBrowser('without a recommendation of the service there is no notice', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/overview`)
  await figure(page, 'Documents').getByText('1', { exact: true }).waitFor()
  assert.equal(await page.getByText('could be found by their meaning').count(), 0)
})

inBrowser('a person without the right has no overview', {}, async ({ page, url }) => {
  const key = await steps.makeKey({ name: 'Searcher', role: 'basic' })
  await page.request.post(`${url}/api/auth/session`, {
    data: { api_key: key },
    headers: { 'x-requested-with': 'test' },
  })
  await page.goto(`${url}/admin/overview`)
  await page.getByRole('heading', { name: 'You do not have access to the page “Overview”' }).waitFor()
})

/** The measurements of the tests above fill the page. */
for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(`the overview is accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await recommend(page)
      await page.goto(`${url}/admin/overview`)
      await card(page, 'Memory').getByRole('img').waitFor()
      await card(page, 'A further 38% of the documents could be found by their meaning').waitFor()
      await assertAccessible(page)
      await assertFits(page)
      if (process.env.SHOTS) {
        await page.screenshot({ path: `${process.env.SHOTS}/overview-${scheme}-${width}.png`, fullPage: true })
        await page.evaluate("localStorage.setItem('pharos-language', 'de')")
        await page.reload()
        await card(page, 'Arbeitsspeicher').getByRole('img').waitFor()
        await page.screenshot({ path: `${process.env.SHOTS}/overview-${scheme}-${width}-de.png`, fullPage: true })
      }
    })
  }
}
