// The queue of transcripts, their budget and the settings of their server over PostgreSQL.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ModelContent } from '../../src/domain/made-texts/model-text.ts'
import type { Database } from '../../src/store/database/database.ts'
import { acceptDocuments } from '../../src/store/documents/accept-documents.ts'
import { findChange } from '../../src/store/documents/documents.ts'
import { findReceipt } from '../../src/store/documents/receipts.ts'
import {
  forgetModelTexts,
  forgetReplacedModelFiles,
  isModelFileNeeded,
  isWaitingForModel,
  listUnusedModelFiles,
} from '../../src/store/made-texts/model-text-files.ts'
import { addModelUsage, readModelUsage } from '../../src/store/made-texts/model-text-usage.ts'
import {
  countModelFiles,
  finishModelFile,
  listDocumentsWithoutText,
  nextDueModelFile,
  nextModelRetryAt,
  postponeModelFile,
  queueModelFiles,
  retryFailedModelFiles,
} from '../../src/store/made-texts/model-texts.ts'
import {
  deleteTranscriptionModel,
  findTranscriptionModel,
  isTranscriptionSetUp,
  writeTranscriptionModel,
} from '../../src/store/made-texts/transcription-model.ts'
import { fillDocument } from '../../src/store/recognition/fill-documents.ts'
import { createSecretBox } from '../../src/store/secrets/secret-box.ts'
import { listSkippedRecordings } from '../../src/store/sources/skipped-documents.ts'
import { contentOf } from '../document-content.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

const DAY_MS = 86_400_000
/** Later than 32 bits hold. */
const NOW = 1_795_000_000_000
const KIND = 'transcript'
const NONE = { waiting: 0, read: 0, failed: 0, skipped: 0, removed: 0 }

await onPostgres((server) => {
  let db: Database
  before(async () => {
    db = await open(await server.createDatabase())
  })
  after(async () => {
    await db.close()
  })
  const accept = async (id: string, blob: string) => {
    const section = { text: '', link: null, heading: null, image_file_id: null, recording: { blob } }
    const content = { ...contentOf(id), sections: [section] }
    const [accepted] = await acceptDocuments(db, 'all', [{ content, ccPairId: 1, requestId: null }], NOW)
    assert.ok(accepted !== undefined && !(accepted instanceof Error), String(accepted))
  }
  const said: ModelContent = { kind: KIND, passages: [{ start: 83, text: 'The lighthouse is repaired.' }] }

  test('a document gets the transcript of its recording, once it is made', async () => {
    await accept('a', 'talk')
    await accept('a', 'talk')
    const file = await nextDueModelFile(db, KIND, NOW)
    assert.ok(file)
    assert.deepEqual([file.blob, file.queued_at, await isWaitingForModel(db, 'talk')], ['talk', NOW, true])
    assert.deepEqual(await listDocumentsWithoutText(db, KIND, 10), [])
    await finishModelFile(db, file, { state: 'read', content: said, model: 'm', error: null }, NOW)
    assert.deepEqual(await listDocumentsWithoutText(db, KIND, 10), ['a'])
    const filled = await fillDocument(db, 'a', NOW)
    const change = await findChange(db, 'a')
    assert.deepEqual([change?.seq, change?.sections[0]?.text], [filled?.seq, 'The lighthouse is repaired.'])
    assert.deepEqual([await listDocumentsWithoutText(db, KIND, 10), await fillDocument(db, 'a', NOW)], [[], null])
    assert.deepEqual(
      (await findReceipt(db, 'a'))?.modelFiles.map((it) => it.state),
      ['read'],
    )
    await forgetReplacedModelFiles(db, NOW + DAY_MS)
    assert.deepEqual(await listUnusedModelFiles(db, NOW + DAY_MS), [])
  })

  test('a recording that fails is postponed, counted, tried again and forgotten', async () => {
    const bad = { blob: 'bad', kind: KIND, name: 'bad.mp3' } as const
    await queueModelFiles(db, [bad, bad], NOW)
    await queueModelFiles(db, [bad], NOW)
    assert.equal(await nextDueModelFile(db, KIND, NOW), undefined, 'a file that no document shows costs nothing')
    await accept('b', 'bad')
    await postponeModelFile(db, bad, { error: 'busy', retryAt: NOW + 1_000 })
    assert.deepEqual(
      [await nextDueModelFile(db, KIND, NOW), await nextModelRetryAt(db, KIND)],
      [undefined, NOW + 1_000],
    )
    await finishModelFile(db, bad, { state: 'failed', content: null, model: null, error: 'damaged' }, NOW)
    assert.deepEqual(await countModelFiles(db, KIND), { ...NONE, read: 1, failed: 1 })
    assert.equal(await retryFailedModelFiles(db, KIND), 1)
    assert.deepEqual(await countModelFiles(db, KIND), { ...NONE, waiting: 1, read: 1 })
    assert.equal((await nextDueModelFile(db, KIND, NOW))?.attempts, 0)
    await forgetModelTexts(db, 'bad')
    assert.deepEqual(await countModelFiles(db, KIND), { ...NONE, read: 1 })
    assert.equal(await isModelFileNeeded(db, 'bad'), false)
  })

  test('a recording that a document no longer shows is unused after a while', async () => {
    await accept('a', 'other')
    await forgetReplacedModelFiles(db, NOW)
    assert.deepEqual(await listUnusedModelFiles(db, NOW), [], 'it was finished too recently')
    await forgetReplacedModelFiles(db, NOW + DAY_MS)
    assert.deepEqual(await listUnusedModelFiles(db, NOW + DAY_MS), ['talk'])
    assert.deepEqual(await listSkippedRecordings(db, 10), [])
  })

  test('the seconds of a day add up, and days of more than a month ago are forgotten', async () => {
    await addModelUsage(db, KIND, 90, NOW)
    await addModelUsage(db, KIND, -30, NOW)
    assert.deepEqual([await readModelUsage(db, KIND, NOW), await readModelUsage(db, KIND, NOW + DAY_MS)], [60, 0])
    await addModelUsage(db, KIND, 1, NOW + 40 * DAY_MS)
    assert.equal(await readModelUsage(db, KIND, NOW), 0)
  })

  test('the server is replaced and removed, and its key is sealed', async () => {
    const key = { kid: 'k', key: Buffer.alloc(32, 1), origin: 'SECRET_KEY' } as const
    const secrets = createSecretBox({ newest: () => key, find: () => key })
    const model = { url: 'https://a.example/v1', model: 'm', language: null, minutes_per_day: 5, api_key: 'open-key' }
    await writeTranscriptionModel({ db, secrets }, model, NOW)
    await writeTranscriptionModel({ db, secrets }, { ...model, language: 'en' }, NOW)
    assert.deepEqual(await findTranscriptionModel({ db, secrets }), { ...model, language: 'en', isKeyLost: false })
    const stored = await db.selectFrom('transcription_model').select('api_key').executeTakeFirstOrThrow()
    assert.doesNotMatch(stored.api_key ?? '', /open-key/)
    await deleteTranscriptionModel(db)
    assert.equal(await isTranscriptionSetUp(db), false)
  })
})
