// Ends a run when its source is idle for too long. Announced waits do not count as idle time.
import { SourceError } from '../../connectors/connector.ts'

export interface IdleTimeoutDeps {
  now: () => number
  /** The maximum idle time. */
  idleTimeoutMs: number
  /** Resolves after the time; rejects at the signal. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>
}

export interface IdleTimeout {
  /** Aborts with the run and at the timeout. */
  signal: AbortSignal
  /** Records activity, or a wait until `until`. */
  reset(until?: number): void
  /** Yields the items of the source. Rejects at the timeout even if the source ignores its signal. */
  watch<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void>
}

export function createIdleTimeout({ now, idleTimeoutMs, sleep }: IdleTimeoutDeps, runSignal: AbortSignal): IdleTimeout {
  const abort = new AbortController()
  let lastActivity = now()
  const reset = (until = now()) => {
    lastActivity = Math.max(lastActivity, until)
  }
  const failWhenIdle = async (signal: AbortSignal): Promise<never> => {
    for (let remainingMs = idleTimeoutMs; remainingMs > 0; remainingMs = lastActivity + idleTimeoutMs - now())
      await sleep(remainingMs, signal)
    const message = `The source sent nothing for ${Math.round(idleTimeoutMs / 60_000)} minutes.`
    abort.abort(new SourceError('unavailable', message))
    throw abort.signal.reason
  }
  const nextItem = async <T>(items: AsyncGenerator<T, void>) => {
    // The time between two items does not count: the caller was processing the previous one.
    reset()
    const arrived = new AbortController()
    try {
      return await Promise.race([items.next(), failWhenIdle(arrived.signal)])
    } finally {
      arrived.abort()
      reset()
    }
  }
  return {
    signal: AbortSignal.any([runSignal, abort.signal]),
    reset,
    async *watch(items) {
      try {
        for (let it = await nextItem(items); it.done !== true; it = await nextItem(items)) yield it.value
      } finally {
        // After a timeout `return` could hang as well.
        if (!abort.signal.aborted) await items.return()
      }
    },
  }
}
