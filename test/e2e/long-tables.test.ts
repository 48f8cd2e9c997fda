// Tables of thousands of rows: only those near the window are in the page, and every record can be reached.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { assertAccessible, NARROW, openBrowser } from './browser.ts'

const PEOPLE = 5_000
/** Rows in the page at once. */
const MAX_DRAWN = 200
/** Far less than a page takes that draws every row, also where all tests of the suite run at once. */
const MAX_MS = 5_000
const nameOf = (at: number): string => `p${String(at).padStart(4, '0')}`

let group: number
const inBrowser = await openBrowser(async (server) => {
  const { ok } = createSetup(createRequester(server))
  const lines = Array.from({ length: PEOPLE }, (_, at) => `${nameOf(at + 1)}@example.com,Everybody`)
  const body = new FormData()
  body.set('file', new Blob([`email,groups\n${lines.join('\n')}`]), 'people.csv')
  const { id } = await ok('POST', '/manage/admin/user-group', { body: { name: 'Everybody', user_ids: [] } })
  const authorization = `Bearer ${server.key}`
  const answer = await fetch(`${server.url}/api/manage/admin/users/csv`, {
    method: 'POST',
    headers: { authorization },
    body,
  })
  assert.ok(answer.ok, await answer.text())
  group = id
})

const table = (page: Page) => page.getByRole('region', { name: /Members/ }).getByRole('table')
const rowOf = (page: Page, at: number) => page.getByRole('row', { name: `${nameOf(at)}@example.com` })
const drawn = (page: Page): Promise<number> => page.locator('tr').count()

async function open(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/admin/groups/${group}`)
  await rowOf(page, 1).waitFor()
}

/** Presses a key until the row is in the window. */
async function pressUntil(page: Page, key: string, at: number): Promise<void> {
  for (let pressed = 0; pressed < 10; pressed += 1) {
    await page.keyboard.press(key)
    try {
      await rowOf(page, at).waitFor({ timeout: 2_000 })
      return
    } catch {
      // The rows were higher than estimated.
    }
  }
  assert.fail(`${key} does not reach row ${at}`)
}

inBrowser('a table of 5,000 rows draws those near the window, and is shown at once', {}, async ({ page, url }) => {
  await open(page, url)
  assert.ok((await drawn(page)) < MAX_DRAWN, `${await drawn(page)} rows`)
  assert.equal(await table(page).getAttribute('aria-rowcount'), String(PEOPLE + 1))
  assert.equal(await rowOf(page, 1).getAttribute('aria-rowindex'), '2')
  const begun = performance.now()
  await page.getByLabel('Search members').fill('p')
  await rowOf(page, 1).waitFor()
  const ms = performance.now() - begun
  assert.ok(ms < MAX_MS, `${ms} ms`)
  await assertAccessible(page)
})

inBrowser('the keyboard reaches the last row and comes back', {}, async ({ page, url }) => {
  await open(page, url)
  await table(page).locator('xpath=..').focus()
  await pressUntil(page, 'End', PEOPLE)
  assert.equal(await rowOf(page, PEOPLE).getAttribute('aria-rowindex'), String(PEOPLE + 1))
  assert.ok((await drawn(page)) < MAX_DRAWN, `${await drawn(page)} rows`)
  await rowOf(page, 1).waitFor({ state: 'detached' })
  await assertAccessible(page)
  await pressUntil(page, 'Home', 1)
})

inBrowser('the tabulator key goes from row to row, also after the window was scrolled away', {}, async (visit) => {
  const { page } = visit
  await open(page, visit.url)
  const removes = (at: number) => page.getByRole('button', { name: `Remove ${nameOf(at)}@example.com` })
  await removes(3).focus()
  await page.mouse.wheel(0, 50_000)
  await rowOf(page, 10).waitFor({ state: 'detached' })
  await removes(3).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await removes(4).and(page.locator(':focus')).waitFor()
})

inBrowser('the columns stay where they are while the table scrolls', {}, async ({ page, url }) => {
  await open(page, url)
  const widths = async () => {
    const boxes = await Promise.all((await table(page).locator('th').all()).map((it) => it.boundingBox()))
    return boxes.map((it) => Math.round(it?.width ?? 0))
  }
  const before = await widths()
  await page.mouse.wheel(0, 100_000)
  await rowOf(page, 1).waitFor({ state: 'detached' })
  assert.deepEqual(await widths(), before)
})

inBrowser('a narrow window reaches the last row too', { width: NARROW }, async ({ page, url }) => {
  await open(page, url)
  await table(page).locator('xpath=..').focus()
  await pressUntil(page, 'End', PEOPLE)
  assert.ok((await drawn(page)) < MAX_DRAWN, `${await drawn(page)} rows`)
})

inBrowser('a printed table has all rows', {}, async ({ page, url }) => {
  await open(page, url)
  await page.emulateMedia({ media: 'print' })
  // Roles and names of thousands of rows take long to compute.
  const last = page.getByText(`${nameOf(PEOPLE)}@example.com`)
  await last.waitFor()
  assert.equal(await drawn(page), PEOPLE + 1)
  await page.emulateMedia({ media: 'screen' })
  await last.waitFor({ state: 'detached' })
})
