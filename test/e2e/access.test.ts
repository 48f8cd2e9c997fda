import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { alterRecord } from '../record.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES } from './browser.ts'

let steps: ReturnType<typeof createSetup>
const LONG_ADDRESS = `${'a'.repeat(90)}@very-long-name-of-a-company.example.com`

const readers = (external_user_emails: string[], external_user_group_ids: string[] = []) => ({
  external_access: { is_public: false, external_user_emails, external_user_group_ids },
})

const inBrowser = await openBrowser(async (server: Server) => {
  steps = createSetup(createRequester(server))
  const { makeKey, makePair, push } = steps
  for (const user_email of ['ann@example.com', 'bob@example.com']) await makeKey({ role: 'basic', user_email })
  const wiki = await makePair('Wiki', { access_type: 'private', groups: [] })
  await alterRecord(server.dataDir, `update cc_pair set access_type = 'sync' where id = ${wiki}`)
  const title = { semantic_identifier: 'The budget of the harbour' }
  const sections = [{ text: 'The harbour spends money on cranes.', link: 'https://wiki.example.com/budget' }]
  await push(documentOf('', { id: 'budget', ...title, sections, ...readers(['ann@example.com']) }))
  const stranger = {
    id: 'stranger',
    semantic_identifier: 'A plan for strangers',
    ...readers([LONG_ADDRESS], ['ghosts']),
  }
  await push(documentOf('cranes', stranger), { cc_pair_id: wiki })
  await push(documentOf('silent', { id: 'silent', semantic_identifier: 'A silent page' }), { cc_pair_id: wiki })
})

