import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester, type Requester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
let ask: Requester
let steps: ReturnType<typeof createSetup>
let desk: { id: number }
/** A person who may read the documents of one source only. */
let reader: string
const inBrowser = await openBrowser(async (server) => {
  ask = createRequester(server)
  steps = createSetup(ask)
  reader = await steps.makeKey({ role: 'basic', user_email: 'ann@example.com' })
  const external_access = { is_public: false, external_user_emails: ['bob@example.com'] }
  await steps.push(documentOf('Leave is thirty days long.', { id: 'wiki', source: 'confluence' }))
  await steps.push(documentOf('Leave is forgotten in this ticket.', { id: 'ticket', source: 'jira' }))
  await steps.push(documentOf('Leave of the board.', { id: 'vault', source: 'github', external_access }))
  const persona = { task_prompt: '', system_prompt: '', document_set_ids: [], tool_ids: [1], datetime_aware: true }
  const make = (name: string, more: object) =>
    steps.ok('POST', '/persona', { body: { ...persona, name, description: `About ${name}`, is_public: true, ...more } })
  desk = await make('People desk', {
    starter_messages: [{ name: 'Length of leave', message: 'How long is leave?' }],
  })
  await make(HOSTILE, { description: HOSTILE })
})

const composer = (page: Page) => page.getByRole('textbox', { name: 'Ask a question' })
async function signInAs(page: Page, url: string, key: string): Promise<void> {
  const headers = { 'x-requested-with': 'test' }
  await page.request.post(`${url}/api/auth/session`, { data: { api_key: key }, headers })
}

inBrowser('an agent is chosen by its card, and one click sends its question', {}, async ({ page, url }) => {
  await page.goto(`${url}/chat`)
  await page.getByRole('link', { name: HOSTILE }).waitFor()
  await page.getByRole('link', { name: /^People desk/ }).click()
  await page.waitForURL(`${url}/chat?persona=${desk.id}`)
  await page.getByText('About People desk').waitFor()
  await assertAccessible(page)
  const sent = page.waitForRequest((it) => it.url().endsWith('/chat/send-chat-message'))
  await page.getByRole('button', { name: /^Length of leave/ }).click()
  const { message, chat_session_info } = (await sent).postDataJSON()
  assert.deepEqual([message, chat_session_info], ['How long is leave?', { persona_id: desk.id }])
  await page.getByText('thirty days').first().waitFor()
})

inBrowser('the room for attached files is named, in a new chat and in an old one', {}, async ({ page, url }) => {
  const attach = () =>
    page
      .getByRole('form', { name: 'Question' })
      .locator('input[type=file]')
      .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Leave is short.') })
  await page.goto(`${url}/chat`)
  await attach()
  await page.getByText(/The model reads about [\d,]+ tokens of files/).waitFor()
  await composer(page).fill('How long is leave?')
  await composer(page).press('Enter')
  await page.waitForURL(/\/chat\/[0-9a-f-]+/)
  await page.getByText('thirty days').first().waitFor()
  await attach()
  await page.getByText(/The model reads about [\d,]+ tokens of files/).waitFor()
})

