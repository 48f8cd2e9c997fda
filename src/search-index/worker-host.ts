// Runs an index in a thread of its own, behind the same port.
import { Worker } from 'node:worker_threads'
import type { SearchIndex } from './search-index.ts'

type Method = Exclude<keyof SearchIndex, 'close'>
export interface HostRequest {
  id: number
  method: Method
  argument: unknown
}
export type HostReply = { id: number; result: unknown } | { id: number; error: string }

/** `module` is run as the thread; it answers each request with what its index answers. */
export function hostIndex(module: URL, onFatal: (error: Error) => void): SearchIndex {
  const worker = new Worker(module)
  const open = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>()
  let lastId = 0
  worker.on('error', onFatal)
  worker.on('message', (reply: HostReply) => {
    const asker = open.get(reply.id)!
    open.delete(reply.id)
    if ('error' in reply) asker.reject(new Error(reply.error))
    else asker.resolve(reply.result as never)
  })
  const ask = <R>(method: Method, argument: unknown) =>
    new Promise<R>((resolve, reject) => {
      const id = ++lastId
      open.set(id, { resolve, reject })
      worker.postMessage({ id, method, argument } satisfies HostRequest)
    })
  return {
    apply: (batch) => ask('apply', batch),
    search: (query) => ask('search', query),
    stats: () => ask('stats', undefined),
    close: async () => {
      await worker.terminate()
    },
  }
}
