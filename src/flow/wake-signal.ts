// A sleep that ends early when it is woken.

export interface WakeSignal {
  /** Resolves after the time, at the signal, or at a `wake`, including one that came before the call. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  wake(): void
}

/** The longest time that a timer accepts. */
const MAX_TIMER_MS = 2 ** 31 - 1

export function createWakeSignal(): WakeSignal {
  let isWoken = false
  let wakeUp: (() => void) | null = null
  return {
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
          resolve()
        }
        const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS))
        signal.addEventListener('abort', end, { once: true })
        wakeUp = end
      }),
    wake() {
      if (wakeUp === null) isWoken = true
      else wakeUp()
    },
  }
}
