import type { Logger } from '../domain/logger.ts'
import type { ServicePart } from './lifecycle.ts'

const INTERVAL_MS = 60_000

/** Runs all jobs together once a minute. A failed job is logged and runs again a minute later. */
export function createHousekeeping(logger: Logger, jobs: readonly (() => Promise<unknown>)[]): ServicePart {
  let timer: NodeJS.Timeout | undefined
  const runJobs = () => {
    Promise.all(jobs.map((job) => job())).catch((error: unknown) => logger.error({ err: error }, 'housekeeping failed'))
  }
  return {
    start() {
      timer = setInterval(runJobs, INTERVAL_MS)
    },
    close: () => clearInterval(timer),
  }
}
