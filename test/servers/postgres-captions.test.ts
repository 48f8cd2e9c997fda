// Captions over PostgreSQL: the queue, the switch, and their deletion.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '../../src/store/database/database.ts'
import { acceptDocuments } from '../../src/store/documents/accept-documents.ts'
import { findChange } from '../../src/store/documents/documents.ts'
import { findReceipt } from '../../src/store/documents/receipts.ts'
import {
  countUncaptioned,
  readCaptionSettings,
  writeCaptionSettings,
} from '../../src/store/made-texts/caption-settings.ts'
import { findTextAroundPicture, isCaptionWanted } from '../../src/store/made-texts/captions.ts'
import {
  countModelFiles,
  finishModelFile,
  listDocumentsWithoutText,
  nextDueModelFile,
  queueModelFiles,
} from '../../src/store/made-texts/model-texts.ts'
import { removeCaptions } from '../../src/store/made-texts/remove-captions.ts'
import { fillDocument } from '../../src/store/recognition/fill-documents.ts'
import { finishFile } from '../../src/store/recognition/recognition.ts'
import { contentOf } from '../document-content.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

/** Later than 32 bits hold. */
const NOW = 1_795_000_000_000
const KIND = 'caption'
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

await onPostgres((server) => {
  let db: Database
  before(async () => {
    db = await open(await server.createDatabase())
    for (const blob of ['cat', 'dog', 'page'])
      await db
        .insertInto('user_file')
        .values({
          ...{ id: `file-${blob}`, user_id: 'u', name: `${blob}.png`, blob, size: 1, created_at: NOW },
          file_type: blob === 'page' ? 'application/pdf' : 'image/png',
        })
        .execute()
  })
  after(async () => {
    await db.close()
  })
  const accept = async (id: string, blob: string) => {
    const section = { text: 'own', link: null, heading: null, image_file_id: null, picture: { blob } }
    const content = { ...contentOf(id), sections: [section] }
    const [accepted] = await acceptDocuments(db, 'all', [{ content, ccPairId: 1, requestId: null }], NOW)
    assert.ok(accepted !== undefined && !(accepted instanceof Error), String(accepted))
    return accepted
  }
  const due = async (settings = {}) => (await nextDueModelFile(db, KIND, NOW, settings))?.blob
  const finish = (blob: string, text: string) =>
    finishModelFile(
      db,
      { blob, kind: KIND },
      { state: 'read', content: { kind: KIND, text }, model: 'm', error: null },
      NOW,
    )
  const textsOf = async (id: string) => (await findChange(db, id))?.sections.map((it) => it.text)

  test('while captions are off nothing waits, and uploaded pictures that documents show are counted', async () => {
    await accept('a', 'cat')
    await accept('b', 'page')
    await accept('c', 'of a source')
    assert.deepEqual([await due(), await countUncaptioned(db)], [undefined, 1])
    assert.deepEqual(
      [await readCaptionSettings(db), await isCaptionWanted(db, PNG)],
      [{ is_on: false, pictures_per_day: 100 }, false],
    )
  })

  test('switched on, known pictures and new ones wait until their text is recognised', async () => {
    await writeCaptionSettings(db, { is_on: true, pictures_per_day: 7 }, NOW)
    await writeCaptionSettings(db, { is_on: true, pictures_per_day: 7 }, NOW)
    assert.deepEqual([await due(), await due({ isAfterRecognition: true })], ['cat', undefined])
    await finishFile(db, 'cat', { state: 'failed', error: null, now: NOW })
    assert.equal(await due({ isAfterRecognition: true }), 'cat')
    await accept('d', 'dog')
    assert.equal((await countModelFiles(db, KIND)).waiting, 2)
    assert.deepEqual([await isCaptionWanted(db, PNG), await isCaptionWanted(db, Buffer.from('%PDF'))], [true, false])
    assert.match(await findTextAroundPicture(db, 'cat'), /own/)
  })

  test('each document that shows the picture gets its caption, and a document sent again stays the same', async () => {
    await accept('a2', 'cat')
    await finish('cat', 'A cat.')
    assert.deepEqual(await listDocumentsWithoutText(db, KIND, 10), ['a', 'a2'])
    for (const id of ['a', 'a2']) await fillDocument(db, id, NOW)
    assert.deepEqual(
      [await textsOf('a'), await textsOf('a2')],
      [
        ['own', 'A cat.'],
        ['own', 'A cat.'],
      ],
    )
    assert.deepEqual([await listDocumentsWithoutText(db, KIND, 10), await fillDocument(db, 'a', NOW)], [[], null])
    assert.equal((await accept('a', 'cat')).addedBytes, undefined)
    assert.deepEqual(await listDocumentsWithoutText(db, KIND, 10), [])
    assert.deepEqual(
      (await findReceipt(db, 'a'))?.modelFiles.map((it) => [it.kind, it.state]),
      [[KIND, 'read']],
    )
  })

  test('a picture of a source that has not changed waits once its bytes came again', async () => {
    await queueModelFiles(db, [{ blob: 'of a source', kind: KIND, name: 'x.png' }], NOW)
    assert.equal((await accept('c', 'of a source')).addedBytes, undefined)
    await finish('of a source', 'A ship.')
    assert.deepEqual(await listDocumentsWithoutText(db, KIND, 10), ['c'])
  })

  test('deleted captions leave the documents, and wait again when they are switched on', async () => {
    const released: string[] = []
    const blobs = {
      exclusively: <T>(run: () => Promise<T>) => run(),
      release: async (blob: string) => {
        released.push(blob)
        return undefined
      },
    }
    await removeCaptions({ db, blobs }, NOW)
    await finish('dog', 'A call that was under way.')
    assert.deepEqual([(await countModelFiles(db, KIND)).removed, (await readCaptionSettings(db)).is_on], [3, false])
    for (const id of await listDocumentsWithoutText(db, KIND, 10)) await fillDocument(db, id, NOW)
    assert.deepEqual([await textsOf('a'), await textsOf('d')], [['own'], ['own']])
    assert.deepEqual([released, await due()], [[], undefined])
    await writeCaptionSettings(db, { is_on: true, pictures_per_day: 7 }, NOW)
    assert.equal((await countModelFiles(db, KIND)).waiting, 2)
    await finish('cat', 'Another cat.')
    for (const id of await listDocumentsWithoutText(db, KIND, 10)) await fillDocument(db, id, NOW)
    assert.deepEqual(await textsOf('a2'), ['own', 'Another cat.'])
  })
})
