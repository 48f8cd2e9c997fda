import type { Logger } from '../domain/logger.ts'
import { createLoop, logErrors } from '../flow/background-loop.ts'
import { createBackgroundWork } from './background-work.ts'
import type { ServicePart } from './lifecycle.ts'

export interface HousekeepingDeps {
  logger: Logger
  /** For tests. */
  intervalMs?: number
}

const INTERVAL_MS = 60_000

/**
 * Runs all jobs together once a minute. A failed job is logged and runs again a minute later. `close` waits for running
 * jobs, which use the database.
 */
export function createHousekeeping(
  { logger, intervalMs = INTERVAL_MS }: HousekeepingDeps,
  jobs: readonly (() => Promise<unknown>)[],
): ServicePart {
  const runJobs = async () => {
    for (const it of await Promise.allSettled(jobs.map(async (job) => job())))
      if (it.status === 'rejected') logger.error({ err: it.reason }, 'housekeeping failed')
    return intervalMs
  }
  const onError = logErrors(logger, 'housekeeping failed')
  return createBackgroundWork([createLoop(runJobs, { startAfterMs: intervalMs, retryMs: intervalMs, onError }).run])
}
