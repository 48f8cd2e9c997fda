import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { type Server, waitFor } from '../server.ts'
import { assertAccessible, openBrowser } from './browser.ts'

const TEXT = Array.from({ length: 120 }, (_, at) => `wombat${at}`).join(' ')

const inBrowser = await openBrowser(async (server: Server) => {
  const steps = createSetup(createRequester(server))
  for (const [id, title] of [
    ['guide-1', 'The guide'],
    ['guide-2', 'The old guide'],
    ['guide-3', 'The guide of the board'],
  ])
    await steps.push(documentOf(TEXT, { id, semantic_identifier: title, title: 'The guide' }))
  await steps.push(documentOf('The wombat eats.', { id: 'menu', semantic_identifier: 'The menu' }))
  const waiting = async () => (await steps.ok('GET', '/admin/near-duplicates')).waiting
  await waitFor(async () => (await waiting()) === 0, 'the comparison of all documents')
})

inBrowser('a document that is hidden or deleted leaves its group', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/near-duplicates`)
  await page.getByRole('heading', { name: '3 documents' }).waitFor()
  await page.getByRole('link', { name: 'The old guide', exact: true }).waitFor()
  await assertAccessible(page)
  await page.getByLabel('Connector').selectOption({ index: 1 })
  await page.getByRole('heading', { name: '3 documents' }).waitFor()
  await page.getByRole('button', { name: 'Hide: The old guide' }).click()
  await page.getByRole('heading', { name: '2 documents' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: '3 documents' }).waitFor()
  await page.getByRole('button', { name: 'Delete: The guide of the board' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It stays in the trash for a while').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: '2 documents' }).waitFor()
  await page.getByRole('button', { name: 'Delete: The old guide' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No group matches').waitFor()
  await page.getByLabel('Connector').selectOption({ label: 'All' })
  await page.getByText('No near duplicates').waitFor()
})
