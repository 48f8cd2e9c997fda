import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { alterRecord } from '../record.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES } from './browser.ts'

const PASSWORD = 'hunter2-hunter2-hunter2'
let steps: ReturnType<typeof createSetup>
let dataDir: string

const inBrowser = await openBrowser(
  async (server: Server) => {
    steps = createSetup(createRequester(server))
    dataDir = server.dataDir
    await steps.push(documentOf('An okapi.', { id: 'okapi' }))
    await steps.ok('DELETE', '/service-api/ingestion/okapi')
  },
  { CONNECTOR_PARALLEL: '7', EGRESS_PROXY: `http://user:${PASSWORD}@127.0.0.1:9` },
)

const open = async (page: Page, url: string) => {
  await page.goto(`${url}/admin/settings`)
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await page.getByLabel('Name of the company').waitFor()
}
const settings = () => steps.ok('GET', '/admin/settings')
const review = (page: Page) => page.getByRole('button', { name: 'Review changes …' })
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Save these changes?' })

inBrowser('an administrator sees the difference before settings are saved', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByText('No changes.').waitFor()
  assert.equal(await review(page).isDisabled(), true)
  await page.getByLabel('Name of the company').fill('Ada & Co')
  await page.getByLabel('Administrators see queries and chats').selectOption({ label: 'With the names of people' })
  await page.getByLabel('Administrators may search as another person').check()
  await page.getByText('3 settings are changed and not saved.').waitFor()
  await review(page).click()
  const dialog = dialogOf(page)
  const row = dialog.getByRole('row', { name: /^Administrators see queries and chats/ })
  await row.getByText('Without the names of people').waitFor()
  await row.getByText('With the names of people').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The settings are saved.').waitFor()
  const { company_name, query_history_type, view_as_enabled } = await settings()
  assert.deepEqual([company_name, query_history_type, view_as_enabled], ['Ada & Co', 'normal', true])
})

inBrowser('a shorter retention says what would go before it is saved', {}, async ({ page, url }) => {
  await alterRecord(dataDir, `update document set deleted_at = ${Date.now() - 10 * 86_400_000} where id = 'okapi'`)
  await open(page, url)
  const kept = page.getByRole('row', { name: /^Documents in the trash/ }).first()
  assert.match((await kept.textContent()) ?? '', /10 days ago0$/)
  await page.getByLabel('Deleted documents and chats, in days').fill('7')
  await page.getByRole('row', { name: /^Documents in the trash.*10 days ago 1$/ }).waitFor()
  await review(page).click()
  const dialog = dialogOf(page)
  await dialog.getByRole('row', { name: /^Documents in the trash.*10 days ago 1$/ }).waitFor()
  await dialog.getByRole('button', { name: 'Go back' }).click()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByText('No changes.').waitFor()
  assert.equal((await settings()).trash_retention_days, 30)
})

inBrowser('settings that another person changed meanwhile are shown and not overwritten', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByLabel('Audit, in days').fill('100')
  await steps.ok('PATCH', '/admin/settings', { body: { company_name: 'Bob Ltd' } })
  await review(page).click()
  const dialog = dialogOf(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  const alert = dialog.getByRole('alert').filter({ hasText: 'Another person changed the settings meanwhile' })
  await alert.getByText('Bob Ltd').waitFor()
  assert.equal((await settings()).audit_retention_days, 730)
  await dialog.getByRole('button', { name: 'Save over their settings' }).click()
  await page.getByText('The settings are saved.').waitFor()
  const { company_name, audit_retention_days } = await settings()
  assert.deepEqual([company_name, audit_retention_days], ['Bob Ltd', 100])
})

inBrowser('an administrator restores the defaults', {}, async ({ page, url }) => {
  await steps.ok('PATCH', '/admin/settings', { body: { company_name: 'Ada & Co', audit_retention_days: 100 } })
  await open(page, url)
  await page.getByRole('button', { name: 'Restore the defaults …' }).click()
  const dialog = page.getByRole('dialog', { name: 'Restore the default settings?' })
  await dialog.getByRole('row', { name: /^Audit, in days 100 730$/ }).waitFor()
  await dialog.getByRole('button', { name: 'Restore the defaults' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await settings()).audit_retention_days, 730)
  assert.equal(await page.getByLabel('Audit, in days').inputValue(), '730')
})

inBrowser('settings of the operator are shown without secrets', {}, async ({ page, url }) => {
  await open(page, url)
  const section = page.getByRole('region', { name: 'Set by the operator' })
  const row = section.getByRole('row', { name: /^CONNECTOR_PARALLEL/ })
  await row.getByText('7', { exact: true }).waitFor()
  await row.getByText('Set by the operator').waitFor()
  await section.getByLabel('Find a setting').fill('proxy for outbound')
  await section.getByRole('row', { name: /^EGRESS_PROXY.*Set, and never shown/ }).waitFor()
  assert.equal(await section.getByRole('row').count(), 2)
  assert.doesNotMatch(await page.content(), new RegExp(PASSWORD))
  await section.getByLabel('Find a setting').fill('no such thing')
  await section.getByText('No setting that the operator has set matches.').waitFor()
  await section.getByLabel('Find a setting').fill('mail server')
  await section.getByLabel('Only those that differ from the default').uncheck()
  await section.getByRole('row', { name: /^SMTP_URL.*No value/ }).waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(`the settings are accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await open(page, url)
      await page.getByRole('row', { name: /^Recent searches/ }).waitFor()
      await assertAccessible(page)
      await assertFits(page)
    })
  }
}
