import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createGroupSetup, type GroupPerson } from '../api/people-of-groups.ts'
import { createRequester, type Requester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES, tryAgain } from './browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const SETS = '/manage/admin/document-set'
let ask: Requester
let steps: ReturnType<typeof createSetup>
let pairs: { handbook: number; wiki: number }
let curator: GroupPerson
const inBrowser = await openBrowser(async (server) => {
  ask = createRequester(server)
  steps = createSetup(ask)
  const groups = createGroupSetup(steps)
  await steps.makeKey({ role: 'basic', user_email: 'ann@example.com' })
  curator = await groups.makePerson('cara', { curated: ['Staff'] })
  pairs = {
    handbook: await steps.makePair('Handbook'),
    wiki: await steps.makePair(HOSTILE, { access_type: 'private', groups: ['Staff'] }),
  }
})

const row = (page: Page, name: string) => page.getByRole('row', { name })
const setNamed = async (name: string) =>
  (await steps.ok('GET', '/manage/document-set')).find((it: { name: string }) => it.name === name)
const makeSet = (name: string, more: object = {}): Promise<number> =>
  steps.ok('POST', SETS, {
    body: { name, description: '', cc_pair_ids: [pairs.handbook], is_public: true, ...more },
  })

inBrowser('a document set is made, changed and deleted, and its agents are named', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/document-sets`)
  await page.getByRole('heading', { name: 'No document sets yet' }).waitFor()
  await page.getByRole('button', { name: 'New document set' }).click()
  const dialog = page.getByRole('dialog', { name: 'New document set' })
  await dialog.getByText('Choose at least one connector.').waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Create document set' }).isDisabled())
  await dialog.getByLabel('Name', { exact: true }).fill('People')
  await dialog.getByLabel('Description').fill(HOSTILE)
  await dialog.getByRole('checkbox', { name: 'Handbook' }).check()
  await dialog.getByLabel('People and groups that I choose').check()
  const address = dialog.getByRole('combobox', { name: 'Add a person by e-mail address' })
  await address.fill('ann@example.com')
  await address.press('Enter')
  await dialog.getByRole('button', { name: 'Remove ann@example.com' }).waitFor()
  const group = dialog.getByRole('combobox', { name: 'Add a group by name' })
  await group.fill('Staff')
  await group.press('Enter')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Create document set' }).click()
  await row(page, 'People').getByText('1 person, 1 group').waitFor()
  await row(page, 'People').getByText('Handbook').waitFor()

  const { id } = await setNamed('People')
  const agent = { name: 'People desk', description: '', tool_ids: [], system_prompt: '', task_prompt: '' }
  await steps.ok('POST', '/persona', { body: { ...agent, document_set_ids: [id], datetime_aware: true } })
  await page.reload()
  await row(page, 'People').getByText('People desk').waitFor()

  await page.getByRole('button', { name: 'Edit People' }).click()
  const change = page.getByRole('dialog', { name: 'Edit document set' })
  await change.getByRole('button', { name: 'Remove ann@example.com' }).click()
  await change.getByRole('checkbox', { name: HOSTILE }).check()
  await change.getByRole('button', { name: 'Save' }).click()
  await row(page, 'People').getByText('1 group', { exact: true }).waitFor()
  const changed = await setNamed('People')
  assert.deepEqual([changed.users, changed.groups, changed.cc_pair_summaries.length], [[], ['Staff'], 2])

  await page.getByRole('button', { name: 'Delete People' }).click()
  await page.getByText('This agent has no other set').waitFor()
  await page.getByRole('button', { name: 'Delete document set' }).click()
  await page.getByRole('heading', { name: 'No document sets yet' }).waitFor()
})

inBrowser('the form refuses a name that is taken, and shows what another user changed', {}, async ({ page, url }) => {
  await makeSet('Taken')
  const id = await makeSet('Mine')
  await page.goto(`${url}/admin/document-sets`)
  await page.getByRole('button', { name: 'Edit Mine' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit document set' })
  await dialog.getByLabel('Name', { exact: true }).fill('Taken')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('already exists').waitFor()
  await dialog.getByLabel('Name', { exact: true }).fill('Renamed')
  const theirs = { id, name: 'Mine', description: 'Theirs', cc_pair_ids: [pairs.handbook], is_public: true }
  await steps.ok('PATCH', SETS, { body: { ...theirs, users: [], groups: [] } })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('They changed: Description.').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row(page, 'Renamed').getByText('Theirs').waitFor()
  assert.equal((await setNamed('Renamed')).description, 'Theirs')
})

inBrowser('a curator sees the sets of their groups, and makes one for them', {}, async ({ page, url }) => {
  await makeSet('For everybody')
  const headers = { 'x-requested-with': 'test' }
  await page.request.post(`${url}/api/auth/session`, { data: { api_key: curator.key }, headers })
  await page.goto(`${url}/admin/document-sets`)
  await page.getByRole('heading', { name: 'No document sets yet' }).waitFor()
  await page.getByRole('button', { name: 'New document set' }).click()
  const dialog = page.getByRole('dialog', { name: 'New document set' })
  await dialog.getByLabel('Name', { exact: true }).fill('Of the staff')
  await dialog.getByRole('checkbox', { name: HOSTILE }).check()
  await dialog.getByRole('button', { name: 'Create document set' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('People and groups that I choose').check()
  const group = dialog.getByRole('combobox', { name: 'Add a group by name' })
  await group.fill('Staff')
  await group.press('Enter')
  await dialog.getByRole('button', { name: 'Create document set' }).click()
  await row(page, 'Of the staff').waitFor()
})

inBrowser('a failure is shown, and trying again helps', {}, async ({ page, url }) => {
  await makeSet('Still there')
  await page.route('**/api/manage/document-set?*', (it) => it.abort('connectionrefused'))
  await page.goto(`${url}/admin/document-sets`)
  const alert = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).first()
  await alert.waitFor()
  await tryAgain(page, alert, '**/api/manage/document-set?*')
  await row(page, 'Still there').waitFor()
})

for (const scheme of SCHEMES)
  inBrowser(`the page is accessible on a phone, ${scheme}`, { scheme, width: NARROW }, async ({ page, url }) => {
    await makeSet(`Set ${'x'.repeat(90)} ${scheme}`, { description: HOSTILE })
    await page.goto(`${url}/admin/document-sets`)
    await page
      .getByRole('button', { name: /^Edit Set/ })
      .first()
      .waitFor()
    await assertAccessible(page)
    await assertFits(page)
  })
