// A map that keeps only what was used recently.

export interface LruCache<Key, Value> {
  /** Counts as a use. */
  get(key: Key): Value | undefined
  /** Creates and stores the value if there is none. */
  getOrCreate(key: Key, create: () => Value): Value
  /** Removes the least recently used entries beyond the limit; a value that alone exceeds it is not kept. */
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
}

/** The limit is a number of entries, or with `weigh` the sum of their weights. */
export function createLruCache<Key, Value>(limit: number, weigh = (_: Value): number => 1): LruCache<Key, Value> {
  /** The least recently used entry is the first. */
  const entries = new Map<Key, { value: Value; weight: number }>()
  let totalWeight = 0
  const use = (key: Key) => {
    const entry = entries.get(key)
    if (entry === undefined) return undefined
    entries.delete(key)
    entries.set(key, entry)
    return entry
  }
  const remove = (key: Key) => {
    totalWeight -= entries.get(key)?.weight ?? 0
    entries.delete(key)
  }
  const set = (key: Key, value: Value) => {
    remove(key)
    const weight = weigh(value)
    entries.set(key, { value, weight })
    totalWeight += weight
    for (const oldest of entries.keys()) {
      if (totalWeight <= limit) return
      remove(oldest)
    }
  }
  return {
    get: (key) => use(key)?.value,
    getOrCreate(key, create) {
      const entry = use(key)
      if (entry !== undefined) return entry.value
      const value = create()
      set(key, value)
      return value
    },
    set,
    delete: remove,
    clear() {
      entries.clear()
      totalWeight = 0
    },
  }
}
