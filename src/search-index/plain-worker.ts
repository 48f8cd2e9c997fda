import { parentPort } from 'node:worker_threads'
import type { Query } from '../domain/query.ts'
import { openPlainIndex } from './plain.ts'
import type { IndexBatch } from './search-index.ts'
import type { HostReply, HostRequest } from './worker-host.ts'

const index = openPlainIndex()
const port = parentPort!

port.on('message', ({ id, method, argument }: HostRequest) => {
  answer(method, argument).then(
    (result) => port.postMessage({ id, result } satisfies HostReply),
    (error: Error) => port.postMessage({ id, error: error.message } satisfies HostReply),
  )
})

// The other side of the thread is `hostIndex`, which sends each method its own argument.
function answer(method: HostRequest['method'], argument: unknown): Promise<unknown> {
  if (method === 'apply') return index.apply(argument as IndexBatch)
  return method === 'search' ? index.search(argument as Query) : index.stats()
}
