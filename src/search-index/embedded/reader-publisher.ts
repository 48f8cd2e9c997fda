// Publishes each change of the writer to the readers and waits for them.
import type { MessagePort } from 'node:worker_threads'
import type { ViewChange } from '../../engine/segment/index-view.ts'
import type { ViewUpdate } from './messages.ts'

export interface ReaderPublisher {
  /** Resolves when every reader sees the change. Changes arrive in the order of the calls. */
  publish(change: ViewChange, position: number): Promise<void>
}

export function createReaderPublisher(readers: readonly MessagePort[]): ReaderPublisher {
  const pending = new Map<number, { missing: number; resolve: () => void }>()
  let version = 0
  for (const reader of readers) {
    reader.on('message', (acknowledged: number) => {
      const waiter = pending.get(acknowledged)
      if (waiter === undefined || --waiter.missing > 0) return
      pending.delete(acknowledged)
      waiter.resolve()
    })
  }
  return {
    publish: (change, position) =>
      new Promise((resolve) => {
        version++
        pending.set(version, { missing: readers.length, resolve })
        for (const reader of readers) reader.postMessage({ version, position, change } satisfies ViewUpdate)
      }),
  }
}
