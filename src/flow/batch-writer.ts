// Collects items in memory and writes them in batches, so that no caller waits for a write. A crash loses the last
// moment.

export interface BatchWriter<Item> {
  /** Never fails and never waits. Drops an item that the batch has no room for. */
  add(item: Item): void
  /** Writes the pending items, after all earlier batches. Never rejects. */
  flush(): Promise<void>
}

export interface BatchWriterSettings<Item> {
  write: (batch: Item[]) => Promise<void>
  /** The time from the first item of a batch to its write. */
  delayMs: number
  /** The maximum number of items that wait for a write. */
  maxPending: number
  /** Pending items with the same key become one. */
  merging?: { keyOf(item: Item): string; merge(pending: Item, item: Item): Item }
  /** Called at the write of a batch that had no room for some items. */
  onDropped?(count: number): void
  /** The batch could not be written and is lost. */
  onError(error: unknown): void
}

export function createBatchWriter<Item>(settings: BatchWriterSettings<Item>): BatchWriter<Item> {
  const { write, delayMs, maxPending, merging, onDropped, onError } = settings
  let pending = new Map<unknown, Item>()
  let droppedCount = 0
  let timer: NodeJS.Timeout | undefined
  let lastWrite = Promise.resolve()
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const batch = [...pending.values()]
    pending = new Map()
    if (droppedCount > 0) onDropped?.(droppedCount)
    droppedCount = 0
    if (batch.length > 0) lastWrite = lastWrite.then(() => write(batch)).catch(onError)
    return lastWrite
  }
  return {
    add(item) {
      const key = merging?.keyOf(item) ?? Symbol()
      const known = pending.get(key)
      if (known !== undefined && merging !== undefined) pending.set(key, merging.merge(known, item))
      else if (pending.size < maxPending) pending.set(key, item)
      else droppedCount++
      timer ??= setTimeout(flush, delayMs).unref()
    },
    flush,
  }
}
