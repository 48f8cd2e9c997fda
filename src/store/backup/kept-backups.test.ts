import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { waitFor } from '../../../test/server.ts'
import { createDownloadTickets } from './download-tickets.ts'
import { type BackupFacts, createKeptBackups } from './kept-backups.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-kept-backups-'))
after(() => rmSync(folder, { recursive: true }))
const FACTS: BackupFacts = { version: '1', documents: 2, files: 1, lost_files: 0 }
const START = Date.parse('2026-01-31T12:00:00.500Z')

type Write = (path: string, signal: AbortSignal) => Promise<BackupFacts>
let made = 0
function open(write: Write) {
  const place = join(folder, String(++made), 'backups')
  const disk = { state: 'ok' as 'ok' | 'low', free_mb: 100, min_free_mb: 10 }
  const kept = createKeptBackups({
    ...{ folder: place, write, recordBytes: () => 40 << 20, now: () => START },
    disk: { state: () => disk },
    logger: pino({ level: 'silent' }),
  })
  return { kept, disk, place }
}
const untilAborted: Write = (path, signal) => {
  writeFileSync(`${path}.part`, 'part')
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}
const ended = ({ kept }: ReturnType<typeof open>) => waitFor(() => kept.state().running === null, 'the end', 5_000)

test('a backup is listed with its facts once it is whole', async () => {
  const it = open(async (path) => {
    writeFileSync(path, 'whole')
    return FACTS
  })
  assert.equal(it.kept.newestAt(), null)
  it.kept.begin()
  await ended(it)
  const { backups, failed } = it.kept.state()
  const made_at = Date.parse('2026-01-31T12:00:00Z')
  assert.deepEqual(backups, [{ id: '20260131T120000Z', bytes: 5, made_at, facts: FACTS }])
  assert.deepEqual([failed, it.kept.newestAt()], [null, made_at])
})

test('a failure says why, and leaves no file', async () => {
  const it = open(async (path) => {
    writeFileSync(`${path}.part`, 'part')
    throw new Error('the database is damaged')
  })
  it.kept.begin()
  await ended(it)
  assert.deepEqual(it.kept.state().failed, { at: START, reason: 'the database is damaged' })
  assert.deepEqual(readdirSync(it.place), [])
})

test('a disk that becomes full ends the backup', async () => {
  const it = open(untilAborted)
  it.kept.begin()
  assert.equal(it.kept.state().running?.started_at, START)
  it.disk.state = 'low'
  await ended(it)
  assert.match(it.kept.state().failed?.reason ?? '', /The disk has 100 MB left/)
  assert.deepEqual(readdirSync(it.place), [])
})

test('a backup needs the size of the record, or of the last backup, beyond the reserved space', async () => {
  const it = open(async () => FACTS)
  it.disk.free_mb = 59
  assert.throws(() => it.kept.begin(), { code: 'BACKUP_NO_ROOM', message: /59 MB left, and 60 MB are needed/ })
  mkdirSync(it.place, { recursive: true })
  writeFileSync(join(it.place, 'pharos-20260101T000000Z.tar.gz'), 'small')
  it.kept.begin()
  await ended(it)
})

test('the end of the service ends the backup, and the next start removes an incomplete one', async () => {
  const it = open(untilAborted)
  const stop = new AbortController()
  const run = it.kept.run(stop.signal)
  it.kept.begin()
  stop.abort()
  await run
  assert.equal(it.kept.state().running, null)
  const left = join(it.place, 'pharos-20260101T000000Z.tar.gz.part')
  writeFileSync(left, 'part')
  await it.kept.run(AbortSignal.abort())
  assert.equal(existsSync(left), false)
})

test('a ticket is for one person, one backup, one download and one minute', () => {
  let now = START
  const tickets = createDownloadTickets({ now: () => now })
  const issue = () => tickets.issue('20260131T120000Z', 'ann').ticket
  const first = issue()
  assert.equal(tickets.redeem(first, '20260131T120000Z', 'ann'), true)
  assert.equal(tickets.redeem(first, '20260131T120000Z', 'ann'), false)
  assert.equal(tickets.redeem(issue(), '20260131T120000Z', 'bob'), false)
  assert.equal(tickets.redeem(issue(), '20250131T120000Z', 'ann'), false)
  const late = issue()
  now += 60_000
  assert.equal(tickets.redeem(late, '20260131T120000Z', 'ann'), false)
})
