// Ends the process when its event loop is blocked, so that a supervisor can restart it.
import { Worker } from 'node:worker_threads'
import type { WatchdogData } from './watchdog-thread.ts'

export interface WatchdogSettings {
  /** The check interval. */
  tickMs: number
  /** The number of consecutive checks without progress that ends the process. */
  ticks: number
  /** Called if the thread fails. The process continues without a watchdog. */
  onError: (error: Error) => void
}

/** To be called after startup, because a migration may block the main thread for long. */
export function startWatchdog({ tickMs, ticks, onError }: WatchdogSettings): void {
  // A debugger pauses the event loop on purpose.
  if (process.execArgv.some((it) => it.startsWith('--inspect'))) return
  const heartbeats = new Int32Array(new SharedArrayBuffer(4))
  const workerData: WatchdogData = { heartbeats, tickMs, ticks }
  const worker = new Worker(new URL('./watchdog-thread.ts', import.meta.url), { workerData })
  worker.unref()
  const heartbeat = setInterval(() => Atomics.add(heartbeats, 0, 1), tickMs).unref()
  worker.on('error', (error) => {
    clearInterval(heartbeat)
    onError(error instanceof Error ? error : new Error(String(error)))
  })
}
