// Reports whether documents can be searched and accepted. Probes poll every few seconds, so a result is cached for one.
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import { resultOrTimeout } from '../flow/result-or-timeout.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { Database } from '../store/database/database.ts'
import type { FreeSpaceMonitor } from '../store/record/free-space.ts'
import type { Indexer } from './index/indexer.ts'

export interface Readiness {
  /** One sentence for each fault. A backlog is not a fault. */
  faults(): Promise<readonly string[]>
}

interface ReadinessDeps {
  db: Pick<Database, 'check'>
  searchIndex: Pick<SearchIndex, 'stats'>
  indexer: Pick<Indexer, 'progress'>
  disk: Pick<FreeSpaceMonitor, 'check'>
  /** Additional checks. Each throws or rejects with an AppError that describes the fault. */
  extraChecks?: readonly (() => unknown)[]
  logger: Logger
  clock?: () => number
  /** For tests. */
  deadlineMs?: number
}

const CACHE_MS = 1_000
/** A check that takes longer counts as failed. */
const DEADLINE_MS = 5_000

export function createReadiness(deps: ReadinessDeps): Readiness {
  const { db, searchIndex, indexer, disk, extraChecks = [], logger } = deps
  const { clock = () => performance.now(), deadlineMs = DEADLINE_MS } = deps
  const timeoutMessage = (what: string) => `The ${what} has not answered for ${deadlineMs / 1_000} s.`
  const probes = [
    createProbe(() => db.check(), {
      timeout: timeoutMessage('database'),
      unknown: 'The database cannot be used.',
      deadlineMs,
    }),
    createProbe(() => checkIndex(searchIndex), {
      timeout: timeoutMessage('index'),
      unknown: 'The index cannot be searched.',
      deadlineMs,
    }),
  ]
  const extraProbes = [() => disk.check(), () => checkFollower(indexer), ...extraChecks].map((it) =>
    createProbe(async () => it(), {
      timeout: timeoutMessage('service'),
      unknown: 'The service does not work correctly.',
      deadlineMs,
    }),
  )
  let last: { at: number; faults: readonly string[] } | undefined
  let running: Promise<readonly string[]> | undefined

  const runProbes = async () => {
    const found = await Promise.all([...probes, ...extraProbes].map((it) => it()))
    const faults = [...new Set(found.filter((it) => it !== null))]
    logChange(logger, last?.faults ?? [], faults)
    last = { at: clock(), faults }
    return faults
  }
  return {
    async faults() {
      if (last !== undefined && clock() - last.at < CACHE_MS) return last.faults
      running ??= runProbes().finally(() => {
        running = undefined
      })
      return running
    },
  }
}

interface ProbeMessages {
  timeout: string
  /** The message for an error that is not an AppError. */
  unknown: string
  deadlineMs: number
}

/** Returns a function that resolves with the fault or null. Concurrent calls share one check. */
function createProbe(
  ask: () => Promise<unknown>,
  { timeout, unknown, deadlineMs }: ProbeMessages,
): () => Promise<string | null> {
  let pending: Promise<string | null> | undefined
  return () => {
    pending ??= ask()
      .then(
        () => null,
        (error: unknown) => (error instanceof AppError ? error.message : unknown),
      )
      .finally(() => {
        pending = undefined
      })
    return resultOrTimeout(pending, deadlineMs, timeout)
  }
}

/** A stalled index still serves searches, and a rebuild recovers it after a crash. New documents are not searchable. */
async function checkIndex(searchIndex: Pick<SearchIndex, 'stats'>): Promise<void> {
  const { stalled } = await searchIndex.stats()
  if (stalled === undefined || stalled === null) return
  throw new AppError('SERVICE_UNAVAILABLE', { reason: `The index cannot be written to disk: ${stalled}.` })
}

/** Documents accepted while the follower is stalled are not searchable. */
function checkFollower(indexer: Pick<Indexer, 'progress'>): void {
  const { waiting_for } = indexer.progress()
  if (waiting_for === null) return
  throw new AppError('SERVICE_UNAVAILABLE', { reason: `Accepted documents are not searchable yet: ${waiting_for}.` })
}

function logChange(logger: Logger, before: readonly string[], faults: readonly string[]): void {
  if (before.join() === faults.join()) return
  if (faults.length > 0) logger.error({ faults }, 'service not ready')
  else logger.info({}, 'service ready')
}
