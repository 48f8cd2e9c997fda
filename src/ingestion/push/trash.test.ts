import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { contentOf } from '../../../test/document-content.ts'
import type { Database } from '../../store/database/database.ts'
import { acceptDocuments } from '../../store/documents/accept-documents.ts'
import { deleteDocument } from '../../store/documents/trash.ts'
import { replaceSettings } from '../../store/settings/settings.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import { purgeExpiredTrash } from './trash.ts'

const DAY_MS = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'pharos-trash-'))
let db: Database
let seq: number
before(async () => {
  db = await openSqlite({ path: join(folder, 'pharos.db'), failpoint: null, onFatal: assert.fail })
})
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

/** A document that was deleted at time 0. */
beforeEach(async () => {
  await acceptDocuments(db, 'all', [{ content: contentOf('a'), ccPairId: 1, requestId: null }], 0)
  seq = (await deleteDocument(db, 'a', { now: 0, requestId: null }))!
})

const emptied = (now: number, indexed_seq = seq) =>
  purgeExpiredTrash({
    db,
    indexer: { progress: () => ({ accepted_seq: seq, indexed_seq, pending: 0, waiting_for: null }) },
    now: () => now,
  })

test('a deleted document stays in the trash for 30 days', async () => {
  assert.equal(await emptied(30 * DAY_MS), 0)
  assert.equal(await emptied(30 * DAY_MS + 1), 1)
  assert.equal(await emptied(30 * DAY_MS + 1), 0)
})

test('the settings change the retention', async () => {
  await replaceSettings(db, { trash_retention_days: 2 })
  assert.equal(await emptied(2 * DAY_MS), 0)
  assert.equal(await emptied(2 * DAY_MS + 1), 1)
})

test('a document stays in the trash while the index still has it', async () => {
  await replaceSettings(db, { trash_retention_days: 0 })
  assert.equal(await emptied(1, seq - 1), 0)
  assert.equal(await emptied(1), 1)
})
