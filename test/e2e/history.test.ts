import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES } from './browser.ts'

let steps: ReturnType<typeof createSetup>
let ann: string
const HOSTILE = '<img src=x onerror=alert(1)>'

const inBrowser = await openBrowser(async (server: Server) => {
  steps = createSetup(createRequester(server))
  ann = await steps.makeKey({ role: 'basic', user_email: 'ann@example.com' })
  const bea = await steps.makeKey({ role: 'basic', user_email: 'bea@example.com' })
  await steps.push(documentOf('The okapi lives in the forest.', { id: 'okapi', semantic_identifier: 'Okapi' }))
  await ask(bea, `${HOSTILE} Where is the okapi?`)
  const { message_id: chat_message_id } = await ask(ann, 'Where does the okapi live?')
  const feedback = { chat_message_id, is_positive: false, feedback_text: 'Too short' }
  await steps.ok('POST', '/chat/create-chat-message-feedback', { key: ann, body: feedback })
})

const allow = (query_history_type: string) => steps.ok('PATCH', '/admin/settings', { body: { query_history_type } })
const open = async (page: Page, url: string) => {
  await page.goto(`${url}/admin/history`)
  await page.getByRole('heading', { name: 'Chat history', level: 1 }).waitFor()
}
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

async function downloaded(page: Page, button: Locator): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  return readFileSync(await download.path(), 'utf8')
}

inBrowser('an administrator reads a chat without the name of the person', {}, async ({ page, url }) => {
  await allow('anonymized')
  await open(page, url)
  await page.getByText('hide who asked').waitFor()
  await rowOf(page, HOSTILE).waitFor()
  assert.equal(await page.getByLabel('E-mail address').count(), 0)
  await page.getByLabel('Feedback').selectOption({ label: 'Bad' })
  await rowOf(page, HOSTILE).waitFor({ state: 'detached' })
  await rowOf(page, 'Where does the okapi live?').getByRole('link').click()
  await page.waitForURL(/\/admin\/history\/.+/)
  const answer = page.getByRole('article').filter({ hasText: 'Answer' })
  await answer.getByText('Too short').waitFor()
  await answer.getByText('Bad', { exact: true }).waitFor()
  await answer.getByText('1 document of this answer').click()
  await answer.getByRole('link', { name: 'Okapi' }).waitFor()
  assert.doesNotMatch((await page.textContent('main')) ?? '', /ann@example\.com/)
  await assertAccessible(page)
})

inBrowser('where people are named, chats are found by person and by period', {}, async ({ page, url }) => {
  await allow('normal')
  await open(page, url)
  await rowOf(page, 'bea@example.com').waitFor()
  await page.getByLabel('E-mail address').fill('ann@example.com')
  await rowOf(page, 'bea@example.com').waitFor({ state: 'detached' })
  await rowOf(page, 'ann@example.com').waitFor()
  await page.getByLabel('From').first().fill('2040-01-01T00:00')
  await page.getByRole('heading', { name: 'No chat matches the filters' }).waitFor()
})

inBrowser('chats are exported at once, and as an export that stays', {}, async ({ page, url }) => {
  await allow('anonymized')
  await open(page, url)
  assert.match(
    await downloaded(page, page.getByRole('link', { name: 'Export the period as CSV' })),
    /Where does the okapi live\?/,
  )
  const section = page.getByRole('region', { name: 'Exports' })
  await section.getByText('Nobody has exported chats yet.').waitFor()
  await section.getByLabel('Until').fill('2040-01-01T00:00')
  await section.getByRole('button', { name: 'Start an export' }).click()
  await section.getByText('The export is ready.').waitFor()
  const csv = await downloaded(page, section.getByRole('link', { name: /^Download the export of/ }))
  assert.match(csv, /Where does the okapi live\?/)
  assert.doesNotMatch(csv, /ann@example\.com/)
})

inBrowser('a closed history says who opens it', {}, async ({ page, url }) => {
  await allow('disabled')
  await page.goto(`${url}/admin/history`)
  await page.getByRole('heading', { name: 'The chat history is closed' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'settings', exact: true }).click()
  await page.waitForURL(`${url}/admin/settings`)
  await allow('anonymized')
})

inBrowser('many chats are shown page by page', {}, async ({ page, url }) => {
  await allow('anonymized')
  for (let at = 0; at < 20; at += 1) await ask(ann, `Question ${at} about the okapi`)
  await open(page, url)
  await page.getByText('1–20 of 22 chats').waitFor()
  await rowOf(page, 'Question 19 about').waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('21–22 of 22 chats').waitFor()
  await rowOf(page, 'Where does the okapi live?').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Next page' }).isDisabled(), true)
})

inBrowser('a chat that is not in the history is named so', {}, async ({ page, url }) => {
  await allow('anonymized')
  await page.goto(`${url}/admin/history/00000000-0000-4000-8000-000000000000`)
  await page.getByRole('heading', { name: 'This chat is not in the history' }).waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(`the history is accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await allow('normal')
      await open(page, url)
      await rowOf(page, 'ann@example.com').first().waitFor()
      await page.getByRole('row').filter({ hasText: 'The beginning' }).waitFor()
      await assertAccessible(page)
      await assertFits(page)
    })
  }
}

function ask(key: string, message: string) {
  return steps.ok('POST', '/chat/send-chat-message', { key, body: { message, stream: false } })
}
