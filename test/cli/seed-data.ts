// Seeds a service with one of everything that a backup must keep, and computes which of its versions a backup may contain.
import assert from 'node:assert/strict'
import { type Attempt, historyUntil } from '../crash/history.ts'
import type { Client } from '../http.ts'

export const SECRET = 'canary-secret-of-a-connector-7f3a'
const PHOTO = Buffer.from('not really a photo')

/** Adds a connector secret, an API key and an uploaded file. */
export async function seedData(api: Client): Promise<void> {
  const credential = { source: 'web', credential_json: { token: SECRET }, admin_public: true }
  assert.equal((await api('POST', '/manage/credential', credential)).status, 200)
  assert.equal((await api('POST', '/admin/api-key', { name: 'robot', role: 'basic' })).status, 200)
  const edge = 'edge'
  const part = `--${edge}\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`
  const form = Buffer.concat([Buffer.from(part), PHOTO, Buffer.from(`\r\n--${edge}--\r\n`)])
  const type = { 'content-type': `multipart/form-data; boundary=${edge}` }
  const { status, body } = await api('POST', '/user/file/upload', form, type)
  assert.equal(status, 200, JSON.stringify(body))
}

/**
 * The history as the backup sees it: attempts that ended before it began count as acknowledged, others may be in it or
 * not.
 */
export const historyAsOfBackup = (history: readonly Attempt[], begun: number, ended: number): Attempt[] =>
  historyUntil(history, ended).map((it) =>
    it.end <= begun ? it : { ...it, outcome: 'open', status: null, alreadyExisted: null },
  )
