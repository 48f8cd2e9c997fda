import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester, type Requester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { waitFor } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES, tryAgain } from './browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
let ask: Requester
let steps: ReturnType<typeof createSetup>
/** Two people without further rights. */
const people = { ann: '', bea: '' }
const inBrowser = await openBrowser(async (server) => {
  ask = createRequester(server)
  steps = createSetup(ask)
  people.ann = await steps.makeKey({ role: 'basic', user_email: 'ann@example.com' })
  people.bea = await steps.makeKey({ role: 'basic', user_email: 'bea@example.com' })
  // People name only the groups that they are in.
  const { items } = await steps.ok('GET', '/manage/users/accepted?q=ann@example.com')
  const staff = { name: 'Staff', user_ids: [items[0].id], cc_pair_ids: [] }
  await steps.ok('POST', '/manage/admin/user-group', { body: staff })
  const pair = await steps.makePair('Handbook')
  const set = { name: 'Handbook', description: 'What everybody knows', cc_pair_ids: [pair], is_public: true }
  await steps.ok('POST', '/manage/admin/document-set', { body: set })
})

const make = (name: string, more: object = {}, key?: string): Promise<{ id: number }> =>
  steps.ok('POST', '/persona', {
    body: {
      ...{ name, description: `About ${name}`, document_set_ids: [], tool_ids: [], system_prompt: '', task_prompt: '' },
      ...{ datetime_aware: true, ...more },
    },
    ...(key !== undefined && { key }),
  })
const stored = (id: number) =>
  steps.ok('GET', '/admin/persona').then((all) => all.find((it: { id: number }) => it.id === id))
const row = (page: Page, name: string) => page.getByRole('row', { name })

inBrowser('an administrator makes an agent with everything that it can have', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/agents`)
  await row(page, 'Assistant').getByText('Built in').waitFor()
  await page.getByRole('button', { name: 'New agent' }).click()
  await page.getByText('An agent searches only what the person who asks may read').waitFor()
  await page.getByLabel('Image of the agent').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: PNG })
  await page.getByRole('button', { name: 'Change the image' }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('People desk')
  await page.getByLabel('Description', { exact: true }).fill('Knows the handbook.')
  await page.getByLabel('What the agent does').fill('Answer briefly. '.repeat(10))
  await page.getByText(/The instructions take about 40 tokens\. The model has room for [\d,]+ tokens/).waitFor()
  await page.getByLabel('Reminder').fill('Name the page.')
  await page.getByRole('checkbox', { name: 'Handbook' }).check()
  await page.getByText('1 document set is chosen.').waitFor()
  await page.getByLabel('Only documents updated since').fill('2026-01-01')
  await page.getByRole('group', { name: 'Built-in tools' }).getByRole('checkbox').first().check()
  await page.getByRole('button', { name: 'Add a question' }).click()
  await page.getByLabel('Label of question 1').fill('Leave')
  await page.getByLabel('Question 1', { exact: true }).fill('How many days of leave do I have?')
  await page.getByRole('button', { name: 'Add a question' }).click()
  await page.getByLabel('Question 2', { exact: true }).fill('Who is my manager?')
  await page.getByRole('button', { name: 'Move up question 2' }).click()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Create agent' }).click()
  await page.getByRole('heading', { name: 'People desk' }).waitFor()
  await page.getByText('Only its owner').waitFor()

  const [made] = (await steps.ok('GET', '/persona')).filter((it: { name: string }) => it.name === 'People desk')
  const { system_prompt, task_prompt, search_start_date, tools, document_sets, starter_messages } = await steps.ok(
    'GET',
    `/persona/${made.id}`,
  )
  assert.deepEqual(
    [system_prompt, task_prompt, search_start_date, tools.length, document_sets.length, starter_messages],
    [
      ...['Answer briefly. '.repeat(10), 'Name the page.', '2026-01-01T00:00:00.000Z', 1, 1],
      [
        { name: 'Who is my manager?', message: 'Who is my manager?' },
        { name: 'Leave', message: 'How many days of leave do I have?' },
      ],
    ],
  )
  await page.getByRole('button', { name: 'Remove the image' }).click()
  await page.getByRole('button', { name: 'Remove question 1' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const changed = await steps.ok('GET', `/persona/${made.id}`)
  assert.deepEqual([changed.uploaded_image_id, changed.starter_messages.length], [null, 1])
})

inBrowser('the switches of the list, deletion and its undo', {}, async ({ page, url }) => {
  const { id } = await make(HOSTILE)
  await page.goto(`${url}/admin/agents`)
  await row(page, HOSTILE).waitFor()
  for (const [label, field] of [
    [`Everybody may use ${HOSTILE}`, 'is_public'],
    [`${HOSTILE} is listed`, 'is_listed'],
    [`${HOSTILE} is featured`, 'is_featured'],
  ] as const) {
    const before = (await stored(id))[field]
    await page.getByLabel(label).click()
    await waitFor(async () => (await stored(id))[field] === !before, `${field} of the agent`)
  }
  await row(page, HOSTILE).getByText('Everybody', { exact: true }).waitFor()
  await page.getByRole('button', { name: `Delete ${HOSTILE}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete agent' }).click()
  await page.getByText(`${HOSTILE} was deleted.`).waitFor()
  await row(page, HOSTILE).waitFor({ state: 'detached' })
  assert.equal(await stored(id), undefined)
  await page.getByRole('button', { name: 'Undo' }).click()
  await row(page, HOSTILE).waitFor()

  await steps.ok('DELETE', `/persona/${id}`)
  await page.reload()
  await page.getByLabel('Show deleted agents').check()
  await row(page, HOSTILE).getByText('Deleted').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: `Restore ${HOSTILE}` }).click()
  await page.getByRole('button', { name: `Delete ${HOSTILE}` }).waitFor()
  assert.ok(await stored(id))
})

