// The first administrator, and a person who is invited and sees only what they may.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { found, foundNothing } from './answers.ts'
import { ANN, BEA, openAdmin, PASSWORD, rowOf, type Story } from './company.ts'

export async function becomeAdministrator({ page, url, dataDir }: Story): Promise<void> {
  const link = (await readFile(join(dataDir, 'first-admin-link'), 'utf8')).trim()
  await createAccount(page, url, link, 'Create the first account')
  await page.getByRole('region', { name: 'First steps' }).waitFor()
}

async function createAccount(page: Page, url: string, link: string, heading: string): Promise<void> {
  const { pathname, hash } = new URL(link, url)
  await page.goto(url + pathname + hash)
  await page.getByRole('heading', { name: heading }).waitFor()
  const address = page.getByLabel('E-mail address')
  if (await address.isEditable()) await address.fill(ANN)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
}

export async function makeGroup(story: Story, name: string): Promise<void> {
  const { page } = story
  await openAdmin(story, 'Groups')
  await page.getByRole('button', { name: 'New group' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Create group' }).click()
  await page.getByRole('heading', { name }).waitFor()
}

async function invite(story: Story): Promise<string> {
  const { page } = story
  await openAdmin(story, 'People')
  await page.getByRole('button', { name: 'Invite people' }).click()
  await page.getByLabel('E-mail addresses').fill(BEA)
  await page.getByRole('button', { name: 'Create links' }).click()
  const link = await page
    .getByRole('figure', { name: `Link for ${BEA}` })
    .locator('pre')
    .textContent()
  await page.getByRole('button', { name: 'Done' }).click()
  assert.ok(link !== null)
  return link
}

async function addToGroup(story: Story, group: string): Promise<void> {
  const { page } = story
  await openAdmin(story, 'Groups')
  await page.getByRole('link', { name: group }).click()
  await page.getByRole('button', { name: 'Add people' }).click()
  await page.getByLabel('Search people').fill(BEA)
  await page.getByRole('checkbox', { name: BEA }).check()
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await rowOf(story, BEA).waitFor()
}

/** She reads what everybody reads, and the closed source only as a member of its group. */
export async function inviteBea(story: Story): Promise<void> {
  const link = await invite(story)
  const context = await story.page.context().browser()!.newContext({ reducedMotion: 'reduce' })
  const bea = { ...story, page: await context.newPage() }
  await createAccount(bea.page, story.url, link, 'Create your account')
  await bea.page.getByRole('textbox', { name: 'Search' }).waitFor()
  assert.equal(await bea.page.getByRole('link', { name: 'Administration' }).count(), 0)
  await found(bea, 'harbour office', 'Opening hours')
  await foundNothing(bea, 'lighthouse minutes')
  await bea.page.goto(`${story.url}/sources`)
  await bea.page.getByText('Handbook').first().waitFor()
  assert.equal(await bea.page.getByText('Board', { exact: false }).count(), 0)
  await addToGroup(story, 'Board')
  await bea.page.goto(story.url)
  await found(bea, 'lighthouse', 'Board minutes')
  await context.close()
}
