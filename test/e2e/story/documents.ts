// A document of a program: pushed with a key of the page, deleted, restored, judged.
import assert from 'node:assert/strict'
import { found, foundNothing } from './answers.ts'
import { openAdmin, openPage, region, rowOf, type Story } from './company.ts'

const TITLE = 'Price list'

export async function pushWithKey(story: Story): Promise<void> {
  const { page, url } = story
  await openAdmin(story, 'Ingestion')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('Shop')
  await page.getByLabel('Name').press('Enter')
  const shown = page.getByRole('dialog', { name: 'Copy the key now' })
  const key = await shown.getByRole('figure', { name: 'The new key' }).locator('pre').innerText()
  await shown.getByRole('button', { name: 'Done' }).click()
  const sections = [{ text: 'A berth costs twelve crowns a night.', link: 'https://shop.example.com/prices' }]
  const document = { id: 'prices', semantic_identifier: TITLE, source: 'shop', sections, metadata: {} }
  const pushed = await fetch(`${url}/api/service-api/ingestion`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ document }),
  })
  assert.equal(pushed.status, 200, await pushed.text())
  await rowOf(story, 'prices').getByText('Indexed').waitFor()
  await openPage(story, 'Search')
  await found(story, 'twelve crowns', TITLE)
}

export async function deleteAndRestore(story: Story): Promise<void> {
  const { page } = story
  await openAdmin(story, 'Documents')
  await page.getByRole('link', { name: TITLE }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText(`“${TITLE}” is in the trash`).waitFor()
  await openPage(story, 'Search')
  await foundNothing(story, 'twelve crowns')
  await openAdmin(story, 'Trash')
  await page.getByRole('button', { name: `Restore ${TITLE}` }).click()
  await page.getByText(`“${TITLE}” was restored.`, { exact: false }).waitFor()
  await openPage(story, 'Search')
  await found(story, 'twelve crowns', TITLE)
}

/** The grade says that the ranking gets better, and then it is switched. */
export async function judge(story: Story): Promise<void> {
  await openAdmin(story, 'Relevance lab')
  const byHand = region(story, 'Judge by hand')
  await byHand.getByLabel('Query', { exact: true }).fill('berth')
  await byHand.getByRole('button', { name: 'Show results' }).click()
  await byHand
    .getByRole('group', { name: `Grade of ${TITLE}` })
    .getByRole('button', { name: 'The answer' })
    .click()
  await byHand.getByText('Quality of this query by its grades (nDCG@10, at most 1):').waitFor()
  await switchRanking(story)
}

async function switchRanking(story: Story): Promise<void> {
  const { page } = story
  await openAdmin(story, 'Ranking')
  await page.getByRole('button', { name: 'Pin documents' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pin documents' })
  await dialog.getByLabel('Query').fill('berth')
  await dialog.getByLabel('Search for a document').fill('prices crowns')
  await dialog.getByRole('button', { name: `Choose ${TITLE}` }).click()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('1 unsaved change').waitFor()
  await page.getByRole('link', { name: 'Replay earlier queries', exact: true }).click()
  const replay = region(story, 'Replay earlier queries')
  await replay.getByRole('button', { name: 'Replay', exact: true }).click()
  await replay.getByText(/^On average the graded queries /).waitFor()
  await openAdmin(story, 'Ranking')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The ranking was changed').waitFor()
}
