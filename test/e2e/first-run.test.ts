// From an empty data directory to the first answer of one's own documents, as a person does it.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openSite, pageOf } from '../connectors/site.ts'
import { assertAccessible, openBrowser } from './browser.ts'

const MAX_CLICKS = 8
const site = await openSite()
site.pages.set('/docs', pageOf('Handbook', 'The heron nests in the tall reed.', ['/docs/a']))
site.pages.set('/docs/a', pageOf('Opening hours', 'The harbour office opens at nine in the morning.'))

let linkFile = ''
const inBrowser = await openBrowser(
  async ({ dataDir }) => {
    linkFile = join(dataDir, 'first-admin-link')
  },
  { EGRESS_ALLOW: '127.0.0.1', CONNECTOR_REQUESTS_PER_SECOND: '0' },
)

inBrowser('the first administrator comes to an answer in few clicks', { key: null }, async ({ page, url }) => {
  let clicks = 0
  await page.exposeFunction('countClick', () => (clicks += 1))
  await page.addInitScript("addEventListener('pointerdown', () => countClick(), true)")
  const { pathname, hash } = new URL((await readFile(linkFile, 'utf8')).trim(), url)
  await page.goto(url + pathname + hash)
  await page.getByRole('heading', { name: 'Create the first account' }).waitFor()
  await page.getByLabel('E-mail address').fill('ann@example.com')
  await page.getByLabel('Password', { exact: true }).fill('four small words here')
  await page.getByRole('button', { name: 'Create account' }).click()

  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.waitFor()
  await assertAccessible(page)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/first-steps.png`, fullPage: true })
  await steps.getByRole('link', { name: 'Connect a source' }).click()
  await page.getByRole('link', { name: /^Website/ }).click()
  await page.getByRole('textbox', { name: 'Start address' }).fill(`${site.url}/docs`)
  await page.getByRole('button', { name: 'Test the connection' }).click()
  await page.getByText('The connection works').waitFor()
  await page.getByRole('radio', { name: 'Everyone who can sign in' }).check()
  await page.getByRole('button', { name: 'Create and start the first run' }).click()
  await page.waitForURL(/\/admin\/connector\/\d+$/)
  const documents = async () => (await (await page.request.get(`${url}/api/admin/overview`)).json()).documents
  while ((await documents()) < 2);

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Search' }).click()
  await steps.getByText('Watch it index').waitFor()
  await steps.getByRole('link', { name: 'Connect a source' }).waitFor({ state: 'detached' })
  // A search counts once the person stops typing.
  const remembered = page.waitForRequest((it) => it.postData()?.includes('"remember":true') === true)
  await page.getByRole('textbox', { name: 'Search' }).fill('heron')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Handbook' }).first().waitFor()
  await remembered

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Chat' }).click()
  await page.getByRole('textbox', { name: 'Question' }).fill('When does the harbour office open?')
  await page.keyboard.press('Enter')
  await page.locator('article.answer').last().getByText('opens at nine in the morning').first().waitFor()
  assert.ok(clicks > 4 && clicks <= MAX_CLICKS, `${clicks} clicks`)

  // One step is left; the card goes when it is done.
  await page.goto(url)
  await steps.getByRole('link', { name: 'Invite people' }).waitFor()
  assert.equal(await steps.getByRole('link').count(), 1)
  const headers = { 'x-requested-with': 'test' }
  const invited = await page.request.put(`${url}/api/manage/admin/users`, {
    headers,
    data: { emails: ['bea@example.com'] },
  })
  assert.ok(invited.ok())
  await steps.waitFor({ state: 'detached' })
})
