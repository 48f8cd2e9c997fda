// Lets a model make texts of files in the background, one at a time, and gives them to the documents that show the files.
import { buffer } from 'node:stream/consumers'
import type { Logger } from '../../domain/logger.ts'
import { errorMessage } from '../../domain/values/node-error.ts'
import { type BackgroundLoop, createLoop, logErrors } from '../../flow/background-loop.ts'
import type { Database } from '../../store/database/database.ts'
import type { Blobs } from '../../store/files/blobs.ts'
import { keepForModel, releaseScan } from '../../store/files/scan-files.ts'
import {
  finishModelFile,
  listDocumentsWithoutText,
  nextDueModelFile,
  nextModelRetryAt,
  postponeModelFile,
  type QueuedModelFile,
  retryFailedModelFiles,
} from '../../store/made-texts/model-texts.ts'
import { fillDocument } from '../../store/recognition/fill-documents.ts'
import { FILE_GONE } from '../../store/recognition/recognition.ts'
import type { Indexer } from '../index/indexer.ts'
import { isFileGone } from '../recognise/read-file.ts'
import { MakingError, type TextMaker } from './maker.ts'

export interface MadeTextsDeps {
  db: Database
  blobs: Pick<Blobs, 'get' | 'receive' | 'exclusively' | 'release'>
  logger: Logger
  now: () => number
  indexer: Pick<Indexer, 'wake'>
  maker: TextMaker
}

export interface MadeTexts extends BackgroundLoop {
  /** Why files wait: there is no model, its server refuses every file, or the budget is used. Null if they do not. */
  waitReason(): Promise<string | null>
  /** Keeps the bytes of a source until their text is made. */
  keep(file: { bytes: Uint8Array; name: string }): ReturnType<typeof keepForModel>
  /** After a change of the settings: what was refused is tried again. */
  onSetupChange(): void
  /** Failed files are tried again. Returns how many there were. */
  retryFailed(): Promise<number>
}

const MAX_ATTEMPTS = 5
const FIRST_RETRY_MS = 60_000
/** A server may ask for a longer pause. */
const MAX_RETRY_MS = 24 * 3_600_000
const IDLE_MS = 600_000
const FILL_BATCH = 50

/** Why every file is refused, until that time. */
interface SetupProblem {
  reason: string
  until: number
}

export function createMadeTexts(deps: MadeTextsDeps): MadeTexts {
  const { db, logger, maker } = deps
  const memory: Memory = { problem: null }
  const loop = createLoop((signal) => runRound(deps, memory, signal), {
    retryMs: FIRST_RETRY_MS,
    onError: logErrors(logger, `making of ${maker.kind}s failed`),
  })
  return {
    ...loop,
    waitReason: async () => (await maker.pause())?.reason ?? memory.problem?.reason ?? null,
    async keep(file) {
      const kept = await keepForModel(deps, { ...file, kind: maker.kind })
      loop.wake()
      return kept
    },
    onSetupChange() {
      memory.problem = null
      loop.wake()
    },
    async retryFailed() {
      const count = await retryFailedModelFiles(db, maker.kind)
      memory.problem = null
      loop.wake()
      return count
    },
  }
}

interface Memory {
  problem: SetupProblem | null
}

async function runRound(deps: MadeTextsDeps, memory: Memory, signal: AbortSignal): Promise<number> {
  const { db, now, maker } = deps
  if ((await fillDocuments(deps)) > 0) return 0
  const pause = await maker.pause()
  if (pause !== null) return waitMs(pause.untilMs, now())
  if (memory.problem !== null && memory.problem.until > now()) return waitMs(memory.problem.until, now())
  const file = await nextDueModelFile(db, maker.kind, now(), maker)
  if (file === undefined) {
    const retryAt = await nextModelRetryAt(db, maker.kind)
    // A file that is due and not given waits for its text recognition, which wakes this loop.
    return waitMs(retryAt !== null && retryAt > now() ? retryAt : null, now())
  }
  await makeText(deps, file, memory, signal)
  return 0
}

const waitMs = (until: number | null, now: number): number =>
  until === null ? IDLE_MS : Math.min(IDLE_MS, Math.max(1_000, until - now))

/** Returns how many documents there were. */
async function fillDocuments({ db, now, indexer, maker }: MadeTextsDeps): Promise<number> {
  const documents = await listDocumentsWithoutText(db, maker.kind, FILL_BATCH)
  for (const id of documents) {
    const filled = await fillDocument(db, id, now())
    if (filled !== null) indexer.wake(filled.seq, filled.addedBytes)
  }
  return documents.length
}

async function makeText(
  deps: MadeTextsDeps,
  file: QueuedModelFile,
  memory: Memory,
  signal: AbortSignal,
): Promise<void> {
  const { db, blobs, logger, now, maker } = deps
  const { blob } = file
  try {
    const bytes = await buffer(await blobs.get(blob))
    const { content, model } = await maker.make({ blob, bytes }, signal)
    await finishModelFile(db, file, { state: 'read', content, model, error: null }, now())
    memory.problem = null
    await releaseScan(deps, blob)
    logger.info({ blob }, `${maker.kind} of a file made`)
  } catch (error) {
    if (signal.aborted) throw error
    // Another process on the same database may have the bytes in its own folder.
    if (isFileGone(error) && db.onChange === undefined) return fail(deps, file, FILE_GONE)
    if (!(error instanceof MakingError)) {
      logger.error({ err: error, blob, attempts: file.attempts + 1 }, `${maker.kind} of a file not made`)
      return postpone(deps, file, isFileGone(error) ? FILE_GONE : errorMessage(error), null)
    }
    if (error.fault === 'none') return skip(deps, file, error.message)
    // The message of the server may quote what is in the file, which the log must not have.
    logger.warn({ blob, fault: error.fault }, `${maker.kind} of a file not made`)
    if (error.fault === 'file') return fail(deps, file, error.message)
    if (error.fault === 'busy') return postpone(deps, file, error.message, error.retryAfterMs)
    memory.problem = { reason: error.message, until: now() + IDLE_MS }
  }
}

async function skip(deps: MadeTextsDeps, file: QueuedModelFile, error: string): Promise<void> {
  const { db, now } = deps
  await finishModelFile(db, file, { state: 'skipped', content: null, model: null, error }, now())
  await releaseScan(deps, file.blob)
}

const fail = ({ db, now }: MadeTextsDeps, file: QueuedModelFile, error: string): Promise<void> =>
  finishModelFile(db, file, { state: 'failed', content: null, model: null, error }, now())

async function postpone(
  deps: MadeTextsDeps,
  file: QueuedModelFile,
  error: string,
  retryAfterMs: number | null,
): Promise<void> {
  const { attempts } = file
  if (attempts + 1 >= MAX_ATTEMPTS) return fail(deps, file, error)
  const pauseMs = Math.min(MAX_RETRY_MS, Math.max(retryAfterMs ?? 0, FIRST_RETRY_MS * 2 ** attempts))
  await postponeModelFile(deps.db, file, { error, retryAt: deps.now() + pauseMs })
}