inBrowser('the usual agent comes back, and all agents are one link away', {}, async ({ page, url }) => {
  await page.goto(`${url}/chat?persona=${desk.id}`)
  await page.getByRole('link', { name: /^Assistant/ }).click()
  await page.waitForURL(`${url}/chat`)
  await page.getByText('What would you like to know?').waitFor()
  await page.getByRole('link', { name: 'All agents' }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
})

inBrowser('@ offers the readable sources, and limits the question to the chosen one', {}, async ({ page, url }) => {
  await signInAs(page, url, reader)
  await page.goto(`${url}/chat`)
  await composer(page).click()
  await page.keyboard.type('How long is @')
  const list = page.getByRole('listbox', { name: 'Suggestions' })
  await list.waitFor()
  assert.equal(await list.getByRole('option').count(), 2)
  for (const name of ['Confluence', 'Jira']) await list.getByRole('option', { name }).waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await page.keyboard.type('x ')
  await composer(page).fill('')
  await page.keyboard.type('How long is @CONF')
  await list.getByRole('option').waitFor()
  await page.keyboard.press('Enter')
  await list.waitFor({ state: 'detached' })
  await page.getByText('Only in Confluence').waitFor()
  await page.keyboard.type('leave @j')
  await list.getByRole('option', { name: 'Jira' }).click()
  await page.getByText('Only in Jira').waitFor()
  assert.equal(await composer(page).inputValue(), 'How long is leave ')
  await page.getByRole('button', { name: 'Search not only in Jira' }).click()
  const sent = page.waitForRequest((it) => it.url().endsWith('/chat/send-chat-message'))
  await composer(page).press('Enter')
  assert.deepEqual((await sent).postDataJSON().internal_search_filters, { source_type: ['confluence'] })
  await page.getByText('thirty days').first().waitFor()
  const asked = page.locator('.question')
  await asked.getByText('Only in Confluence').waitFor()
  assert.equal(await page.getByRole('form').getByText('Only in Confluence').count(), 0)
  assert.equal(await page.getByText('forgotten in this ticket').count(), 0)
  await page.waitForURL(/\/chat\/./)
  await page.reload()
  const again = page.waitForRequest((it) => it.url().endsWith('/chat/send-chat-message'))
  await page.getByRole('button', { name: 'Regenerate answer' }).click()
  assert.deepEqual((await again).postDataJSON().internal_search_filters, { source_type: ['confluence'] })
  await page.getByText('2 of 2').waitFor()
  await asked.getByText('Only in Confluence').waitFor()
  await page.getByRole('button', { name: 'Edit question' }).click()
  const edited = page.waitForRequest((it) => it.url().endsWith('/chat/send-chat-message'))
  await page.getByRole('textbox', { name: 'Edited question' }).press('Enter')
  assert.deepEqual((await edited).postDataJSON().internal_search_filters, { source_type: ['confluence'] })
  await page.getByText('thirty days').first().waitFor()
  await asked.getByText('Only in Confluence').waitFor()
  await page.getByRole('button', { name: 'Edit question' }).click()
  await page.getByRole('button', { name: 'Search not only in Confluence' }).click()
  const everywhere = page.waitForRequest((it) => it.url().endsWith('/chat/send-chat-message'))
  await page.getByRole('textbox', { name: 'Edited question' }).press('Enter')
  assert.equal((await everywhere).postDataJSON().internal_search_filters, undefined)
  await page.getByText('Also found, not cited (1)').click()
  await page.getByText('forgotten in this ticket').waitFor()
})

inBrowser('a prompt is saved in the account, inserted with a slash, changed and deleted', {}, async ({ page, url }) => {
  await signInAs(page, url, reader)
  await page.goto(`${url}/account`)
  await page.getByRole('button', { name: 'New prompt' }).click()
  const dialog = page.getByRole('dialog', { name: 'New prompt' })
  await dialog.getByLabel('Name').fill(HOSTILE)
  await dialog.getByLabel('Text').fill('Sum up in three sentences: ')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const row = page.getByRole('row', { name: HOSTILE })
  await row.getByText('Sum up in three sentences').waitFor()
  await assertAccessible(page)

  await page.goto(`${url}/chat`)
  await composer(page).click()
  await page.keyboard.type('/IMG')
  const list = page.getByRole('listbox', { name: 'Suggestions' })
  await list.getByRole('option', { name: HOSTILE }).waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Tab')
  await list.waitFor({ state: 'detached' })
  assert.equal(await composer(page).inputValue(), 'Sum up in three sentences: ')
  await page.keyboard.type('the leave policy / rules')
  assert.equal(await list.count(), 0)

  await page.goto(`${url}/account`)
  await row.getByRole('button', { name: `Edit ${HOSTILE}` }).click()
  const change = page.getByRole('dialog', { name: 'Edit prompt' })
  await change.getByLabel('Name').fill('Summary')
  await change.getByLabel('Offer it in the chat').uncheck()
  await change.getByRole('button', { name: 'Save' }).click()
  const summary = page.getByRole('row', { name: /^Summary/ })
  await summary.getByText('No', { exact: true }).waitFor()
  await summary.getByRole('button', { name: 'Delete Summary' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete prompt' }).click()
  await summary.waitFor({ state: 'detached' })
  assert.deepEqual(await steps.ok('GET', '/input_prompt', { key: reader }), [])
})

for (const scheme of SCHEMES)
  inBrowser(
    `the start of a chat is accessible on a phone, ${scheme}`,
    { scheme, width: NARROW },
    async ({ page, url }) => {
      await page.goto(`${url}/chat`)
      await page.getByRole('link', { name: /^People desk/ }).waitFor()
      await composer(page).click()
      await page.keyboard.type('@')
      await page.getByRole('listbox').waitFor()
      await assertAccessible(page)
      await assertFits(page)
    },
  )
