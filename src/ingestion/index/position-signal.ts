// Lets callers wait until the index has reached a change.

export interface PositionSignal {
  /** Resolves with true when `advanceTo` reaches `seq`, or with false at the signal. */
  waitFor(seq: number, signal: AbortSignal): Promise<boolean>
  advanceTo(position: number): void
}

export function createPositionSignal(): PositionSignal {
  const waiting = new Set<{ seq: number; resolve: (isReached: boolean) => void }>()
  return {
    waitFor: (seq, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false)
        const waiter = { seq, resolve }
        waiting.add(waiter)
        signal.addEventListener('abort', () => waiting.delete(waiter) && resolve(false), { once: true })
      }),
    advanceTo(position) {
      for (const waiter of waiting) if (waiter.seq <= position && waiting.delete(waiter)) waiter.resolve(true)
    },
  }
}
