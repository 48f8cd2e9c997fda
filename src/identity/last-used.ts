// Tracks when keys were last used. Kept in memory and stored periodically, so that requests do not wait for it.

export interface LastUsedTracker {
  recordUse(id: number, at: number): void
  forget(id: number): void
  flush(): Promise<void>
}

export function createLastUsedTracker(write: (used: ReadonlyMap<number, number>) => Promise<void>): LastUsedTracker {
  let used = new Map<number, number>()
  return {
    recordUse: (id, at) => void used.set(id, at),
    forget: (id) => void used.delete(id),
    async flush() {
      const batch = used
      used = new Map()
      if (batch.size > 0) await write(batch)
    },
  }
}
