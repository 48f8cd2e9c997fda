import assert from 'node:assert/strict'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { contentOf } from '../../../test/document-content.ts'
import { waitFor } from '../../../test/server.ts'
import { temporaryDatabase } from '../../../test/temporary-database.ts'
import type { DocumentContent } from '../../domain/document.ts'
import { AppError } from '../../domain/errors.ts'
import { fillSection, type RecognisedPage } from '../../domain/pictures/recognition.ts'
import { acceptDocuments } from '../../store/documents/accept-documents.ts'
import { findChange } from '../../store/documents/documents.ts'
import { findReceipt } from '../../store/documents/receipts.ts'
import type { Blobs } from '../../store/files/blobs.ts'
import { openBlobsFolder } from '../../store/files/blobs-folder.ts'
import { createScanExpiry } from '../../store/files/scan-files.ts'
import { fillDocument } from '../../store/recognition/fill-documents.ts'
import { countRecognitions, findRecognition, mapReadPages, queueFiles } from '../../store/recognition/recognition.ts'
import type { PageReader } from './read-file.ts'
import { createRecognition, type Recognition } from './recognition.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const { db, folder } = await temporaryDatabase()
const PICTURE = { width: 1, height: 1, pixels: new Uint8Array(1) }
const NO_FILE = 'f'.repeat(64)
const DAY_MS = 86_400_000

let blobs: Blobs
let time: number
let woken: number[]
/** The pages of which the reader was asked, and what it answers. */
let asked: number[]
let unreadPages: number[]
let answer: (page: number) => Promise<string> | string
let stop: () => Promise<void>
let count = 0

beforeEach(async () => {
  blobs = await openBlobsFolder(join(folder, `blobs-${count++}`))
  for (const table of ['recognition', 'recognition_document', 'document', 'receipt'] as const)
    await db.deleteFrom(table).execute()
  time = 1_000_000
  woken = []
  asked = []
  unreadPages = [0]
  answer = (page) => `words of page ${page}`
  stop = async () => {}
})
afterEach(() => stop())

/** Reads no pixels: the readers have tests of their own. */
const reader: PageReader = {
  extractor: {
    extract: async () => ({
      ...{ title: null, sections: [], parts: [], page: null },
      metadata: { author: null, created: null, modified: null, language: null },
      report: { kind: 'pdf', verdict: 'ok', pages: 1, characters: 0, warnings: [], unreadPages },
    }),
    readPicture: async ({ page }) => {
      asked.push(page)
      return PICTURE
    },
  },
  recogniser: { recognise: async () => ({ text: await answer(asked.at(-1)!), confidence: 0.99 }) },
}

function start(offReason: string | null = null): Recognition {
  const stopping = new AbortController()
  const indexer = { wake: (seq?: number) => void woken.push(seq ?? 0) }
  const recognition = createRecognition({ db, blobs, logger: quiet, now: () => time, indexer, reader, offReason })
  const running = recognition.run(stopping.signal)
  stop = async () => {
    stopping.abort(new Error('the test ends'))
    await running
  }
  return recognition
}

async function store(text: string): Promise<string> {
  const received = await blobs.receive(chunks(text))
  await received.keep()
  return received.name
}

async function* chunks(text: string) {
  yield Buffer.from(text)
}

const documentWith = (id: string, blob: string, pages: readonly RecognisedPage[] = []) => ({
  ...contentOf(id),
  sections: [
    fillSection(
      { text: '', link: null, heading: null, image_file_id: 'i', image_file_name: 'plan.png', picture: { blob } },
      pages,
    ),
  ],
})

async function accept(content: DocumentContent) {
  const [result] = await acceptDocuments(db, 'all', [{ content, ccPairId: 1, requestId: null }], time)
  if (result === undefined || result instanceof Error) throw result
  return result
}

const textOf = async (id: string) => (await findChange(db, id))?.sections.map((it) => it.text).join('|')
const stateOf = async (blob: string) => (await findRecognition(db, blob))?.state
const waitUntil = (blob: string, state: string) =>
  waitFor(async () => (await stateOf(blob)) === state, `the file to be ${state}`)
const waitForText = (id: string, text: string) => waitFor(async () => (await textOf(id)) === text, `the text "${text}"`)

