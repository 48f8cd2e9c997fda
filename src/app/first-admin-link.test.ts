import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { firstAdminLinkFile, offerFirstAdminLink } from './first-admin-link.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'pharos-first-admin-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))
const file = firstAdminLinkFile(dataDir)
const config = { dataDir, publicUrl: null }
const issued = { path: '/welcome#token', email: null, expires_at: 1 }

function offer(createFirstAdminIfNeeded: () => Promise<typeof issued | null>) {
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const offered = offerFirstAdminLink(config, { links: { createFirstAdminIfNeeded }, url: 'http://host', logger })
  return offered.then((link) => ({ link, log: lines.join('') }))
}

test('the link is in a file until an administrator can sign in', async () => {
  assert.deepEqual(await offer(async () => issued), { link: 'http://host/welcome#token', log: '' })
  assert.equal(readFileSync(file, 'utf8'), 'http://host/welcome#token\n')
  assert.deepEqual(await offer(async () => null), { link: null, log: '' })
  assert.equal(existsSync(file), false)
})

test('a start without space for the link goes on, with a warning', async () => {
  const full = await offer(() => Promise.reject(new Error('database or disk is full')))
  assert.equal(full.link, null)
  assert.match(full.log, /database or disk is full/)
  mkdirSync(file)
  const blocked = await offer(async () => issued)
  assert.equal(blocked.link, null)
  assert.match(blocked.log, /the link for the first administrator cannot be stored: run `pharos first-admin` later/)
})