inBrowser('switches that are pressed while others are saved are saved too', {}, async ({ page, url }) => {
  const { id } = await make('Busy desk')
  await page.goto(`${url}/admin/agents`)
  const allPressed = Promise.withResolvers<void>()
  await page.route(/\/persona\/\d{1,10}\/(?:public|listed|featured)$/, async (it) => {
    await allPressed.promise
    await it.continue()
  })
  const before = await stored(id)
  const press = (label: string) => page.getByLabel(label).click()
  for (const label of ['Everybody may use Busy desk', 'Busy desk is listed', 'Busy desk is featured'])
    await press(label)
  await press('Everybody may use Busy desk')
  allPressed.resolve()
  const wanted = { is_public: before.is_public, is_listed: !before.is_listed, is_featured: !before.is_featured }
  await waitFor(async () => (await stored(id)).is_featured === wanted.is_featured, 'the third change')
  await waitFor(async () => (await stored(id)).is_public === wanted.is_public, 'the fourth change')
  assert.equal((await stored(id)).is_listed, wanted.is_listed)
  assert.equal(await page.getByLabel('Busy desk is featured').isChecked(), wanted.is_featured)

  const bothPressed = Promise.withResolvers<void>()
  await page.route('**/api/admin/persona/*/listed', async (it) => {
    await bothPressed.promise
    await it.abort('connectionrefused')
  })
  await press('Busy desk is listed')
  await press('Busy desk is featured')
  bothPressed.resolve()
  await page.getByRole('alert').waitFor()
  await waitFor(async () => (await stored(id)).is_featured === before.is_featured, 'the change after the failed one')
  await waitFor(
    () =>
      page
        .getByLabel('Busy desk is listed')
        .isChecked()
        .then((it) => it === wanted.is_listed),
    'the list',
  )
  await page.getByRole('alert').waitFor()
})

