// Limits how many actions run at the same time.

export interface Semaphore {
  /**
   * Runs the action once a permit is free, in call order. Rejects with the signal's reason before that. A running action
   * keeps its permit until it settles: the signal does not end it here.
   */
  run<T>(action: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Whether nothing runs and nothing waits. */
  isIdle(): boolean
}

export function createSemaphore(permits: number): Semaphore {
  /** The first is the next to get a permit. */
  const waiters = new Set<() => void>()
  let used = 0
  const acquire = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    if (used < permits) {
      used++
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      waiters.delete(resolve)
      reject(signal.reason)
    }
    waiters.add(resolve)
    signal.addEventListener('abort', leave, { once: true })
    await promise
    signal.removeEventListener('abort', leave)
  }
  const release = () => {
    const [next] = waiters
    if (next === undefined) {
      used--
      return
    }
    // The permit passes to the waiter, so that no later call can take it.
    waiters.delete(next)
    next()
  }
  return {
    async run(action, signal) {
      await acquire(signal)
      try {
        signal.throwIfAborted()
        return await action()
      } finally {
        release()
      }
    },
    isIdle: () => used === 0,
  }
}