async function open(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/admin/access`)
  await page.getByRole('heading', { name: 'Access', level: 1 }).waitFor()
}
const partOf = (page: Page, name: string) => page.getByRole('region', { name })
const reasonPart = (page: Page) => partOf(page, 'May a person read a document?')
const searchPart = (page: Page) => partOf(page, 'Search as a person')
const reportPart = (page: Page) => partOf(page, 'Permission report')

async function ask(page: Page, person: string, document: string): Promise<void> {
  const part = reasonPart(page)
  await part.getByLabel('E-mail address').fill(person)
  await part.getByLabel('Document').fill(document)
  await part.getByRole('button', { name: 'Ask' }).click()
}

inBrowser('the page shows the whole reason why a person may or may not read a document', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'ann@example.com', 'budget')
  const part = reasonPart(page)
  await part.getByText('Yes, the person may read it and finds it.').waitFor()
  await part.getByText('The document names the address of the person as a reader.').waitFor()
  await ask(page, 'bob@example.com', 'budget')
  await part.getByText('No, the person may not read it.').waitFor()
  await part.getByText('The document names 1 addresses and 0 groups as readers.', { exact: false }).waitFor()
  await ask(page, 'bob@example.com', 'nothing')
  await part.getByRole('alert').waitFor()
})

inBrowser('people and documents are suggested while they are typed', {}, async ({ page, url }) => {
  const key = await steps.makeKey({ role: 'admin', user_email: 'ann@example.com' })
  await page.request.post(`${url}/api/auth/session`, {
    data: { api_key: key },
    headers: { 'x-requested-with': 'test' },
  })
  await steps.ok('PATCH', '/manage/set-user-role', { body: { user_email: 'ann@example.com', new_role: 'admin' } })
  await open(page, url)
  const part = reasonPart(page)
  await part.getByLabel('E-mail address').fill('ann@')
  await part.locator('datalist option[value="ann@example.com"]').waitFor({ state: 'attached' })
  await part.getByLabel('Document').fill('budget harbour')
  await part.locator('datalist option[value="budget"]').waitFor({ state: 'attached' })
})

inBrowser('a search as a person has to be allowed, and a banner marks its results', {}, async ({ page, url }) => {
  await open(page, url)
  const part = searchPart(page)
  const allowed = part.getByLabel('Administrators may search as another person')
  assert.equal(await allowed.isChecked(), false)
  assert.equal(await part.getByLabel('Query').count(), 0)
  await allowed.click()
  await part.getByLabel('E-mail address').fill('ann@example.com')
  await part.getByLabel('Query').fill('harbour cranes')
  await part.getByRole('button', { name: 'Search', exact: true }).click()
  await part.getByText('You see what another person finds').waitFor()
  await part.getByText('These are the results of ann@example.com, not yours.', { exact: false }).waitFor()
  await part.getByRole('link', { name: 'The budget of the harbour' }).waitFor()
  const [entry] = await steps.ok('GET', '/admin/audit?action=access.viewed_as&limit=1')
  assert.deepEqual(entry.fields.at(-1), '1 results')

  await part.getByLabel('E-mail address').fill('bob@example.com')
  await part.getByRole('button', { name: 'Search', exact: true }).click()
  await part.getByText('The person finds nothing.', { exact: false }).waitFor()
  await part.getByRole('button', { name: 'Hide the results' }).click()
  await part.getByText('You see what another person finds').waitFor({ state: 'detached' })
  await allowed.click()
  await part.getByLabel('Query').waitFor({ state: 'detached' })
  assert.equal((await steps.ok('GET', '/settings')).view_as_enabled, false)
})

async function compute(page: Page): Promise<void> {
  const part = reportPart(page)
  await part.getByRole('button', { name: 'Compute the report' }).click()
  await part.getByText(/^Computed .* from \d+ documents\.$/).waitFor()
}

inBrowser('the report lists what does not fit, and its documents lead to the reasons', {}, async ({ page, url }) => {
  await open(page, url)
  const part = reportPart(page)
  await part.getByText('No report was computed since the service started.', { exact: false }).waitFor()
  await compute(page)
  await part.getByRole('row').filter({ hasText: LONG_ADDRESS }).waitFor()
  await part.getByLabel('List').selectOption({ label: 'Groups without readers (1)' })
  await part.getByRole('row').filter({ hasText: 'ghosts' }).getByRole('link', { name: 'Wiki' }).waitFor()
  await part.getByLabel('List').selectOption({ label: 'Documents that nobody can read (2)' })
  await part.getByRole('row').filter({ hasText: 'A silent page' }).waitFor()
  await part.getByLabel('Connector', { exact: true }).selectOption({ label: 'Pushed through the API' })
  await part.getByText('The report has nothing in this list about this connector.').waitFor()
  await part.getByLabel('Connector', { exact: true }).selectOption({ label: 'Wiki' })
  const row = part.getByRole('row').filter({ hasText: 'A plan for strangers' })
  await row.getByRole('button', { name: 'Ask who may read it' }).click()
  assert.equal(await reasonPart(page).getByLabel('Document').inputValue(), 'stranger')
  await reasonPart(page).getByLabel('E-mail address').fill('bob@example.com')
  await page.keyboard.press('Enter')
  await reasonPart(page).getByText('No, the person may not read it.').waitFor()
})

inBrowser('a person without the right sees that the page is closed', {}, async ({ page, url }) => {
  const key = await steps.makeKey({ name: 'Manager', role: 'global_curator' })
  await page.request.post(`${url}/api/auth/session`, {
    data: { api_key: key },
    headers: { 'x-requested-with': 'test' },
  })
  await page.goto(`${url}/admin/access`)
  await page.getByRole('heading', { name: 'You do not have access to the page “Access”' }).waitFor()
})

inBrowser('a browser gets the page and a client the answer of the route', {}, async ({ page, url }) => {
  const answer = await page.request.get(`${url}/admin/access?person=ann@example.com&document=budget`, {
    headers: { accept: 'application/json' },
  })
  assert.deepEqual([(await answer.json()).may_read, answer.headers().vary], [true, 'accept'])
  const response = await page.goto(`${url}/admin/access?person=ann@example.com&document=budget`)
  assert.equal(response?.headers().vary, 'accept, accept-encoding')
  await page.getByRole('heading', { name: 'Access', level: 1 }).waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(`the page is accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await steps.ok('PATCH', '/admin/settings', { body: { view_as_enabled: true } })
      await open(page, url)
      await ask(page, 'ann@example.com', 'budget')
      await reasonPart(page).getByText('Yes, the person may read it and finds it.').waitFor()
      const part = searchPart(page)
      await part.getByLabel('E-mail address').fill('ann@example.com')
      await part.getByLabel('Query').fill('harbour cranes')
      await part.getByRole('button', { name: 'Search', exact: true }).click()
      await part.getByRole('link', { name: 'The budget of the harbour' }).waitFor()
      await compute(page)
      await reportPart(page).getByRole('row').filter({ hasText: LONG_ADDRESS }).waitFor()
      await assertAccessible(page)
      await assertFits(page)
    })
  }
}
