// Answers that lost citations, for administrators.
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { calls, says, startModelServer } from '../model/model-server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES, tryAgain } from './browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u202e gpj.exe'

/** Searches first, then cites a passage that does not exist. */
const model = await startModelServer(({ body: { messages } }) =>
  messages.at(-1).role === 'tool'
    ? says(`The okapi lives in the forest. The moon is cheese [77]. ${HOSTILE}`)
    : calls({ name: 'internal_search', arguments: { queries: ['okapi'] } }),
)
let steps: ReturnType<typeof createSetup>
const inBrowser = await openBrowser(async (server) => {
  steps = createSetup(createRequester(server))
  await steps.push(documentOf('The okapi lives in the forest.', { id: 'okapi' }))
}, model.env())

const open = async (page: Page, url: string) => {
  await page.goto(`${url}/admin/citations`)
  await page.getByRole('heading', { name: 'Answers that lost citations', level: 1 }).waitFor()
}

inBrowser('without lost citations the page says so', {}, async ({ page, url }) => {
  await open(page, url)
  await page.getByRole('heading', { name: 'No answer lost a citation in this time' }).waitFor()
  await assertAccessible(page)
})

inBrowser('an answer that lost a citation is counted, listed and shown', {}, async ({ page, url }) => {
  for (let at = 0; at < 21; at++)
    await steps.ok('POST', '/chat/send-chat-message', { body: { message: `Okapi ${at}? ${HOSTILE}`, stream: false } })
  await open(page, url)
  await page.getByText('21 citations of 21 answers removed.').waitFor()
  await page.getByRole('img', { name: /^Removed citations per day: 21 in all/ }).waitFor()
  await page.getByRole('button', { name: '7 days' }).click()
  await page.getByRole('button', { name: 'Page 2', exact: true }).click()
  const rows = page.getByRole('region', { name: 'Answers' }).getByRole('row')
  await rows.nth(2).waitFor({ state: 'detached' })
  await rows
    .nth(1)
    .getByRole('button', { name: /^Show the answer of/ })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Answer that lost citations' })
  await dialog.getByText('Okapi 0?').waitFor()
  await dialog.getByText('The moon is cheese').waitFor()
  await assertAccessible(page)
})

inBrowser('while the chat history is closed, answers are counted and not listed', {}, async ({ page, url }) => {
  await steps.ok('PATCH', '/admin/settings', { body: { query_history_type: 'disabled' } })
  await open(page, url)
  await page.getByText('21 citations of 21 answers removed.').waitFor()
  await page.getByRole('heading', { name: 'The answers are not listed' }).waitFor()
  await steps.ok('PATCH', '/admin/settings', { body: { query_history_type: 'anonymized' } })
})

inBrowser('a failure of the service is shown, and trying again helps', {}, async ({ page, url }) => {
  await page.route('**/api/admin/removed-citations?*', (it) => it.abort('connectionrefused'))
  await open(page, url)
  const alert = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).first()
  await alert.waitFor()
  await tryAgain(page, alert, '**/api/admin/removed-citations?*')
  await page.getByText('21 citations of 21 answers removed.').waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(`lost citations are accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await open(page, url)
      await page.getByRole('img', { name: /^Removed citations/ }).waitFor()
      await assertAccessible(page)
      await assertFits(page)
      if (process.env.SHOTS !== undefined)
        await page.screenshot({ path: `${process.env.SHOTS}/citations-${scheme}-${width}.png`, fullPage: true })
    })
  }
}
