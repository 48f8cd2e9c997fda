// Backups over HTTP: made in a process of their own, and given only to people who prove again who they are.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readBackup } from '../../src/store/backup/read-backup.ts'
import { startServer, waitFor } from '../server.ts'
import { as, joinAs, PASSWORD } from './people.ts'
import { createRequester } from './request.ts'
import { documentOf, start } from './setup.ts'

// biome-ignore lint/suspicious/noExplicitAny: each test checks the response.
type Json = any

const { ask, ok, push, server, alterRecord } = await start()
const BACKUP = '/admin/backup'
const folder = join(server.dataDir, 'backups')
const ann = await joinAs({ ask, ok }, 'ann@example.com', { role: 'admin' })
const bob = await joinAs({ ask, ok }, 'bob@example.com', { role: 'admin' })
const asAnn = as(ann.cookie, { 'x-requested-with': 'test' })
const asBob = as(bob.cookie, { 'x-requested-with': 'test' })
await push(documentOf('The plan of the year', { id: 'plan' }))

const list = (): Promise<Json> => ok('GET', BACKUP)
const ended = (): Promise<Json> =>
  waitFor(
    async () => {
      const state = await list()
      return state.running === null && state
    },
    'the end of the backup',
    60_000,
  )
const make = async (): Promise<Json> => {
  await ok('POST', BACKUP, asAnn)
  const { backups, failed } = await ended()
  assert.equal(failed, null)
  return backups[0]
}
const allow = (id: string, body: Json = {}, who = asAnn) => ask('POST', `${BACKUP}/${id}/download`, { ...who, body })
const download = (id: string, ticket: string, cookie = ann.cookie) =>
  fetch(`${server.url}/api${BACKUP}/${id}/file?ticket=${ticket}`, { headers: { cookie } })
const audited = async (action: string): Promise<Json> => (await ok('GET', `/admin/audit?action=${action}`))[0]

test('only a person makes a backup, which is verified and holds the documents but no key', async () => {
  const withKey = await ask('POST', BACKUP)
  assert.deepEqual([withKey.status, withKey.body.error_code], [409, 'SIGN_IN_NEEDED'])
  const { running } = await ok('POST', BACKUP, asAnn)
  assert.ok(Date.parse(running.started_at) <= Date.now())
  const second = await ask('POST', BACKUP, asAnn)
  assert.deepEqual([second.status, second.body.error_code], [409, 'BACKUP_RUNNING'])
  const { backups, failed, max_backups } = await ended()
  const [made] = backups
  assert.deepEqual([backups.length, failed, max_backups], [1, null, 5])
  assert.deepEqual([made.is_verified, made.documents, made.files, made.lost_files], [true, 1, 0, 0])
  const { holds_keys } = await readBackup(join(folder, `pharos-${made.id}.tar.gz`), {})
  assert.equal(holds_keys, false)
  assert.equal((await audited('backup.create')).actor_email, 'ann@example.com')
})

test('a download needs a fresh sign-in or the password, works once, and only for that person', async () => {
  const { id, bytes } = await make()
  const withKey = await ask('POST', `${BACKUP}/${id}/download`, { body: {} })
  assert.equal(withKey.body.error_code, 'SIGN_IN_NEEDED')
  const fresh = (await allow(id)).body.ticket
  assert.equal((await download(id, fresh, bob.cookie)).status, 403)
  assert.equal((await download(id, fresh)).status, 403, 'a wrong attempt uses the ticket up')

  await alterRecord(`update session set created_at = created_at - ${16 * 60_000}`)
  const stale = await allow(id)
  assert.deepEqual([stale.status, stale.body.error_code], [403, 'SIGN_IN_AGAIN'])
  const wrong = await allow(id, { password: 'not the password at all' })
  assert.equal(wrong.body.error_code, 'LOGIN_BAD_CREDENTIALS')
  const { ticket } = (await allow(id, { password: PASSWORD })).body
  const answer = await download(id, ticket)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-disposition'), `attachment; filename="pharos-${id}.tar.gz"`)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const content = Buffer.from(await answer.arrayBuffer())
  assert.equal(content.length, bytes)
  assert.ok(content.equals(readFileSync(join(folder, `pharos-${id}.tar.gz`))))
  assert.equal((await download(id, ticket)).status, 403)
  const entries: Json[] = await ok('GET', '/admin/audit?action=backup.download&outcome=success')
  assert.deepEqual(
    entries.map((it) => [it.object_id, it.actor_email]),
    [[id, 'ann@example.com']],
  )
})

test('an id never leads out of the folder', async () => {
  writeFileSync(join(folder, 'other.txt'), 'other')
  for (const id of ['..%2F..%2Fpharos.db', 'other.txt', '20200101T000000Z', '..']) {
    const path = `${BACKUP}/${id === '..' ? '%2E%2E' : id}`
    const removed = await ask('DELETE', path, asBob)
    assert.equal(removed.status, 404, `${id} ${removed.text}`)
    assert.equal((await allow(id, { password: PASSWORD })).status, 404)
  }
  assert.ok(readdirSync(folder).includes('other.txt'))
})

test('a backup is deleted by a person, and no more are kept than the limit', async () => {
  for (const { id } of (await list()).backups) {
    assert.equal((await ask('DELETE', `${BACKUP}/${id}`)).body.error_code, 'SIGN_IN_NEEDED')
    await ok('DELETE', `${BACKUP}/${id}`, asBob)
  }
  assert.equal((await audited('backup.delete')).actor_email, 'bob@example.com')
  assert.deepEqual((await list()).backups, [])
  for (let at = 1; at <= 5; at++) writeFileSync(join(folder, `pharos-2026010${at}T000000Z.tar.gz`), 'x')
  const { backups } = await list()
  assert.deepEqual([backups[0].id, backups[0].is_verified], ['20260105T000000Z', false])
  const refused = await ask('POST', BACKUP, asAnn)
  assert.deepEqual([refused.status, refused.body.error_code], [409, 'TOO_MANY_BACKUPS'])
})

test('an old backup is an alert until there is a newer one, and a folder without backups is none', async () => {
  const isOpen = async () => (await ok('GET', '/admin/alerts')).open.find((it: Json) => it.kind === 'backup_old')
  const alert = await waitFor(isOpen, 'the alert', 30_000)
  assert.deepEqual([alert.page, alert.since], ['/admin/backup', '2026-01-19T00:00:00.000Z'])
  for (let at = 1; at <= 5; at++) rmSync(join(folder, `pharos-2026010${at}T000000Z.tar.gz`))
  await waitFor(async () => (await isOpen()) === undefined, 'the end of the alert', 30_000)
})

test('a nearly full disk refuses a backup', async () => {
  const small = await startServer({ env: { LOG_LEVEL: 'warn', MIN_FREE_DISK_MB: '99999999' } })
  const other = createRequester(small)
  const okThere = async (method: string, path: string, question?: Json) => (await other(method, path, question)).body
  const { cookie } = await joinAs({ ask: other, ok: okThere }, 'ann@example.com', { role: 'admin' })
  const refused = await other('POST', BACKUP, as(cookie, { 'x-requested-with': 'test' }))
  assert.deepEqual([refused.status, refused.body.error_code], [409, 'BACKUP_NO_ROOM'])
})
