// Who waits for the follower, and what the follower waits for.

export interface Waiters {
  /** Resolves with true when `reached` gets that far, with false at the signal. */
  waitFor(seq: number, signal: AbortSignal): Promise<boolean>
  reached(position: number): void
  /** Ends after the time, at the signal, or at the next `wake`, also at one that came before. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  wake(): void
}

export function createWaiters(): Waiters {
  const waiting = new Set<{ seq: number; resolve: (isReached: boolean) => void }>()
  let isWoken = false
  let wakeUp: (() => void) | null = null
  return {
    waitFor: (seq, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false)
        const waiter = { seq, resolve }
        waiting.add(waiter)
        signal.addEventListener('abort', () => waiting.delete(waiter) && resolve(false), { once: true })
      }),
    reached(position) {
      for (const waiter of waiting) if (waiter.seq <= position && waiting.delete(waiter)) waiter.resolve(true)
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (isWoken || signal.aborted) {
          isWoken = false
          return resolve()
        }
        const end = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', end)
          wakeUp = null
          isWoken = false
          resolve()
        }
        const timer = setTimeout(end, ms)
        signal.addEventListener('abort', end, { once: true })
        wakeUp = end
      }),
    wake() {
      if (wakeUp === null) isWoken = true
      else wakeUp()
    },
  }
}
