import { setTimeout as delay } from 'node:timers/promises'

/** Waits as long as the work since the last call took, so that requests come first. Throws when the signal aborts. */
export type Pause = () => Promise<void>

export function createPause(signal: AbortSignal): Pause {
  let began = performance.now()
  return async () => {
    signal.throwIfAborted()
    await delay(performance.now() - began, undefined, { signal })
    began = performance.now()
  }
}
