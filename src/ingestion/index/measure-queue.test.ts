import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { contentOf } from '../../../test/document-content.ts'
import type { Database } from '../../store/database/database.ts'
import { acceptDocuments } from '../../store/documents/accept-documents.ts'
import { writeReceipts } from '../../store/documents/receipts.ts'
import { deleteDocument } from '../../store/documents/trash.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import { measureQueue } from './measure-queue.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-queue-'))
let db: Database
before(async () => {
  db = await openSqlite({ path: join(folder, 'pharos.db'), failpoint: null, onFatal: assert.fail })
})
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

async function push(id: string, now: number): Promise<number> {
  const [accepted] = await acceptDocuments(db, 'all', [{ content: contentOf(id), ccPairId: 1, requestId: null }], now)
  if (accepted instanceof Error) throw accepted
  return accepted!.seq
}

const measured = (indexed_seq: number, newest: number, waiting_for: string | null = null) =>
  measureQueue({
    db,
    indexer: {
      progress: () => ({ accepted_seq: newest, indexed_seq, pending: newest - indexed_seq, waiting_for }),
    },
    now: () => 60_000,
  })

test('the age of the oldest waiting change is reported by wait reason', async () => {
  const first = await push('first', 10_000)
  const second = await push('second', 20_000)
  const bytes = (await measured(first - 1, second)).bytes
  assert.deepEqual(await measured(first - 1, second), {
    rows: 2,
    bytes,
    ages: { in_turn: 50, index_stalled: 0, retry: 0 },
    oldest: { age_s: 50, reason: 'in_turn', detail: null },
  })
  assert.ok(bytes > 'first'.length + 'second'.length)
  assert.deepEqual((await measured(first, second)).ages, { in_turn: 40, index_stalled: 0, retry: 0 })
  const stalled = await measured(first, second, 'it refuses')
  assert.deepEqual(stalled.ages, { in_turn: 0, index_stalled: 40, retry: 0 })
  assert.deepEqual(stalled.oldest, { age_s: 40, reason: 'index_stalled', detail: 'it refuses' })
  assert.deepEqual(await measured(second, second), {
    rows: 0,
    bytes: 0,
    ages: { in_turn: 0, index_stalled: 0, retry: 0 },
    oldest: null,
  })
})

test('a deletion waits from its request, not from the acceptance of its document', async () => {
  const seq = await push('old', 0)
  const deleted = await deleteDocument(db, 'old', { now: 59_000, requestId: null })
  assert.equal((await measured(seq, deleted!)).ages.in_turn, 1)
})

test('a failed document with a pending retry counts as retry', async () => {
  const seq = await push('failing', 30_000)
  const mark = { document_id: 'failing', seq, indexed_at: null, chunk_count: null, attempts: 1, error: 'no' }
  await writeReceipts(db, [{ ...mark, retry_at: 70_000 }])
  const failing = await measured(seq, seq)
  assert.equal(failing.ages.retry, 30)
  assert.deepEqual(failing.oldest, { age_s: 30, reason: 'retry', detail: 'no' })
  await writeReceipts(db, [{ ...mark, retry_at: null }])
  assert.equal((await measured(seq, seq)).ages.retry, 0)
})
