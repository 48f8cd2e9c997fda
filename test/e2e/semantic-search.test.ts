// The note above results that contain no word of the query.
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { waitFor } from '../server.ts'
import { openBrowser } from './browser.ts'

const QUERY = 'expenses for accommodation of staff'

const inBrowser = await openBrowser(
  async (server) => {
    const { push, search, ok } = createSetup(createRequester(server))
    await push({
      id: 'hotel',
      semantic_identifier: 'Lodging',
      sections: [{ text: 'Employees get reimbursed for hotel costs.' }],
      source: 'web',
      metadata: {},
    })
    await waitFor(async () => (await ok('GET', '/health/ready')).data.embedding.pending === 0, 'all vectors')
    // The first query embedding after a start may exceed the time limit of its search.
    await waitFor(async () => (await search(QUERY)).ranked_by === 'both', 'a ranking by meaning')
  },
  { EMBEDDING: 'local' },
)

inBrowser('results that match only by meaning are labelled', {}, async ({ page, url }) => {
  const note = page
    .getByRole('note')
    .filter({ hasText: 'No document contains your words. These results are close in meaning:' })
  await page.goto(`${url}/?q=${encodeURIComponent(QUERY)}`)
  await page
    .getByRole('link', { name: 'Lodging' })
    .or(page.getByRole('button', { name: 'Lodging', exact: true }))
    .waitFor()
  await note.waitFor()
  await page.goto(`${url}/?q=hotel`)
  await page.getByRole('button', { name: 'Lodging', exact: true }).waitFor()
  await note.waitFor({ state: 'detached' })
})
