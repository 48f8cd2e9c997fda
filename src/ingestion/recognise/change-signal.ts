// Tells all who wait that something has changed.

export interface ChangeSignal {
  /** Resolves at the next change or at the signal. */
  next(signal: AbortSignal): Promise<void>
  notify(): void
}

export function createChangeSignal(): ChangeSignal {
  let current = Promise.withResolvers<void>()
  return {
    next(signal) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const end = () => {
        signal.removeEventListener('abort', end)
        resolve()
      }
      if (signal.aborted) resolve()
      signal.addEventListener('abort', end, { once: true })
      current.promise.then(end)
      return promise
    },
    notify() {
      const { resolve } = current
      current = Promise.withResolvers<void>()
      resolve()
    },
  }
}
