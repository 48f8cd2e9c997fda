// Calls with the same key that are under way at the same time share one result.

export interface SharedCalls<Result> {
  /** Starts the work, or waits for the call with the same key that is under way. All of them get what it settles with. */
  run(key: string, work: () => Promise<Result>): Promise<Result>
}

/** Nothing is kept after a call has settled. */
export function createSharedCalls<Result>(): SharedCalls<Result> {
  const underWay = new Map<string, Promise<Result>>()
  const start = async (key: string, work: () => Promise<Result>) => {
    try {
      return await work()
    } finally {
      underWay.delete(key)
    }
  }
  return {
    run(key, work) {
      const known = underWay.get(key)
      if (known !== undefined) return known
      const call = start(key, work)
      underWay.set(key, call)
      return call
    },
  }
}
