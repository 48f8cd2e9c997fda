// From the gallery to documents that are found, and the life of a credential.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { openGitHub } from '../connectors/github-server.ts'
import { openSite, pageOf } from '../connectors/site.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const SCRIPT = '<img src=x onerror=alert(1)>'
const escaped = SCRIPT.replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const site = await openSite()
site.pages.set('/docs', pageOf('Handbook', 'How the heron nests', ['/docs/a', '/docs/hidden', '/docs/broken']))
site.pages.set('/docs/a', pageOf(escaped, `A chapter about <b>${escaped}</b>`))
site.pages.set('/docs/hidden', pageOf('Hidden', 'x', [], '<meta name="robots" content="noindex">'))
site.pages.set('/docs/broken', { status: 403, body: 'no' })
const github = await openGitHub()
github.repository('hello', { collaborators: [{ login: 'mona' }], visibility: 'private', private: true })
github.issue('hello', 7, { title: 'Found a wombat' })
github.emails.set('mona', 'mona@example.com')

let request: ReturnType<typeof createSetup>
const inBrowser = await openBrowser(
  async (started: Server) => {
    request = createSetup(createRequester(started))
    await request.ok('POST', '/manage/admin/user-group', { body: { name: 'Editors', user_ids: [], cc_pair_ids: [] } })
  },
  { EGRESS_ALLOW: '127.0.0.1', CONNECTOR_REQUESTS_PER_SECOND: '0' },
)

const SHOTS = process.env.SHOTS ?? ''
async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS !== '') await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true })
}

const testConnection = (page: Page) => page.getByRole('button', { name: 'Test the connection' }).click()

inBrowser('a website goes from the gallery to a search result', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connectors`)
  await page.getByRole('link', { name: 'Connect a source' }).first().click()
  await page.getByRole('heading', { name: 'Connect a source' }).waitFor()
  await shoot(page, 'gallery')
  await page.getByRole('searchbox', { name: 'Search sources' }).fill('nothing like it')
  await page.getByRole('heading', { name: 'No source matches your search' }).waitFor()
  await page.getByRole('searchbox', { name: 'Search sources' }).fill('website')
  await page.getByRole('link', { name: /^Website/ }).click()
  const address = page.getByRole('textbox', { name: 'Start address' })
  await address.fill(`${site.url}/wrong`)
  await testConnection(page)
  await page.getByText('A setting does not fit the source').waitFor()
  await page.getByText('answered with HTTP 404').waitFor()
  await page.locator('input[name=base_url][aria-invalid=true]').waitFor()
  await assertAccessible(page)
  await shoot(page, 'wrong-address')

  await address.fill('http://10.1.2.3/')
  await testConnection(page)
  await page.locator('input[name=base_url][aria-invalid=true]').waitFor()
  await address.fill(`${site.url}/docs`)
  await testConnection(page)
  await page.getByText('The connection works').waitFor()
  const preview = page.getByRole('group', { name: 'Preview' })
  await preview.getByText(SCRIPT).first().waitFor()
  await preview.getByText('Everyone who may read this connector').first().waitFor()
  assert.equal(await preview.locator('img').count(), 0)
  await preview.getByText('Show the beginning').first().click()
  await page.getByText('2 documents would be left out').click()
  await page.getByText('The page is marked noindex.').waitFor()
  await assertAccessible(page)
  await shoot(page, 'preview')

  await page.getByRole('textbox', { name: 'Name' }).fill(`Handbook ${SCRIPT}`)
  await page.getByRole('radio', { name: 'Everyone who can sign in' }).check()
  await page.getByRole('combobox', { name: 'Look for changes' }).selectOption('Every hour')
  await page.getByRole('button', { name: 'Create and start the first run' }).click()
  await page.waitForURL(/\/admin\/connector\/\d+$/)
  await page.getByText(`Handbook ${SCRIPT}`).first().waitFor()
  const { connector } = await request.ok('GET', `/manage/admin/cc-pair/${page.url().split('/').at(-1)}`)
  assert.deepEqual([connector.refresh_freq, connector.prune_freq], [3_600, 86_400])
  await foundBySearch(page, url, 'heron', 'Handbook')
})

/** The first run has indexed the document. */
async function foundBySearch(page: Page, url: string, word: string, title: string): Promise<void> {
  await page.goto(`${url}/?q=${word}`)
  const link = page.getByRole('link', { name: title })
  while ((await link.count()) === 0) {
    const answered = page.waitForResponse((it) => it.url().includes('/search'))
    await page.reload()
    await answered
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
  }
}

inBrowser('files are uploaded and given to a group, by keyboard alone', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/add-connector`)
  await page.getByRole('searchbox', { name: 'Search sources' }).focus()
  await page.keyboard.type('files that you upload')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Connect a source: Files' }).waitFor()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose files' }).press('Enter')
  const file = { name: `${SCRIPT}.txt`, mimeType: 'text/plain', buffer: Buffer.from('The quokka is awake.') }
  await (await chooser).setFiles(file)
  await page.getByRole('list', { name: 'Uploaded files' }).getByText(SCRIPT).waitFor()
  await page.getByRole('radio', { name: 'No password', checked: true }).waitFor()
  await page.getByRole('button', { name: 'Test the connection' }).press('Enter')
  await page.getByText('This is the only document.').waitFor()
  await page.getByRole('radio', { name: 'Only some groups' }).press('Space')
  await page.getByText('Without a group, only administrators').waitFor()
  await page.getByRole('checkbox', { name: 'Editors' }).press('Space')
  await assertAccessible(page)
  await shoot(page, 'files')
  await page.getByRole('button', { name: 'Create and start the first run' }).press('Enter')
  await page.waitForURL(/\/admin\/connector\/\d+$/)
  const pair = await request.ok('GET', `/manage/admin/cc-pair/${page.url().split('/').at(-1)}`)
  assert.equal(pair.access_type, 'private')
  const [group] = await request.ok('GET', '/manage/admin/user-group')
  assert.deepEqual(
    group.cc_pairs.map((it: { id: number }) => it.id),
    [pair.id],
  )
})