test('a document gets the text of its picture as a new version', async () => {
  const blob = await store('plan')
  const { seq } = await accept(documentWith('a', blob))
  assert.deepEqual(
    (await findReceipt(db, 'a'))?.pictures.map((it) => [it.name, it.state]),
    [['plan.png', 'waiting']],
  )
  start()
  await waitForText('a', 'words of page 0')
  await waitFor(() => woken.length > 0, 'the indexer to be woken')
  const receipt = (await findReceipt(db, 'a'))!
  assert.ok(receipt.seq > seq)
  assert.deepEqual(woken, [receipt.seq])
  assert.deepEqual([receipt.pictures.map((it) => it.state), receipt.warnings], [['read'], []])
})

test('the same document again changes nothing, and is not read again', async () => {
  const blob = await store('plan')
  await accept(documentWith('a', blob))
  start()
  await waitForText('a', 'words of page 0')
  const { seq } = (await findChange(db, 'a'))!
  const pages = (await mapReadPages(db, [blob])).get(blob)
  const again = await accept(documentWith('a', blob, pages))
  assert.deepEqual([again.seq, again.addedBytes, asked], [seq, undefined, [0]])
})

test('a version that comes while the text is written wins, and gets the text too', async () => {
  const blob = await store('plan')
  await accept(documentWith('a', blob))
  start()
  await waitUntil(blob, 'read')
  await stop()
  await accept({ ...documentWith('a', blob), semantic_identifier: 'renamed' })
  await fillDocument(db, 'a', time)
  const change = (await findChange(db, 'a'))!
  assert.deepEqual([change.semantic_identifier, await textOf('a')], ['renamed', 'words of page 0'])
  assert.equal(await fillDocument(db, 'a', time), null)
})

test('a page that was read is not read again after a restart', async () => {
  unreadPages = [0, 1]
  const blob = await store('long')
  await queueFiles(db, [{ blob, name: 'long.pdf' }], time)
  const { promise: secondPage, resolve: reached } = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<string>()
  answer = (page) => {
    if (page === 0) return 'first'
    reached()
    return stopped.promise
  }
  start()
  await secondPage
  const ended = stop()
  stopped.reject(new Error('stopped'))
  await ended
  assert.equal(await stateOf(blob), 'waiting')
  answer = () => 'second'
  start()
  await waitUntil(blob, 'read')
  assert.deepEqual(asked, [0, 1, 1])
  assert.deepEqual(
    (await findRecognition(db, blob))?.pages.map((it) => 'text' in it && it.text),
    ['first', 'second'],
  )
})

test('a reader that fails is tried again later, and at last given up with the reason', async () => {
  const blob = await store('bad')
  await accept(documentWith('a', blob))
  answer = () => Promise.reject(new Error('no process'))
  const recognition = start()
  for (let attempt = 1; attempt < 5; attempt++) {
    await waitFor(async () => (await findRecognition(db, blob))?.attempts === attempt, `attempt ${attempt}`)
    assert.deepEqual([await stateOf(blob), asked.length], ['waiting', attempt])
    time += 10_000_000
    recognition.wake()
  }
  await waitUntil(blob, 'failed')
  await waitFor(async () => (await findReceipt(db, 'a'))?.pictures[0]?.error === 'no process', 'the reason')
  answer = () => 'at last'
  assert.equal(await recognition.retryFailed(), 1)
  await waitForText('a', 'at last')
})

test('a page that cannot be read has its reason, and the file fails only without any text', async () => {
  unreadPages = [0, 1]
  const blob = await store('half')
  await accept(documentWith('a', blob))
  answer = (page) => (page === 0 ? Promise.reject(recognitionError()) : 'the other page')
  start()
  await waitForText('a', 'the other page')
  const read = await findRecognition(db, blob)
  assert.deepEqual(read?.pages, [
    { page: 0, reason: 'too large' },
    { page: 1, text: 'the other page', confidence: 0.99 },
  ])
  assert.deepEqual(await countRecognitions(db), { waiting: 0, read: 0, failed: 1 })
  const [shown] = (await findReceipt(db, 'a'))!.pictures
  assert.match(shown!.error!, /^1 of 2 scanned pages could not be read, the first is page 1: too large$/)
  const blank = await store('blank')
  await queueFiles(db, [{ blob: blank, name: 'blank.png' }], time)
  answer = () => Promise.reject(recognitionError())
  await stop()
  start()
  await waitUntil(blank, 'failed')
  assert.equal((await findRecognition(db, blank))?.error, 'too large')
})

const recognitionError = () => Object.assign(new Error('too large'), { name: 'RecognitionError' })

test('a deleted file fails with its reason, and waits again when the bytes come back', async () => {
  await queueFiles(db, [{ blob: NO_FILE, name: 'gone.png' }], time)
  start()
  await waitUntil(NO_FILE, 'failed')
  await stop()
  assert.equal((await findRecognition(db, NO_FILE))?.error, 'The file was deleted.')
  await queueFiles(db, [{ blob: NO_FILE, name: 'gone.png' }], time)
  assert.equal(await stateOf(NO_FILE), 'waiting')
})

