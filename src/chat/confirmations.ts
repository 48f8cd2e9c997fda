// Questions of tools to the person: may this be done? One that is not answered is a no.

export interface Confirmations {
  /** Waits for the answer; false when the signal aborts or nobody answers in time. */
  wait(id: string, signal: AbortSignal): Promise<boolean>
  /** The person was shown the question. The answer may come before anybody waits for it. */
  shown(id: string): void
  /** False for a question that was not asked, or is answered already. */
  decide(id: string, approve: boolean): boolean
}

export function createConfirmations(timeoutMs: number): Confirmations {
  const open = new Map<string, PromiseWithResolvers<boolean>>()
  const decided = new Set<string>()
  const questionOf = (id: string) => {
    const question = open.get(id) ?? Promise.withResolvers<boolean>()
    open.set(id, question)
    return question
  }
  return {
    async wait(id, signal) {
      const { promise, resolve } = questionOf(id)
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
    shown: (id) => void questionOf(id),
    decide(id, approve) {
      if (!open.has(id) || decided.has(id)) return false
      decided.add(id)
      questionOf(id).resolve(approve)
      return true
    },
  }
}