inBrowser('a credential is made in place, changed by two people, and deleted', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/add-connector/github`)
  await page.getByRole('textbox', { name: 'Owner' }).fill('octo')
  await page.getByText('Advanced').click()
  await page.getByRole('textbox', { name: 'Address of an own server' }).fill(github.url)
  await page.getByRole('button', { name: 'New credential' }).click()
  await page.getByRole('textbox', { name: 'Access token' }).fill('ghp_wrong')
  await page.getByRole('textbox', { name: 'Name of the credential' }).fill('Robot')
  await page.getByRole('button', { name: 'Save credential' }).click()
  await page.getByRole('radio', { name: 'Robot', checked: true }).waitFor()
  await testConnection(page)
  await page.getByText('The source does not accept the credential').waitFor()
  await shoot(page, 'wrong-credential')

  await page.goto(`${url}/admin/credentials`)
  await page.getByRole('button', { name: 'Change the secret of Robot' }).click()
  await page.getByRole('textbox', { name: 'Access token' }).fill('ghp_token')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await page.goto(`${url}/admin/add-connector/github`)
  await page.getByRole('textbox', { name: 'Owner' }).fill('octo')
  await page.getByText('Advanced').click()
  await page.getByRole('textbox', { name: 'Address of an own server' }).fill(github.url)
  await page.getByRole('radio', { name: 'Robot' }).check()
  await testConnection(page)
  await page.getByRole('group', { name: 'Preview' }).getByText('mona@example.com').waitFor()
  await shoot(page, 'readers')
  await page.getByRole('button', { name: 'Create and start the first run' }).click()
  await page.waitForURL(/\/admin\/connector\/\d+$/)

  await page.goto(`${url}/admin/credentials`)
  const row = page.getByRole('row').filter({ hasText: 'Robot' })
  await row.getByRole('link', { name: 'GitHub' }).waitFor()
  await row.getByText(github.url).waitFor()
  await page.getByRole('button', { name: 'Addresses of Robot' }).click()
  const [, robot] = await request.ok('GET', '/manage/credential')
  const others = { allowed_origins: [github.url, 'https://other.example'] }
  await request.ok('PUT', `/manage/credential/${robot.id}/allowed-origins`, { body: others })
  await page.getByRole('textbox', { name: 'May be sent to' }).fill(`${github.url}\nhttps://mine.example`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Somebody else has changed this credential meanwhile').waitFor()
  await page.getByRole('alert').getByText('https://other.example').waitFor()
  await assertAccessible(page)
  await shoot(page, 'conflict')
  await page.getByRole('button', { name: 'Keep my list' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await row.getByText('https://mine.example').waitFor()
  await shoot(page, 'credentials')

  await page.getByRole('button', { name: 'Delete Robot' }).click()
  await page.getByText('1 connector is deleted with it').waitFor()
  await page.getByRole('checkbox', { name: 'Delete the connectors and their documents, too' }).check()
  await shoot(page, 'delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  const unused = { source: 'github', name: `Unused ${SCRIPT}`, credential_json: {}, admin_public: false }
  await request.ok('POST', '/manage/credential', { body: unused })
  await page.reload()
  await page.getByText('No connector').waitFor()
  await page.getByRole('button', { name: `Delete Unused ${SCRIPT}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No credentials yet' }).waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(
      `the pages that connect a source are accessible, ${scheme}, ${width} wide`,
      { scheme, width },
      async ({ page, url }) => {
        for (const path of ['add-connector', 'add-connector/github', 'add-connector/web', 'credentials']) {
          await page.goto(`${url}/admin/${path}`)
          await page.getByRole('heading', { level: 1 }).waitFor()
          await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
          await assertAccessible(page)
          await shoot(page, `${path.replace('/', '-')}-${scheme}-${width}`)
          await assertFits(page, path)
        }
      },
    )
  }
}
