// Documents that were not looked at when they came are looked at now, a little at a time.
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from '../domain/logger.ts'
import type { PassageWarning } from '../domain/passage.ts'
import { warningsOf } from '../domain/screen.ts'
import type { Database } from '../store/database.ts'
import { listUnscreened, setWarnings, type Unscreened } from '../store/screen.ts'

const BATCH = 20
/** Units of text between two turns of the event loop. */
const PIECE = 100_000
/** Pieces overlap by more than what is looked for is long. */
const OVERLAP = 1_000
const PAUSE_MS = 30_000

interface Needs {
  db: Database
  logger: Logger
  pauseMs?: number
}

export interface Screening {
  /** Works until the signal. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export const createScreening = ({ db, logger, pauseMs = PAUSE_MS }: Needs): Screening => ({
  async run(signal) {
    while (!signal.aborted) {
      try {
        if ((await screenSome(db)) > 0) continue
      } catch (error) {
        logger.error({ err: error }, 'documents could not be screened; it is tried again')
      }
      await delay(pauseMs, undefined, { signal }).catch(() => {})
    }
  },
})

/** Answers how many documents there were. */
async function screenSome(db: Database): Promise<number> {
  const documents = await listUnscreened(db, BATCH)
  for (const it of documents) await setWarnings(db, it, await screened(it))
  return documents.length
}

async function screened({ title, semantic_identifier, sections }: Unscreened): Promise<PassageWarning[]> {
  const found = new Set<PassageWarning>(warningsOf(`${title ?? ''}\n${semantic_identifier}`))
  for (const { heading, text } of sections) {
    const whole = `${heading ?? ''}\n${text}`
    for (let at = 0; at < whole.length; at += PIECE) {
      for (const it of warningsOf(whole.slice(Math.max(0, at - OVERLAP), at + PIECE))) found.add(it)
      await nextTurn()
    }
  }
  return [...found].sort()
}
