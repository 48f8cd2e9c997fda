// When was a key last used? Kept in memory and written down now and then, so that no request waits for it.

export interface LastUsed {
  note(id: number, at: number): void
  forget(id: number): void
  flush(): Promise<void>
}

export function lastUsed(write: (used: ReadonlyMap<number, number>) => Promise<void>): LastUsed {
  let used = new Map<number, number>()
  return {
    note: (id, at) => void used.set(id, at),
    forget: (id) => void used.delete(id),
    async flush() {
      const batch = used
      used = new Map()
      if (batch.size > 0) await write(batch)
    },
  }
}
