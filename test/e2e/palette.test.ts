// The palette that Ctrl-K opens: pages, sources, people, documents and recent searches.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { settled } from '../server.ts'
import { assertAccessible, NARROW, openBrowser } from './browser.ts'

const keys = { reader: '' }
const inBrowser = await openBrowser(async (server) => {
  const { push, makeKey, makePair } = createSetup(createRequester(server))
  keys.reader = await makeKey({ name: 'reader', role: 'basic' })
  await makeKey({ name: 'ada', role: 'basic', user_email: 'ada@example.com' })
  await makePair('Handbook')
  const owners = [{ display_name: 'Ada', email: 'ada@example.com' }]
  await push(
    documentOf('Lighthouses are painted in spring.', {
      id: 'paint',
      semantic_identifier: 'Painting <b>lighthouses</b>',
      source: 'intranet',
      primary_owners: owners,
    }),
  )
  await settled(server)
})

const open = async (page: Page) => {
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Go to', exact: true })
  const field = palette.getByRole('combobox', { name: 'Go to a page, a source or a search' })
  await field.waitFor()
  return { palette, field, group: (name: string) => palette.getByRole('group', { name }) }
}
const summary = (page: Page) => page.locator('.summary').getByRole('status')

inBrowser('the palette goes to pages, sources, people and searches by keys', {}, async ({ page, url }) => {
  const sent: string[] = []
  page.on('request', (it) => void (/\/(?:search|manage\/users)/.test(it.url()) && sent.push(it.url())))
  let { palette, field, group } = await open(page)
  await group('Pages').getByRole('option', { name: 'Account' }).waitFor()
  sent.length = 0
  await field.pressSequentially('audit')
  await group('Pages').getByRole('option', { name: 'Audit' }).waitFor()
  assert.ok(sent.length <= 2 * 'audit'.length, `${sent.length} requests`)
  await assertAccessible(page)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/admin/audit`)
  await palette.waitFor({ state: 'detached' })
  ;({ palette, field, group } = await open(page))
  await field.fill('intra')
  await group('Sources').getByRole('option', { name: 'Intranet' }).click()
  await page.waitForURL(`${url}/?q=source%3Aintranet`)
  await summary(page).getByText('1 result').waitFor()
  ;({ group, field } = await open(page))
  await field.fill('ada@')
  await group('People').getByRole('option', { name: 'ada@example.com' }).click()
  await page.waitForURL(`${url}/?q=author%3Aada%40example.com`)
  await summary(page).getByText('1 result').waitFor()
  ;({ group, field } = await open(page))
  await field.fill('painting')
  await group('Documents').getByRole('option', { name: 'Painting <b>lighthouses</b>' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/?q=painting`)
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Control+k')
  await page.locator('dialog').waitFor({ state: 'detached' })
})

inBrowser('people who may not see others are offered none', { width: NARROW }, async ({ page, url }) => {
  await page.request.post(`${url}/api/auth/session`, {
    data: { api_key: keys.reader },
    headers: { 'x-requested-with': 'test' },
  })
  await page.goto(url)
  const { field, group, palette } = await open(page)
  await field.fill('ada')
  await group('Search').getByRole('option', { name: 'Search for “ada”' }).waitFor()
  assert.equal(await group('People').count(), 0)
  await field.fill('ac')
  await group('Pages').getByRole('option', { name: 'Account' }).waitFor()
  assert.equal(await group('Pages').getByRole('option').count(), 1)
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
})
