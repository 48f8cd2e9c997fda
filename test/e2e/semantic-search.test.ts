// The note above results that contain no word of the query, and the page of a question that nothing answers.
import assert from 'node:assert/strict'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { waitFor } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser } from './browser.ts'

const QUERY = 'expenses for accommodation of staff'
/** One of its words stands in a document, which is about something else. */
const UNANSWERED = 'which lasagne recipe do the penguins get'

const inBrowser = await openBrowser(
  async (server) => {
    const { push, search, ok } = createSetup(createRequester(server))
    await push({
      id: 'hotel',
      semantic_identifier: 'Lodging',
      sections: [{ link: 'https://example.com/lodging', text: 'Employees get reimbursed for hotel costs.' }],
      source: 'web',
      metadata: {},
    })
    await waitFor(async () => (await ok('GET', '/health/ready')).data.embedding.pending === 0, 'all vectors')
    // The first query embedding after a start may exceed the time limit of its search.
    for (const query of [QUERY, UNANSWERED])
      await waitFor(async () => (await search(query)).ranked_by === 'both', 'a ranking by meaning')
  },
  { EMBEDDING: 'local' },
)

inBrowser('results that match only by meaning are labelled', {}, async ({ page, url }) => {
  const note = page
    .getByRole('note')
    .filter({ hasText: 'No document contains your words. These results are close in meaning:' })
  await page.goto(`${url}/?q=${encodeURIComponent(QUERY)}`)
  await page.getByRole('link', { name: 'Lodging' }).first().waitFor()
  await note.waitFor()
  await page.goto(`${url}/?q=hotel`)
  await page.getByRole('link', { name: 'Lodging' }).first().waitFor()
  await note.waitFor({ state: 'detached' })
})

for (const width of [NARROW, 1_440])
  inBrowser(
    `a question that nothing answers has links to the closest pages, ${width} px`,
    { width },
    async ({ page, url }) => {
      await page.goto(`${url}/?q=${encodeURIComponent(UNANSWERED)}`)
      await page.getByText('Nothing answers this').waitFor()
      const closest = page.getByRole('listitem').getByRole('link', { name: 'Lodging', exact: true })
      assert.equal(await closest.getAttribute('href'), 'https://example.com/lodging')
      await assertAccessible(page)
      await assertFits(page)
      await page.getByRole('button', { name: 'Show what contains some of the words' }).click()
      await page.getByText('1 result').waitFor()
      await page.waitForURL((it) => it.searchParams.get('any') === 'true')
    },
  )
