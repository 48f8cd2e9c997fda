// Recognises text in pictures and scanned pages in the background, and gives it to the documents that show them.
import { buffer } from 'node:stream/consumers'
import type { Logger } from '../../domain/logger.ts'
import type { RecognisedPage } from '../../domain/pictures/recognition.ts'
import { errorMessage } from '../../domain/values/node-error.ts'
import { type BackgroundLoop, createLoop, logErrors } from '../../flow/background-loop.ts'
import type { Database } from '../../store/database/database.ts'
import type { Blobs } from '../../store/files/blobs.ts'
import { keepScan, releaseScan } from '../../store/files/scan-files.ts'
import { fillDocument, listUnsettledDocuments } from '../../store/recognition/fill-documents.ts'
import {
  FILE_GONE,
  findRecognition,
  finishFile,
  nextDueFile,
  nextRecognitionRetryAt,
  postponeFile,
  type Recognition as QueuedFile,
  queueFiles,
  retryFailedFiles,
  savePages,
} from '../../store/recognition/recognition.ts'
import type { Indexer } from '../index/indexer.ts'
import type { ScanKeeper } from '../source/scanned-pages.ts'
import { createChangeSignal } from './change-signal.ts'
import { isFileGone, type PageReader, recogniseFile } from './read-file.ts'

export interface RecognitionDeps {
  db: Database
  blobs: Pick<Blobs, 'get' | 'receive' | 'exclusively' | 'release'>
  logger: Logger
  now: () => number
  indexer: Pick<Indexer, 'wake'>
  reader: PageReader
  /** Why no text is recognised here; null if it is. */
  offReason: string | null
  /** Called when the text of a file is known, or when it is known to have none. */
  onRead?: () => void
}

export interface Recognition extends BackgroundLoop {
  /** Why no text is recognised here; null if it is. */
  offReason: string | null
  /** Puts files into the queue, unless no text is recognised here. */
  queueIfOn(files: readonly { blob: string; name: string }[]): Promise<void>
  /** See `ScanKeeper`. */
  keepScan: ScanKeeper
  /**
   * The pages of a file, which is read before others. Resolves when it is read or has failed, at the latest at the signal,
   * then with the pages read so far.
   */
  readNow(file: { blob: string; name: string }, signal: AbortSignal): Promise<readonly RecognisedPage[]>
  /** Files that were not or not wholly read are tried again. Returns how many there were. */
  retryFailed(): Promise<number>
}

const MAX_ATTEMPTS = 5
const FIRST_RETRY_MS = 60_000
const IDLE_MS = 600_000
const FILL_BATCH = 50

export function createRecognition(deps: RecognitionDeps): Recognition {
  const { db, logger, now, offReason } = deps
  const changed = createChangeSignal()
  /** Files for which a person waits, in order. */
  const urgent: string[] = []
  const loop = createLoop((signal) => runRound(deps, { urgent, changed, signal }), {
    retryMs: FIRST_RETRY_MS,
    onError: logErrors(logger, 'text recognition failed'),
  })
  return {
    ...loop,
    offReason,
    async queueIfOn(files) {
      if (offReason !== null || files.length === 0) return
      await queueFiles(db, files, now())
      loop.wake()
    },
    keepScan: async (file) => {
      const kept = await keepScan(deps, file)
      loop.wake()
      return kept
    },
    async readNow(file, signal) {
      await queueFiles(db, [file], now())
      urgent.push(file.blob)
      loop.wake()
      try {
        for (;;) {
          const change = changed.next(signal)
          const found = await findRecognition(db, file.blob)
          if (found?.state !== 'waiting' || offReason !== null || signal.aborted) return found?.pages ?? []
          await change
        }
      } finally {
        urgent.splice(urgent.indexOf(file.blob), 1)
      }
    },
    async retryFailed() {
      const count = await retryFailedFiles(db)
      loop.wake()
      return count
    },
  }
}

interface Round {
  urgent: readonly string[]
  changed: { notify(): void }
  signal: AbortSignal
}

async function runRound(deps: RecognitionDeps, round: Round): Promise<number> {
  const { db, now, indexer, offReason } = deps
  const documents = await listUnsettledDocuments(db, FILL_BATCH)
  for (const id of documents) {
    const filled = await fillDocument(db, id, now())
    if (filled !== null) indexer.wake(filled.seq, filled.addedBytes)
  }
  if (documents.length > 0) return 0
  if (offReason !== null) return IDLE_MS
  const file = await nextFile(deps, round.urgent)
  if (file === undefined) {
    const retryAt = await nextRecognitionRetryAt(db)
    return retryAt === null ? IDLE_MS : Math.min(IDLE_MS, Math.max(1_000, retryAt - now()))
  }
  await readQueued(deps, file, round)
  round.changed.notify()
  deps.onRead?.()
  return 0
}

async function nextFile({ db, now }: RecognitionDeps, urgent: readonly string[]): Promise<QueuedFile | undefined> {
  for (const blob of urgent) {
    const file = await findRecognition(db, blob)
    if (file?.state === 'waiting') return file
  }
  return nextDueFile(db, now())
}

async function readQueued(deps: RecognitionDeps, file: QueuedFile, round: Round): Promise<void> {
  const { db, logger, now } = deps
  const { blob } = file
  const startedAt = performance.now()
  try {
    const { isComplete, hasText, reason } = await readPages(deps, file, round)
    if (!isComplete) return
    await finishFile(db, blob, { state: hasText ? 'read' : 'failed', error: reason, now: now() })
    if (reason === null) await releaseScan(deps, blob)
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    if (reason === null) logger.info({ blob, seconds }, 'text of a file recognised')
    // The reason may have the name of the file, which the log must not have.
    else logger.warn({ blob }, hasText ? 'text of a file recognised in part' : 'no text of a file recognised')
  } catch (error) {
    if (round.signal.aborted) throw error
    // Another process on the same database may have the bytes in its own folder.
    if (isFileGone(error) && db.onChange === undefined) {
      await finishFile(db, blob, { state: 'failed', error: FILE_GONE, now: now() })
      return
    }
    logger.error({ err: error, blob, attempts: file.attempts + 1 }, 'text recognition of a file failed')
    await postpone(deps, file, isFileGone(error) ? FILE_GONE : errorMessage(error))
  }
}

/** Stops early for a file that a person waits for. */
async function readPages(deps: RecognitionDeps, file: QueuedFile, { urgent, changed, signal }: Round) {
  const { db, blobs, reader } = deps
  const { blob, name } = file
  const bytes = await buffer(await blobs.get(blob))
  return recogniseFile(
    reader,
    { source: { bytes }, file_name: name },
    {
      known: file.pages,
      signal,
      async onPage(pages) {
        await savePages(db, blob, pages)
        changed.notify()
        return urgent.length === 0 || urgent.includes(blob)
      },
    },
  )
}

async function postpone({ db, now }: RecognitionDeps, file: QueuedFile, error: string): Promise<void> {
  const { blob, attempts } = file
  if (attempts + 1 < MAX_ATTEMPTS)
    await postponeFile(db, blob, { error, retryAt: now() + FIRST_RETRY_MS * 2 ** attempts })
  else await finishFile(db, blob, { state: 'failed', error, now: now() })
}