test('a file for which a person waits is read before others', async () => {
  unreadPages = [0, 1, 2]
  const [long, wanted] = [await store('long'), await store('wanted')]
  await queueFiles(db, [{ blob: long, name: 'long.pdf' }], time)
  const { promise: isReading, resolve: reading } = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  answer = async (page) => {
    reading()
    await go.promise
    return `page ${page}`
  }
  const recognition = start()
  await isReading
  const pages = recognition.readNow({ blob: wanted, name: 'wanted.pdf' }, AbortSignal.timeout(20_000))
  await waitFor(async () => (await stateOf(wanted)) === 'waiting', 'the wanted file in the queue')
  // The waiter is noted in the turn after its row.
  await nextTurn()
  go.resolve()
  assert.equal((await pages).length, 3)
  await waitUntil(long, 'read')
  assert.equal((await findRecognition(db, long))?.pages.length, 3)
})

test('a waiting person gets the pages that are read at the end of the time', async () => {
  unreadPages = [0, 1]
  const blob = await store('slow')
  const ending = new AbortController()
  answer = (page) => {
    if (page === 0) return 'first'
    ending.abort()
    return 'second'
  }
  const pages = await start().readNow({ blob, name: 'slow.pdf' }, ending.signal)
  assert.deepEqual(
    pages.map((it) => 'text' in it && it.text),
    ['first'],
  )
})

test('where recognition is off, files wait and say why, and uploads are not queued', async () => {
  const blob = await store('plan')
  await accept(documentWith('a', blob))
  const recognition = start('Text recognition is off.')
  await recognition.queueIfOn([{ blob: NO_FILE, name: 'other.png' }])
  assert.deepEqual(await recognition.readNow({ blob, name: 'plan.png' }, AbortSignal.timeout(20_000)), [])
  assert.deepEqual(await countRecognitions(db), { waiting: 1, read: 0, failed: 0 })
})

test('the bytes of a source are kept until they are read, and forgotten 30 days after their last document', async () => {
  const recognition = start()
  const bytes = Buffer.from('a scan')
  const { blob, pages } = await recognition.keepScan({ bytes, name: 'scan.pdf' })
  assert.deepEqual(pages, [])
  await waitUntil(blob, 'read')
  await waitFor(() => isGone(blob), 'the bytes to be deleted')
  const again = await recognition.keepScan({ bytes, name: 'scan.pdf' })
  assert.deepEqual(again.pages, [{ page: 0, text: 'words of page 0', confidence: 0.99 }])
  assert.equal(await isGone(blob), true)
  let today = time + 29 * DAY_MS
  const expire = createScanExpiry({ db, blobs, now: () => today })
  await expire()
  assert.equal(await stateOf(blob), 'read')
  today += 2 * DAY_MS
  await expire()
  assert.equal(await stateOf(blob), undefined)
})

test('a picture that the newest version of its document no longer shows is forgotten, and another one is not', async () => {
  const [old, shown] = [await store('old'), await store('shown')]
  await accept(documentWith('a', old))
  await accept(documentWith('b', shown))
  await accept(contentOf('a', 'no picture any more'))
  start()
  await waitUntil(old, 'read')
  await waitUntil(shown, 'read')
  await createScanExpiry({ db, blobs, now: () => time + 31 * DAY_MS })()
  assert.deepEqual([await stateOf(old), await stateOf(shown)], [undefined, 'read'])
})

async function isGone(blob: string): Promise<boolean> {
  try {
    ;(await blobs.get(blob)).destroy()
    return false
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'FILE_NOT_FOUND')
    return true
  }
}

test('the other pages of a file that is read in part are tried again', async () => {
  unreadPages = [0, 1]
  const blob = await store('half')
  await queueFiles(db, [{ blob, name: 'half.pdf' }], time)
  answer = (page) => (page === 0 ? Promise.reject(recognitionError()) : 'second')
  const recognition = start()
  await waitUntil(blob, 'read')
  answer = () => 'first'
  assert.equal(await recognition.retryFailed(), 1)
  await waitFor(async () => (await findRecognition(db, blob))?.pages.length === 2 && asked.length === 3, 'the page')
  await waitUntil(blob, 'read')
  assert.deepEqual(asked, [0, 1, 0])
  assert.deepEqual(await countRecognitions(db), { waiting: 0, read: 1, failed: 0 })
})
