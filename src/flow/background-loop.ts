// Repeats a task in the background: it waits between rounds, backs off after errors, and can be woken early.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from '../domain/logger.ts'
import { createWakeSignal } from './wake-signal.ts'

export interface BackgroundLoop {
  /** Ends the current wait. During a round, it skips the wait that follows. */
  wake(): void
  /** Runs rounds until the signal or the end, and resolves when the current round is over. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

/** Returns the milliseconds to the next round, 0 to continue at once, or `end`. The signal asks it to stop early. */
export type LoopRound = (signal: AbortSignal) => Promise<number | 'end'>

export interface LoopSettings {
  /** The wait after an error, in milliseconds; `failures` counts the consecutive errors before this one. */
  retryMs: number | ((failures: number, error: unknown) => number)
  /** Whether `wake` also ends the wait after an error. Default: true. */
  isRetryWakeable?: boolean
  /** Called after a failed round, but not after the signal, because stopping may have caused the error. */
  onError(error: unknown, retryMs: number): void
  /** The wait before the first round. Default: 0. */
  startAfterMs?: number
}

export function createLoop(round: LoopRound, settings: LoopSettings): BackgroundLoop {
  const { retryMs, isRetryWakeable = true, onError, startAfterMs = 0 } = settings
  const wakeSignal = createWakeSignal()
  const { sleep: sleepBeforeRetry } = isRetryWakeable ? wakeSignal : createWakeSignal()
  let failures = 0
  const retryAfter = async (error: unknown, signal: AbortSignal): Promise<void> => {
    const waitMs = typeof retryMs === 'number' ? retryMs : retryMs(failures, error)
    failures++
    onError(error, waitMs)
    await sleepBeforeRetry(waitMs, signal)
  }
  return {
    wake: wakeSignal.wake,
    async run(signal) {
      if (startAfterMs > 0) await wakeSignal.sleep(startAfterMs, signal)
      while (!signal.aborted) {
        try {
          const waitMs = await round(signal)
          failures = 0
          if (waitMs === 'end') return
          // A turn of the event loop, so that a task with much work does not keep others waiting.
          if (waitMs === 0) await nextTurn()
          else await wakeSignal.sleep(waitMs, signal)
        } catch (error) {
          if (!signal.aborted) await retryAfter(error, signal)
        }
      }
    },
  }
}

/** Doubles the wait with each consecutive error. */
export const exponentialBackoff =
  (firstMs: number, maxMs: number) =>
  (failures: number): number =>
    Math.min(firstMs * 2 ** failures, maxMs)

/** For `onError`. The message has the form `webhook listing failed`. */
export const logErrors =
  (logger: Logger, message: string): LoopSettings['onError'] =>
  (error, retryMs) =>
    logger.error({ err: error, retry_in_ms: retryMs }, message)
