// Tracks when keys, sessions and people were last used or seen. Kept in memory and stored periodically, so that requests do
// not wait for it.

export interface LastUsedTracker<Id> {
  recordUse(id: Id, at: number): void
  forget(id: Id): void
  flush(): Promise<void>
}

export function createLastUsedTracker<Id>(
  write: (used: ReadonlyMap<Id, number>) => Promise<void>,
): LastUsedTracker<Id> {
  let used = new Map<Id, number>()
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
