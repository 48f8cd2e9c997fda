import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import type { Server } from '../server.ts'
import { assertAccessible, openBrowser } from './browser.ts'

let owner: string
const inBrowser = await openBrowser(async (server: Server) => {
  const steps = createSetup(createRequester(server))
  owner = await steps.makeKey({ role: 'basic', user_email: 'ann@example.com' })
  const guide = { id: 'guide', semantic_identifier: 'The guide', doc_updated_at: '2020-01-01T00:00:00Z' }
  await steps.push(documentOf('The wombat moves.', { ...guide, primary_owners: [{ email: 'ann@example.com' }] }))
  await steps.push(documentOf('The wombat eats.', { id: 'menu', semantic_identifier: 'The menu' }))
})

inBrowser('an owner says that a document is still right, and the search shows it', { key: null }, async (it) => {
  const { page, url } = it
  const headers = { 'x-requested-with': 'test' }
  await page.request.post(`${url}/api/auth/session`, { data: { api_key: owner }, headers })
  await page.goto(`${url}/sources`)
  await page.getByRole('link', { name: 'My documents' }).click()
  await page.getByText('Not verified').waitFor()
  await page.getByRole('button', { name: 'The guide: still right' }).click()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await page.getByText('Verified by ann@example.com until').waitFor()
  await page.goto(`${url}/?q=wombat`)
  await page.getByText('Verified by ann@example.com until').waitFor()
  await page.goto(`${url}/document?id=guide`)
  await page.getByRole('button', { name: 'The guide: take back' }).click()
  await page.getByText('Verified by ann@example.com until').waitFor({ state: 'detached' })
})

inBrowser('the longest unchanged document comes first, and filters narrow the list', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/stale-documents`)
  const guide = page.getByRole('listitem').filter({ hasText: 'The guide' })
  const menu = page.getByRole('listitem').filter({ hasText: 'The menu' })
  await guide.getByText('Hardly opened').waitFor()
  await menu.waitFor()
  await assertAccessible(page)
  await page.getByLabel('Unchanged for').selectOption('365')
  await menu.waitFor({ state: 'detached' })
  await page.getByLabel('Verification').selectOption('valid')
  await page.getByText('No document matches').waitFor()
  await page.getByLabel('Verification').selectOption('never')
  await guide.waitFor()
})
