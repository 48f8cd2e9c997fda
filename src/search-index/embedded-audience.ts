// The readers that a writer tells of each change, and waits for.
import type { MessagePort } from 'node:worker_threads'
import type { ViewChange } from '../engine/index-view.ts'
import type { Update } from './embedded-messages.ts'

export interface Audience {
  /** Resolves when every reader sees the change. Changes arrive in the order of the calls. */
  tell(change: ViewChange, position: number): Promise<void>
}

export function createAudience(readers: readonly MessagePort[]): Audience {
  const waiting = new Map<number, { missing: number; resolve: () => void }>()
  let version = 0
  for (const reader of readers) {
    reader.on('message', (seen: number) => {
      const waiter = waiting.get(seen)!
      if (--waiter.missing > 0) return
      waiting.delete(seen)
      waiter.resolve()
    })
  }
  return {
    tell: (change, position) =>
      new Promise((resolve) => {
        version++
        waiting.set(version, { missing: readers.length, resolve })
        for (const reader of readers) reader.postMessage({ version, position, change } satisfies Update)
      }),
  }
}
