// Starts the threads of the embedded index and sends them requests.
import { Worker } from 'node:worker_threads'
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import type { BuiltBatch } from '../../engine/segment/build-segment.ts'
import { isOutOfFiles } from '../../engine/segment/out-of-files.ts'
import type { IndexBatch } from '../search-index.ts'
import type { BuilderMethods, FailureReply, RequestFor, ThreadMethods, ThreadReply, WriterEvent } from './messages.ts'

/** A small young generation: it saved 150 of 750 MB while 150,000 chunks were indexed. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 16 }

/** The index was found to be damaged while it was read. */
export class CorruptReadError extends Error {}

export interface ThreadLifecycle {
  isClosing: boolean
  onFatal: (error: Error) => void
}

export interface IndexThread<Methods extends ThreadMethods<Methods>> {
  worker: Worker
  pending: Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>
  sendRequest: <Name extends keyof Methods>(request: RequestFor<Methods, Name>) => Promise<Methods[Name]['result']>
}

export function startIndexThread<Methods extends ThreadMethods<Methods>>(
  module: URL,
  workerData: object,
  transferList: NonNullable<ConstructorParameters<typeof Worker>[1]>['transferList'] & object,
  lifecycle: ThreadLifecycle,
): IndexThread<Methods> {
  const worker = new Worker(module, { workerData, transferList, resourceLimits: RESOURCE_LIMITS })
  const pending: IndexThread<Methods>['pending'] = new Map()
  let lastId = 0
  let ended: Error | undefined
  let outbox: object[] = []
  const send = () => {
    worker.postMessage(outbox)
    outbox = []
  }
  const end = (cause: Error) => {
    const error = isOutOfFiles(cause) ? new AppError('OUT_OF_FILES', {}, { cause }) : cause
    ended ??= error
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
    if (!lifecycle.isClosing) lifecycle.onFatal(error)
  }
  worker.on('error', end)
  worker.on('exit', () => end(new Error('an index thread exited')))
  worker.on('message', (reply: ThreadReply | WriterEvent) => {
    if ('event' in reply) return
    const caller = pending.get(reply.id)
    // The thread has ended, and the caller knows.
    if (caller === undefined) return
    pending.delete(reply.id)
    // A port delivers up to a thousand messages in a row, and each of them may let a search send its next request. The
    // result is therefore passed on in the next turn of the event loop, so that sockets and timers are served.
    setImmediate(() => {
      // A thread answers a request with the result of its method.
      if ('result' in reply) caller.resolve(reply.result as never)
      else caller.reject(toError(reply))
    })
  })
  const sendRequest: IndexThread<Methods>['sendRequest'] = (request) =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(ended)
      const id = ++lastId
      pending.set(id, { resolve, reject })
      // Waking a thread costs more than most requests, so all requests of one turn are sent together.
      if (outbox.length === 0) setImmediate(send)
      outbox.push({ ...request, id })
    })
  return { worker, pending, sendRequest }
}

function toError({ kind, error }: FailureReply): Error {
  if (kind === 'damage') return new CorruptReadError(error)
  return kind === 'files' ? new AppError('OUT_OF_FILES', {}, { cause: new Error(error) }) : new Error(error)
}

export interface SegmentBuilder {
  /** Resolves in the order of the calls. */
  build(batch: IndexBatch): Promise<BuiltBatch>
  stop(): Promise<unknown>
}

/**
 * The thread starts with the first document, so an index that is only searched has none. It holds no state: if it ends,
 * its pending requests fail, and the next batch starts another thread.
 */
export function createSegmentBuilder(logger: Logger): SegmentBuilder {
  let thread: IndexThread<BuilderMethods> | undefined
  const start = () => {
    const onFatal = (error: Error) => {
      if (thread !== started) return
      thread = undefined
      logger.error({ err: error }, 'index builder thread exited; the next batch starts another one')
    }
    const lifecycle = { isClosing: false, onFatal }
    const started = startIndexThread<BuilderMethods>(new URL('./builder.ts', import.meta.url), {}, [], lifecycle)
    return started
  }
  return {
    async build(batch) {
      if (thread === undefined && batch.upserts.length === 0)
        return { image: null, keys: batch.deletes, position: batch.position }
      thread ??= start()
      return thread.sendRequest({ method: 'build', batch })
    },
    async stop() {
      const last = thread
      thread = undefined
      await last?.worker.terminate()
    },
  }
}
