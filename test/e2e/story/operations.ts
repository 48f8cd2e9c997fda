// The secret key is rotated; a backup is made, and downloaded with the password.
import assert from 'node:assert/strict'
import { readBackup } from '../../../src/store/backup/read-backup.ts'
import { alterRecord } from '../../record.ts'
import { openAdmin, PASSWORD, rowOf, type Story } from './company.ts'

export async function rotateKey(story: Story): Promise<void> {
  const { page } = story
  await openAdmin(story, 'Secret keys')
  await page.getByText('Encrypts new secrets').waitFor()
  await page.getByRole('button', { name: 'Rotate key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rotate the secret key?' })
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  const old = rowOf(story, 'Only decrypts')
  await old.getByRole('button', { name: /^Delete the key / }).click()
  await page.getByRole('dialog', { name: 'Delete the old key?' }).getByRole('button', { name: 'Delete key' }).click()
  await old.waitFor({ state: 'detached' })
}

export async function backUp(story: Story): Promise<void> {
  const { page, dataDir } = story
  await openAdmin(story, 'Backup')
  await page.getByRole('button', { name: 'Make a backup' }).click()
  await rowOf(story, 'Verified').waitFor()
  await alterRecord(dataDir, `update session set created_at = created_at - ${16 * 60_000}`)
  await page.getByRole('button', { name: /^Download the backup of/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Download the backup' })
  await dialog.getByRole('button', { name: 'Download' }).click()
  await dialog.getByLabel('Your password', { exact: true }).fill(PASSWORD)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  assert.match(download.suggestedFilename(), /^pharos-\d{8}T\d{6}Z\.tar\.gz$/)
  assert.equal((await readBackup(await download.path(), {})).holds_keys, false)
}
