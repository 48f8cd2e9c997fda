// Searches stored documents for sensitive content, and moves documents into quarantine and out of it.
import type { Logger } from '../../domain/logger.ts'
import { type BackgroundLoop, createLoop, logErrors } from '../../flow/background-loop.ts'
import type { Database } from '../../store/database/database.ts'
import { listUnsearchedDocuments, scanContent, writeFindings } from '../../store/sensitive/findings.ts'
import { forgetFindings, reconcileQuarantine, sweepFindings } from '../../store/sensitive/quarantine.ts'
import { getSettings } from '../../store/settings/settings.ts'
import type { Indexer } from '../index/indexer.ts'

interface SensitiveContentDeps {
  db: Database
  logger: Logger
  now: () => number
  indexer: Pick<Indexer, 'wake'>
  pauseMs?: number
}

const PAUSE_MS = 30_000
const BATCH = 50
const MAX_BATCH_BYTES = 20_000_000

/** Woken when the setting has changed. Documents without a result are the queue, so a restart continues. */
export const createSensitiveContent = ({
  db,
  logger,
  now,
  indexer,
  pauseMs = PAUSE_MS,
}: SensitiveContentDeps): BackgroundLoop =>
  createLoop(
    async (signal) => {
      const moved = await reconcileQuarantine(db, now())
      if (moved !== null) {
        indexer.wake(moved)
        return 0
      }
      const { sensitive_content: mode } = await getSettings(db)
      const done = mode === 'off' ? await forgetFindings(db) : await searchBatch({ db, now }, signal)
      if (done > 0) return 0
      await sweepFindings(db)
      return pauseMs
    },
    { retryMs: pauseMs, onError: logErrors(logger, 'search for sensitive content failed') },
  )

/** Returns the number of documents searched. */
async function searchBatch(
  { db, now }: Pick<SensitiveContentDeps, 'db' | 'now'>,
  signal: AbortSignal,
): Promise<number> {
  const documents = await listUnsearchedDocuments(db, { limit: BATCH, maxBytes: MAX_BATCH_BYTES })
  for (const document of documents) {
    signal.throwIfAborted()
    await writeFindings(db, document, await scanContent(document), now())
  }
  return documents.length
}
