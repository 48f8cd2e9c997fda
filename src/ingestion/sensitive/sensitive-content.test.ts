import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { contentOf } from '../../../test/document-content.ts'
import { acceptDocuments } from '../../store/documents/accept-documents.ts'
import { purgeTrashedDocuments } from '../../store/documents/trash.ts'
import { sweepFindings } from '../../store/sensitive/quarantine.ts'
import { countUnsearched, listSensitiveDocuments } from '../../store/sensitive/report.ts'
import { updateSettings } from '../../store/settings/settings.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import { createSensitiveContent } from './sensitive-content.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-sensitive-'))
const db = await openSqlite({ path: join(folder, 'record.db'), failpoint: null, onFatal: assert.fail })
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})
const quiet = { debug() {}, info() {}, warn() {}, error: assert.fail }
const SECRET = 'k8Tz4qWmZp'
const ALL = { source: null, kind: null, ccPairId: null, state: null }
const reported = async () => (await listSensitiveDocuments(db, ALL, { before: null, limit: 200 })).length

/** Runs the search until `isDone`, or until it rests. */
async function search(isDone: (changes: number) => boolean = () => false): Promise<number[]> {
  const stop = new AbortController()
  const changes: number[] = []
  const indexer = {
    wake(seq: number) {
      changes.push(seq)
      if (isDone(changes.length)) stop.abort()
    },
  }
  const loop = createSensitiveContent({ db, logger: quiet, now: () => 5, indexer, pauseMs: 60_000 })
  const running = loop.run(stop.signal)
  const { promise, resolve } = Promise.withResolvers<void>()
  const poll = async (): Promise<void> => {
    const { unsearched } = await countUnsearched(db)
    if (stop.signal.aborted || (unsearched === 0 && !isDone(0))) return resolve()
    setImmediate(() => void poll())
  }
  void poll()
  await promise
  stop.abort()
  await running
  return changes
}

test('documents that were stored before are searched, also after a stop in the middle', async () => {
  const documents = Array.from({ length: 120 }, (_, at) => ({
    content: contentOf(`d${at}`, at % 2 === 0 ? `Note ${at}, password=${SECRET}` : 'Nothing.'),
    ccPairId: 1,
    requestId: null,
  }))
  await acceptDocuments(db, 'all', documents, 1)
  await db.deleteFrom('sensitive_finding').execute()
  await db.deleteFrom('sensitive_document').execute()
  await db.updateTable('document').set({ sensitive_text: null }).execute()
  const stop = new AbortController()
  const loop = createSensitiveContent({ db, logger: quiet, now: () => 5, indexer: { wake() {} }, pauseMs: 60_000 })
  const running = loop.run(stop.signal)
  while ((await countUnsearched(db)).unsearched > 100) await new Promise(setImmediate)
  stop.abort()
  await running
  const { unsearched } = await countUnsearched(db)
  assert.ok(unsearched > 0 && unsearched <= 100, `${unsearched}`)
  await search()
  assert.deepEqual([(await countUnsearched(db)).unsearched, await reported()], [0, 60])
})

test('the findings hold neither a secret nor a part of it', async () => {
  const rows = await db.selectFrom('sensitive_finding').selectAll().execute()
  assert.equal(rows.length, 60)
  for (let at = 0; at + 4 <= SECRET.length; at++) assert.ok(!JSON.stringify(rows).includes(SECRET.slice(at, at + 4)))
})

test('a purged document leaves no findings', async () => {
  await db.updateTable('document').set({ deleted_at: 2 }).execute()
  assert.equal(await reported(), 0)
  await purgeTrashedDocuments(db, 10, Number.MAX_SAFE_INTEGER)
  for (const table of ['sensitive_finding', 'sensitive_document'] as const)
    assert.equal((await db.selectFrom(table).selectAll().execute()).length, 0)
})

test('a newer version that comes during the search keeps its own findings', async () => {
  await updateSettings(db, { sensitive_content: 'quarantine' })
  const accept = (text: string) =>
    acceptDocuments(db, 'all', [{ content: contentOf('twice', text), ccPairId: 1, requestId: null }], 3)
  await accept(`password=${SECRET}`)
  await accept('Nothing.')
  assert.equal(await reported(), 0)
  await accept(`password=${SECRET}`)
  assert.equal((await countUnsearched(db)).quarantined, 1)
})

test('a sweep that finds nothing stale does not write', async (t) => {
  const commit = t.mock.method(db, 'commit')
  await sweepFindings(db)
  assert.equal(commit.mock.callCount(), 0)
  await db.deleteFrom('document').where('id', '=', 'twice').execute()
  await sweepFindings(db)
  assert.ok(commit.mock.callCount() > 0)
  assert.equal((await db.selectFrom('sensitive_finding').selectAll().execute()).length, 0)
})
