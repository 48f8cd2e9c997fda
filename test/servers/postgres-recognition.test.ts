// The queue of text recognition over PostgreSQL.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '../../src/store/database/database.ts'
import { acceptDocuments } from '../../src/store/documents/accept-documents.ts'
import { findChange } from '../../src/store/documents/documents.ts'
import { findReceipt } from '../../src/store/documents/receipts.ts'
import { fillDocument, listUnsettledDocuments } from '../../src/store/recognition/fill-documents.ts'
import {
  countRecognitions,
  finishFile,
  forgetRecognition,
  forgetReplacedPictures,
  isScanNeeded,
  listUnusedFiles,
  nextDueFile,
  nextRecognitionRetryAt,
  postponeFile,
  queueFiles,
  retryFailedFiles,
  savePages,
} from '../../src/store/recognition/recognition.ts'
import { listSkippedScans } from '../../src/store/sources/skipped-documents.ts'
import { contentOf } from '../document-content.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

const DAY_MS = 86_400_000
/** Later than 32 bits hold. */
const NOW = 1_795_000_000_000

await onPostgres((server) => {
  let db: Database
  before(async () => {
    db = await open(await server.createDatabase())
  })
  after(async () => {
    await db.close()
  })

  test('a document gets the text of its picture, once it is read', async () => {
    const section = { text: '', link: null, heading: null, image_file_id: 'i', picture: { blob: 'plan' } }
    const content = { ...contentOf('a'), sections: [section] }
    const [accepted] = await acceptDocuments(db, 'all', [{ content, ccPairId: 1, requestId: null }], NOW)
    assert.ok(accepted !== undefined && !(accepted instanceof Error), String(accepted))
    assert.equal((await nextDueFile(db, NOW))?.blob, 'plan')
    assert.deepEqual(await listUnsettledDocuments(db, 10), [])
    await savePages(db, 'plan', [{ page: 0, text: 'words', confidence: 0.9 }])
    await finishFile(db, 'plan', { state: 'read', error: null, now: NOW })
    assert.deepEqual(await listUnsettledDocuments(db, 10), ['a'])
    const filled = await fillDocument(db, 'a', NOW)
    const change = await findChange(db, 'a')
    assert.deepEqual([change?.seq, change?.sections[0]?.text], [filled?.seq, 'words'])
    assert.deepEqual([await listUnsettledDocuments(db, 10), await fillDocument(db, 'a', NOW)], [[], null])
    assert.deepEqual(
      (await findReceipt(db, 'a'))?.pictures.map((it) => it.state),
      ['read'],
    )
    assert.equal(await isScanNeeded(db, 'plan'), false)
    await forgetReplacedPictures(db, NOW + DAY_MS)
    assert.deepEqual(await listUnusedFiles(db, NOW + DAY_MS), [])
  })

  test('a file that fails is postponed, counted, tried again and forgotten', async () => {
    const same = { blob: 'bad', name: 'bad.png' }
    await queueFiles(db, [same, same], NOW)
    await queueFiles(db, [same], NOW)
    await postponeFile(db, 'bad', { error: 'busy', retryAt: NOW + 1_000 })
    assert.deepEqual([await nextDueFile(db, NOW), await nextRecognitionRetryAt(db)], [undefined, NOW + 1_000])
    await finishFile(db, 'bad', { state: 'failed', error: 'damaged', now: NOW })
    assert.deepEqual(await countRecognitions(db), { waiting: 0, read: 1, failed: 1 })
    assert.deepEqual(await listUnusedFiles(db, NOW + DAY_MS), ['bad'])
    assert.equal(await retryFailedFiles(db), 1)
    assert.deepEqual(await countRecognitions(db), { waiting: 1, read: 1, failed: 0 })
    await forgetRecognition(db, 'bad')
    assert.deepEqual(await countRecognitions(db), { waiting: 0, read: 1, failed: 0 })
    assert.deepEqual(await listSkippedScans(db, 10), [])
  })
})