inBrowser('a form that another user outdated shows both changes, and loses neither', {}, async ({ page, url }) => {
  const { id } = await make('Shared work')
  await page.goto(`${url}/admin/agents/${id}`)
  await page.getByLabel('Name', { exact: true }).fill('My name for it')
  const body = { ...(await steps.ok('GET', `/persona/${id}`)), document_set_ids: [], tool_ids: [] }
  const { name, description, system_prompt, task_prompt, datetime_aware, document_set_ids, tool_ids } = body
  await steps.ok('PATCH', `/persona/${id}`, {
    body: {
      ...{ name, task_prompt, datetime_aware, document_set_ids, tool_ids, description },
      system_prompt: `${system_prompt}Theirs`,
    },
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('They changed: What the agent does.').waitFor()
  assert.equal(await page.getByLabel('What the agent does').inputValue(), 'Theirs')
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'My name for it')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const saved = await steps.ok('GET', `/persona/${id}`)
  assert.deepEqual([saved.name, saved.system_prompt], ['My name for it', 'Theirs'])
})

async function signInAs(page: Page, url: string, key: string): Promise<void> {
  const headers = { 'x-requested-with': 'test' }
  await page.request.post(`${url}/api/auth/session`, { data: { api_key: key }, headers })
}

inBrowser('a person makes an agent and shares it with a colleague, who sees its image', {}, async ({ page, url }) => {
  await signInAs(page, url, people.ann)
  await page.goto(`${url}/agents`)
  await page.getByRole('link', { name: 'New agent' }).click()
  await page.getByLabel('Image of the agent').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: PNG })
  await page.getByRole('button', { name: 'Change the image' }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Travel desk')
  await page.getByRole('button', { name: 'Create agent' }).click()
  await page.getByRole('heading', { name: 'Travel desk' }).waitFor()
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share Travel desk' })
  const address = dialog.getByRole('combobox', { name: 'Add a person by e-mail address' })
  await address.fill('nobody@example.com')
  await address.press('Enter')
  await dialog.getByText('No person has this address.').waitFor()
  await address.fill('Bea@example.com')
  await address.press('Enter')
  await dialog.getByRole('button', { name: 'Remove bea@example.com' }).waitFor()
  const group = dialog.getByRole('combobox', { name: 'Add a group by name' })
  await group.fill('Nobody')
  await group.press('Enter')
  await dialog.getByText('No group has this name.').waitFor()
  await group.fill('Staff')
  await group.press('Enter')
  await dialog.getByRole('button', { name: 'Remove Staff' }).waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('1 person, 1 group').waitFor()
  await page.getByLabel('Description', { exact: true }).fill('Knows every rule.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()

  await signInAs(page, url, people.bea)
  await page.goto(`${url}/agents`)
  const card = page.getByRole('listitem').filter({ hasText: 'Travel desk' })
  await card.waitFor()
  assert.equal(await card.getByRole('link', { name: 'Edit Travel desk' }).count(), 0)
  const image = card.locator('img')
  await image.waitFor()
  assert.equal((await page.request.get(url + (await image.getAttribute('src')))).status(), 200)
  await page.getByLabel('Find an agent').fill('nothing like it')
  await page.getByText('No agent matches.').waitFor()
  await page.getByLabel('Find an agent').fill('TRAVEL')
  await card.getByRole('link', { name: 'Start chat with Travel desk' }).click()
  await page.waitForURL(/\/chat\?persona=\d+$/)
})

inBrowser('a person deletes their agent, and reads one that they may not change', {}, async ({ page, url }) => {
  const own = await make('Short-lived', {}, people.ann)
  const other = await make('For everybody', { is_public: true })
  await signInAs(page, url, people.ann)
  await page.goto(`${url}/agents/${other.id}`)
  await page.getByText('Only its owner and administrators can change this agent.').waitFor()
  await page.goto(`${url}/agents/${own.id}`)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('An administrator can restore it.').waitFor()
  await page.getByRole('button', { name: 'Delete agent' }).click()
  await page.waitForURL(`${url}/agents`)
  await page.getByRole('heading', { name: 'For everybody' }).waitFor()
  assert.equal(await page.getByRole('heading', { name: 'Short-lived' }).count(), 0)
  await page.goto(`${url}/agents/${own.id}`)
  await page.getByRole('heading', { name: 'This agent does not exist' }).waitFor()
})

inBrowser('an unlisted agent stays with its owner, who can chat with it', {}, async ({ page, url }) => {
  const { id } = await make('Quiet desk', { is_public: true }, people.ann)
  await steps.ok('PATCH', `/admin/persona/${id}/listed`, { body: { is_listed: false } })
  const card = page.getByRole('listitem').filter({ hasText: 'Quiet desk' })
  await page.goto(`${url}/agents`)
  await card.getByText('Not listed').waitFor()
  await signInAs(page, url, people.bea)
  await page.goto(`${url}/agents`)
  await page.getByRole('heading', { name: 'Assistant' }).waitFor()
  assert.equal(await card.count(), 0)
  await signInAs(page, url, people.ann)
  await page.goto(`${url}/agents`)
  await card.getByText('Not listed').waitFor()
  await assertAccessible(page)
  await card.getByRole('link', { name: 'Start chat with Quiet desk' }).click()
  const choice = page.getByLabel('Agent', { exact: true })
  await choice.getByRole('option', { name: 'Quiet desk', selected: true }).waitFor({ state: 'attached' })
  await choice.selectOption({ label: 'Assistant' })
  await choice.getByRole('option', { name: 'Quiet desk' }).waitFor({ state: 'detached' })
})

inBrowser('the MCP servers behind the tools of an agent are listed', {}, async ({ page, url }) => {
  const { id } = await make('With a server')
  await page.route(`**/api/mcp/servers/persona/${id}`, async (route) => {
    const answer = await route.fetch()
    const servers = [
      { id: 1, name: 'Calendar', is_authenticated: true },
      { id: 2, name: HOSTILE, is_authenticated: false },
    ]
    await route.fulfill({ response: answer, json: { assistant_id: String(id), mcp_servers: servers } })
  })
  await page.goto(`${url}/admin/agents/${id}`)
  await page.getByRole('listitem').filter({ hasText: 'Calendar' }).getByText('Ready to use').waitFor()
  await page.getByRole('listitem').filter({ hasText: HOSTILE }).getByText('Waits until you sign in to it').waitFor()
})

inBrowser('an administrator opens and shares the private agent of a person', {}, async ({ page, url }) => {
  const { id } = await make('Private notes', { system_prompt: 'Be kind.' }, people.bea)
  await page.goto(`${url}/admin/agents`)
  await page.getByRole('link', { name: 'Private notes' }).click()
  await page.getByText('bea@example.com').waitFor()
  assert.equal(await page.getByLabel('What the agent does').inputValue(), 'Be kind.')
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByLabel('Everybody here may use it').check()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('Everybody', { exact: true }).waitFor()
  assert.equal((await stored(id)).is_public, true)
})

inBrowser('a failure is shown, and trying again helps', {}, async ({ page, url }) => {
  await page.route('**/api/admin/persona?*', (it) => it.abort('connectionrefused'))
  await page.goto(`${url}/admin/agents`)
  const alert = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).first()
  await alert.waitFor()
  await tryAgain(page, alert, '**/api/admin/persona?*')
  await row(page, 'Assistant').waitFor()
})

for (const scheme of SCHEMES)
  inBrowser(
    `the pages of agents are accessible on a phone, ${scheme}`,
    { scheme, width: NARROW },
    async ({ page, url }) => {
      const { id } = await make(`Agent ${'x'.repeat(90)} ${scheme}`, {
        is_public: true,
        description: HOSTILE.repeat(9),
      })
      for (const path of ['/agents', `/agents/${id}`, '/admin/agents', '/agents/new']) {
        await page.goto(url + path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.waitForLoadState('networkidle')
        await assertAccessible(page)
        await assertFits(page, path)
      }
    },
  )
