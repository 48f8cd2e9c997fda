// Asks the user to approve tool calls. A request that is not answered counts as declined.

export interface Confirmations {
  /** Waits for the decision; false if the signal aborts or the time runs out. */
  wait(id: string, signal: AbortSignal): Promise<boolean>
  /** Marks the request as shown to the user. The decision may arrive before `wait` is called. */
  markShown(id: string): void
  /** False if there is no such request or it is already decided. */
  decide(id: string, approve: boolean): boolean
}

export function createConfirmations(timeoutMs: number): Confirmations {
  const pending = new Map<string, PromiseWithResolvers<boolean>>()
  const decided = new Set<string>()
  const pendingConfirmation = (id: string) => {
    const question = pending.get(id) ?? Promise.withResolvers<boolean>()
    pending.set(id, question)
    return question
  }
  return {
    async wait(id, signal) {
      const { promise, resolve } = pendingConfirmation(id)
      const refuse = () => {
        decided.add(id)
        resolve(false)
      }
      const timer = setTimeout(refuse, timeoutMs).unref()
      signal.addEventListener('abort', refuse, { once: true })
      if (signal.aborted) refuse()
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', refuse)
      }
    },
    markShown: (id) => void pendingConfirmation(id),
    decide(id, approve) {
      if (!pending.has(id) || decided.has(id)) return false
      decided.add(id)
      pendingConfirmation(id).resolve(approve)
      return true
    },
  }
}
