import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester, type Requester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES, tryAgain } from './browser.ts'

let ask: Requester
let steps: ReturnType<typeof createSetup>
let reader: string
const LONG_NAME = `Engineering-${'x'.repeat(80)}`

const inBrowser = await openBrowser(async (server: Server) => {
  ask = createRequester(server)
  steps = createSetup(ask)
  reader = await steps.makeKey({ name: 'Nightly export', role: 'basic' })
  for (const user_email of ['joann@example.com', 'ann@example.com']) await steps.makeKey({ role: 'basic', user_email })
  await steps.ok('POST', '/manage/admin/user-group', { body: { name: LONG_NAME, user_ids: [], cc_pair_ids: [] } })
})

const open = async (page: Page, url: string) => {
  await page.goto(`${url}/admin/limits`)
  await page.getByRole('heading', { name: 'Limits', level: 1 }).waitFor()
}
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const createLimit = (body: object) => steps.ok('POST', '/admin/limits', { body })

inBrowser('without limits the page says that nothing is limited', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByRole('heading', { name: 'No limits yet' }).waitFor()
  await assertAccessible(page)
})

inBrowser('an administrator limits a key, sees it used up, and switches it off', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByRole('button', { name: 'New limit' }).click()
  const dialog = page.getByRole('dialog', { name: 'New limit' })
  await dialog.getByLabel('Applies to').selectOption({ label: 'A key' })
  const option = dialog.getByRole('option', { name: /^Nightly export/ })
  await dialog.getByLabel('Key', { exact: true }).selectOption(await option.getAttribute('value'))
  await dialog.getByLabel('Requests per minute', { exact: true }).fill('2')
  await dialog.getByRole('button', { name: 'Create limit' }).click()
  const row = rowOf(page, 'Nightly export')
  await row.getByText('2 requests per minute').waitFor()
  await row.getByText('0 of 2').waitFor()

  const search = () => ask('POST', '/search', { key: reader, body: { query: 'leave' } })
  const statuses = [(await search()).status, (await search()).status, (await search()).status]
  assert.deepEqual(statuses, [200, 200, 429])
  await row.getByText('2 of 2, used up').waitFor()

  await row.getByRole('button', { name: /^Switch off Nightly export/ }).click()
  await row.getByText('Off', { exact: true }).waitFor()
  assert.equal((await search()).status, 200)
  await row.getByRole('button', { name: /^Switch on Nightly export/ }).click()
  await row.getByText('On', { exact: true }).waitFor()
})

inBrowser(
  'an administrator limits the tokens of a person, changes and deletes the limit',
  {},
  async ({ page, url }) => {
    await open(page, url)
    await page.getByRole('button', { name: 'New limit' }).click()
    const dialog = page.getByRole('dialog', { name: 'New limit' })
    await dialog.getByLabel('Applies to').selectOption({ label: 'A person' })
    await dialog.getByLabel('E-mail address').fill('nobody@example.com')
    await dialog.getByLabel('Counts').selectOption({ label: 'Tokens of language models' })
    await dialog.getByLabel('Thousands of tokens').fill('50')
    await dialog.getByRole('button', { name: 'Create limit' }).click()
    await dialog.getByText('No person has this address.').waitFor()
    await dialog.getByLabel('E-mail address').fill('Ann@example.com')
    await dialog.getByRole('button', { name: 'Create limit' }).click()
    const row = rowOf(page, 'ann@example.com')
    await row.getByText('50,000 tokens per 24 hours').waitFor()
    await row.getByText('0 of 50,000').waitFor()

    await row.getByRole('button', { name: /^Change ann@example.com/ }).click()
    const change = page.getByRole('dialog', { name: 'Change the limit' })
    await change.getByLabel('Hours').fill('1')
    await change.getByRole('button', { name: 'Save' }).click()
    await row.getByText('50,000 tokens per hour').waitFor()
    const limits: { target_name: string }[] = await steps.ok('GET', '/admin/limits')
    assert.ok(limits.some((it) => it.target_name === 'ann@example.com'))

    await row.getByRole('button', { name: /^Delete ann@example.com/ }).click()
    await page.getByRole('button', { name: 'Delete limit' }).click()
    await row.waitFor({ state: 'detached' })
    const left: { target_name: string }[] = await steps.ok('GET', '/admin/limits')
    assert.ok(left.every((it) => it.target_name !== 'ann@example.com'))
  },
)

inBrowser('a person without the right sees that the page is closed', {}, async ({ page, url }) => {
  const key = await steps.makeKey({ name: 'Searcher', role: 'basic' })
  await page.request.post(`${url}/api/auth/session`, {
    data: { api_key: key },
    headers: { 'x-requested-with': 'test' },
  })
  await page.goto(`${url}/admin/limits`)
  await page.getByRole('heading', { name: 'You do not have access to the page “Limits”' }).waitFor()
})

inBrowser('a failure of the service is shown, and trying again helps', {}, async ({ page, url }) => {
  await createLimit({ applies_to: 'global', requests_per_minute: 100_000 })
  await page.route('**/api/admin/limits', (it) => it.abort('connectionrefused'))
  await open(page, url)
  const alert = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).first()
  await alert.waitFor()
  await tryAgain(page, alert, '**/api/admin/limits')
  await rowOf(page, '100,000 requests per minute').waitFor()
})

inBrowser('a shared limit of a group can be chosen by its name', {}, async ({ page, url }) => {
  await createLimit({ applies_to: 'user', token_budget: 200, period_hours: 24, enabled: false })
  await open(page, url)
  await page.getByRole('button', { name: 'New limit' }).click()
  const dialog = page.getByRole('dialog', { name: 'New limit' })
  await dialog.getByLabel('Applies to').selectOption({ label: 'A group' })
  await dialog.getByLabel('Group', { exact: true }).selectOption({ label: LONG_NAME })
  await dialog.getByLabel('Requests per minute', { exact: true }).fill('60')
  await dialog.getByRole('button', { name: 'Create limit' }).click()
  await rowOf(page, LONG_NAME).getByText('60 requests per minute').waitFor()
})

/** The limits of the tests above fill the page. */
for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(`the limits are accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await open(page, url)
      await rowOf(page, LONG_NAME).waitFor()
      await assertAccessible(page)
      await assertFits(page)
      await page.getByRole('button', { name: 'New limit' }).click()
      await page.getByRole('dialog', { name: 'New limit' }).waitFor()
      await assertAccessible(page)
    })
  }
}
