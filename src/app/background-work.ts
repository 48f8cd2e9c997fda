import type { ServicePart } from './lifecycle.ts'

/** Runs until the signal aborts. */
export type BackgroundRun = (signal: AbortSignal) => Promise<unknown> | undefined

/** Starts all runs together. `close` aborts them and waits until each has ended. */
export function createBackgroundWork(runs: readonly BackgroundRun[]): ServicePart {
  const stop = new AbortController()
  let running: Promise<unknown> | undefined
  return {
    start() {
      running = Promise.all(runs.map((run) => run(stop.signal)))
    },
    async close() {
      stop.abort()
      await running
    },
  }
}
