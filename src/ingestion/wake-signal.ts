// Lets a loop sleep until it is woken, and lets callers wait for its position.

export interface WakeSignal {
  /** Resolves with true when `advanceTo` reaches `seq`, or with false at the signal. */
  waitForPosition(seq: number, signal: AbortSignal): Promise<boolean>
  advanceTo(position: number): void
  /** Resolves after the time, at the signal, or at a `wake`, including one that came before the call. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  wake(): void
}

export function createWakeSignal(): WakeSignal {
  const waiting = new Set<{ seq: number; resolve: (isReached: boolean) => void }>()
  let isWoken = false
  let wakeUp: (() => void) | null = null
  return {
    waitForPosition: (seq, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false)
        const waiter = { seq, resolve }
        waiting.add(waiter)
        signal.addEventListener('abort', () => waiting.delete(waiter) && resolve(false), { once: true })
      }),
    advanceTo(position) {
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
