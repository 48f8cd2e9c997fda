// Sources by form: connected, watched, broken and mended, and checked for what they no longer have.
import { BERTHS, forgetBerths, listBerths, openAdmin, region, rowOf, type Story, site } from './company.ts'

export async function connect(story: Story, name: string, path: string, readers: { group: string } | 'everyone') {
  const { page } = story
  await openAdmin(story, 'Connectors')
  await page
    .getByRole('link', { name: /^(Connect a source|Add connector)$/ })
    .first()
    .click()
  await page.getByRole('link', { name: /^Website/ }).click()
  await page.getByRole('textbox', { name: 'Start address' }).fill(site.url + path)
  await page.getByRole('button', { name: 'Test the connection' }).click()
  await page.getByText('The connection works').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  if (readers === 'everyone') await page.getByRole('radio', { name: 'Everyone who can sign in' }).check()
  else {
    await page.getByRole('radio', { name: 'Only some groups' }).check()
    await page.getByRole('checkbox', { name: readers.group }).check()
  }
  await page.getByRole('button', { name: 'Create and start the first run' }).click()
  await page.waitForURL(/\/admin\/connector\/\d+$/)
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

/** The page of the connector shows the end of its first run, and the documents. */
export async function watch(story: Story, documents: number): Promise<void> {
  const { page } = story
  await region(story, 'Runs').getByRole('row').getByText('Succeeded').waitFor()
  await page.getByText('Up to date', { exact: true }).first().waitFor()
  const indexed = page.locator('.facts > div').filter({ hasText: 'Documents indexed' })
  await indexed.locator('dd').getByText(String(documents), { exact: true }).waitFor()
}

const openConnector = async (story: Story) => {
  await openAdmin(story, 'Connectors')
  await rowOf(story, 'Handbook').getByRole('link', { name: 'Handbook' }).click()
  await story.page.getByRole('heading', { name: 'Handbook', level: 1 }).waitFor()
}
const needsYou = (story: Story) => region(story, 'Needs you now')

export async function breakAndMend(story: Story): Promise<void> {
  const { page } = story
  site.pages.set('/docs', { status: 401, body: 'who are you?' })
  await openConnector(story)
  await page.getByRole('button', { name: 'Sync now' }).click()
  await page.locator('.connector-reason').getByText('HTTP 401').waitFor()
  await page.getByRole('link', { name: /^Overview/ }).click()
  await needsYou(story).getByText('Handbook cannot be read').waitFor()
  listBerths()
  await needsYou(story).getByRole('link', { name: 'Open connector' }).click()
  await page.getByRole('button', { name: 'Sync now' }).click()
  await page.locator('.connector-reason.failing').waitFor({ state: 'detached' })
  await page.getByText('Up to date', { exact: true }).first().waitFor()
  await page.getByRole('link', { name: /^Overview/ }).click()
  await needsYou(story).getByRole('heading', { name: 'Nothing needs you' }).waitFor()
  await needsYou(story)
    .getByText(/^Ended in the last seven days \(\d+\)$/)
    .waitFor()
}

export async function prune(story: Story): Promise<void> {
  const { page } = story
  forgetBerths()
  await openConnector(story)
  const card = region(story, 'Deleted in the source')
  const check = card.getByRole('button', { name: 'Check what would be deleted' })
  await check.click()
  await card.getByText(`${BERTHS} documents are no longer in the source`).waitFor()
  await page.getByText('Deletion needs confirmation').first().waitFor()
  await page.getByRole('link', { name: /^Overview/ }).click()
  await needsYou(story).getByText('Many documents of Handbook are gone from the source.').waitFor()
  await needsYou(story).getByRole('link', { name: 'Open connector' }).click()
  await card.getByRole('row').filter({ hasText: '/docs/berth-10' }).waitFor()
  await card.getByRole('button', { name: 'Keep them' }).click()
  await check.click()
  await card.getByRole('button', { name: `Delete ${BERTHS} documents` }).click()
  await card.getByText(new RegExp(`The last check was .*: ${BERTHS} documents were deleted\\.`)).waitFor()
}
