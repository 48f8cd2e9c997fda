// Scans stored documents that were accepted without an injection scan, in small batches.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PassageWarning } from '../../domain/chat/passage.ts'
import { detectWarnings } from '../../domain/injection/injection-scan.ts'
import type { Logger } from '../../domain/logger.ts'
import { createLoop, logErrors } from '../../flow/background-loop.ts'
import type { Database } from '../../store/database/database.ts'
import { listUnscannedDocuments, setDocumentWarnings, type UnscannedDocument } from '../../store/documents/warnings.ts'

const BATCH = 20
/** UTF-16 code units scanned between two turns of the event loop. */
const SLICE_LENGTH = 100_000
/** Slices overlap by more than the longest pattern. */
const OVERLAP = 1_000
const PAUSE_MS = 30_000

interface InjectionScanDeps {
  db: Database
  logger: Logger
  pauseMs?: number
}

export interface InjectionScan {
  /** Runs until the signal. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export const createInjectionScan = ({ db, logger, pauseMs = PAUSE_MS }: InjectionScanDeps): InjectionScan =>
  createLoop(async () => ((await scanBatch(db)) > 0 ? 0 : pauseMs), {
    retryMs: pauseMs,
    onError: logErrors(logger, 'injection scan failed'),
  })

/** Returns the number of documents scanned. */
async function scanBatch(db: Database): Promise<number> {
  const documents = await listUnscannedDocuments(db, BATCH)
  for (const it of documents) await setDocumentWarnings(db, it, await findWarnings(it))
  return documents.length
}

async function findWarnings({ title, semantic_identifier, sections }: UnscannedDocument): Promise<PassageWarning[]> {
  const found = new Set<PassageWarning>(detectWarnings(`${title ?? ''}\n${semantic_identifier}`))
  for (const { heading, text } of sections) {
    const whole = `${heading ?? ''}\n${text}`
    for (let at = 0; at < whole.length; at += SLICE_LENGTH) {
      for (const it of detectWarnings(whole.slice(Math.max(0, at - OVERLAP), at + SLICE_LENGTH))) found.add(it)
      await nextTurn()
    }
  }
  return [...found].sort()
}
