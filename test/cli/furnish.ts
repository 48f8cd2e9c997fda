// A service with something in every corner that a backup must keep, and what a backup may hold of a history.
import assert from 'node:assert/strict'
import { type Attempt, until } from '../crash/history.ts'
import type { Client } from '../http.ts'

export const SECRET = 'canary-secret-of-a-connector-7f3a'
const PHOTO = Buffer.from('not really a photo')

/** A connector's secret, a key, an uploaded file. */
export async function furnish(api: Client): Promise<void> {
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

/** What an attempt came to as the backup sees it: acknowledged before it began, or it may be in it or not. */
export const asOf = (history: readonly Attempt[], begun: number, ended: number): Attempt[] =>
  until(history, ended).map((it) =>
    it.end <= begun ? it : { ...it, outcome: 'open', status: null, alreadyExisted: null },
  )
