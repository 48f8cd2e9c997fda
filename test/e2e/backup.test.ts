// Backups as a person makes them: made, downloaded after a new sign-in, checked as the page says, and deleted.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { readBackup } from '../../src/store/backup/read-backup.ts'
import { PASSWORD } from '../api/people.ts'
import { alterRecord } from '../record.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES } from './browser.ts'

const ANN = 'ann@example.com'
const HEADERS = { 'content-type': 'application/json', 'x-requested-with': 'test' }
let dataDir: string

const inBrowser = await openBrowser(async (server: Server) => {
  dataDir = server.dataDir
  const { body } = await server.api('PUT', '/manage/admin/users', { emails: [ANN], role: 'admin' })
  const { invitations } = body as { invitations: { link: string }[] }
  const token = invitations[0]!.link.split('#')[1]
  const answer = await fetch(`${server.url}/auth/register`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ token, name: 'Ann', password: PASSWORD }),
  })
  assert.ok(answer.ok)
})

async function open(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/sign-in?next=%2Fadmin%2Fbackup`)
  await page.getByLabel('E-mail address').fill(ANN)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Backup', level: 1 }).waitFor()
  await page.getByRole('heading', { name: 'Backups on this server' }).waitFor()
}
const rows = (page: Page) => page.getByRole('row').filter({ hasText: 'Verified' })
/** The process of the backup takes long on a busy machine. */
const SLOW = { timeout: 120_000 }
async function make(page: Page): Promise<void> {
  const before = await rows(page).count()
  await page.getByRole('button', { name: 'Make a backup' }).click()
  await rows(page).nth(before).waitFor(SLOW)
}

inBrowser('a key sees that a person is needed', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/backup`)
  await page.getByText('Sign in as a person').waitFor()
  await page.getByRole('heading', { name: 'No backups yet' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Make a backup' }).count(), 0)
  await assertAccessible(page)
})

inBrowser('a person makes a backup, downloads it with their password, and deletes it', { key: null }, async (visit) => {
  const { page, url } = visit
  await open(page, url)
  await make(page)
  await alterRecord(dataDir, `update session set created_at = created_at - ${16 * 60_000}`)
  await page.getByRole('button', { name: /^Download the backup of/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Download the backup' })
  await dialog.getByRole('button', { name: 'Download' }).click()
  const password = dialog.getByLabel('Your password', { exact: true })
  await password.fill('not the password at all')
  await dialog.getByRole('button', { name: 'Download' }).click()
  await dialog
    .getByText(/wrong|not correct|does not/i)
    .first()
    .waitFor()
  await password.fill(PASSWORD)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  assert.match(download.suggestedFilename(), /^pharos-\d{8}T\d{6}Z\.tar\.gz$/)
  const manifest = await readBackup(await download.path(), {})
  assert.equal(manifest.holds_keys, false)
  await page.getByText(`restore /backups/${download.suggestedFilename()} --replace`).waitFor()

  await page.getByRole('button', { name: /^Delete the backup of/ }).click()
  await page.getByRole('button', { name: 'Delete backup' }).click()
  await page.getByRole('heading', { name: 'No backups yet' }).waitFor()
})

inBrowser('a person without a password is asked to sign in again', { key: null }, async ({ page, url }) => {
  await open(page, url)
  await make(page)
  await alterRecord(dataDir, `update session set created_at = created_at - ${16 * 60_000}`)
  await page.route('**/api/auth/second-factor', (it) =>
    it.fulfill({ json: { is_on: false, has_password: false, recovery_codes_left: 0 } }),
  )
  await page.getByRole('button', { name: /^Download the backup of/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
  await page.getByText('You signed in a while ago.').waitFor()
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  assert.match(page.url(), /sign-in\?next=%2Fadmin%2Fbackup/)
})

inBrowser('a running and a failed backup are shown', { key: null }, async ({ page, url }) => {
  const state = { backups: [], max_backups: 5, running: null, failed: null }
  let answer: object = { ...state, running: { started_at: new Date().toISOString(), bytes: 12_345_678 } }
  await page.route('**/api/admin/backup', (it) => it.fulfill({ json: answer }))
  await open(page, url)
  await page.getByText('It began just now, and has 12.3 MB so far.').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Make a backup' }).isDisabled())
  answer = { ...state, failed: { at: new Date().toISOString(), reason: 'The disk has 3 MB left.' } }
  await page.getByText('The last backup failed').waitFor()
  await page.getByText('The disk has 3 MB left.').waitFor()
  await assertAccessible(page)
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(
      `backups are accessible, ${scheme}, ${width} wide`,
      { scheme, width, key: null },
      async ({ page, url }) => {
        await open(page, url)
        await rows(page).first().waitFor()
        await assertAccessible(page)
        await assertFits(page)
        const { SHOTS } = process.env
        if (SHOTS) await page.screenshot({ path: `${SHOTS}/backup-${scheme}-${width}.png`, fullPage: true })
        await page.getByRole('button', { name: /^Download the backup of/ }).click()
        await page.getByRole('dialog', { name: 'Download the backup' }).waitFor()
        await assertAccessible(page)
      },
    )
  }
}
