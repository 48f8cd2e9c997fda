// The index inside the process: a thread that analyses, one that writes, and threads that search over the same memory.
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Chunk } from '../domain/chunk.ts'
import type { Logger } from '../domain/logger.ts'
import type { BuiltBatch } from '../engine/build-segment.ts'
import type {
  Beginning,
  BuilderRequest,
  ReaderRequest,
  ReaderSettings,
  Reply,
  WriterNews,
  WriterRequest,
  WriterSettings,
} from './embedded-messages.ts'
import { vectorMethods, vectorSettings } from './embedded-vectors.ts'
import type { FoundTerm, IndexBatch, IndexStats, SearchIndex, SearchResult, VectorOptions } from './search-index.ts'
import { type PackedSightings, unpackSightings } from './sighted.ts'

export interface EmbeddedOptions {
  dir: string
  /** The identity of what its positions count in; an index of another one begins anew. */
  record?: string
  logger: Logger
  /** The index can no longer be trusted to be written: the process should end and start again. */
  onFatal: (error: Error) => void
  /** Absent: the index holds no vectors, and drops those it had. */
  vectors?: VectorOptions | undefined
  /** Threads that search. */
  readers?: number
  /** For tests: kills the process at the nth passing of a named step, "flush-synced:2". */
  failpoint?: string | null
  /** Entries in memory at which they are brought to disk. */
  memoryEntries?: number
  /** How long a change may stay in memory alone. */
  flushAfterMs?: number
  /** Segments smaller than this count as this large when it is decided what to merge. */
  mergeFloor?: number
  /** What merges may write; 0 for no limit. */
  mergeBytesPerSecond?: number
}

export interface EmbeddedIndex extends SearchIndex {
  /** Why it is empty, or null when there was something to open. */
  readonly beginning: Beginning | null
  /** Resolves when everything that was applied is on disk. */
  flush(): Promise<void>
  /** Ends as `close` does, but brings nothing to disk: for an index that nobody will open again. */
  discard(): Promise<void>
}

/**
 * Opens the index in the folder, or an empty one at position 0 when there is none or it is damaged: whoever follows the
 * record from that position fills it again.
 */
export async function openEmbeddedIndex(options: EmbeddedOptions): Promise<EmbeddedIndex> {
  const { dir, record = '', logger, onFatal, readers = 1, failpoint = null } = options
  const { memoryEntries = 8_192, flushAfterMs = 5_000, mergeFloor = 4_096, mergeBytesPerSecond = 0 } = options
  const channels = Array.from({ length: readers }, () => new MessageChannel())
  const ports = channels.map((it) => it.port1)
  const vectors = vectorSettings(options.vectors, readers)
  const settings: WriterSettings = {
    dir,
    record,
    readers: ports,
    failpoint,
    memoryEntries,
    flushAfterMs,
    mergeFloor,
    mergeBytesPerSecond,
    vectors,
  }
  const ends = { isClosing: false, onFatal }
  const readerThreads = channels.map(({ port2 }, scanner) => {
    const own: ReaderSettings = { updates: port2, vectors: vectors && { dir, image: vectors.image, scanner } }
    return startThread<ReaderRequest>(new URL('./embedded-reader.ts', import.meta.url), own, [port2], ends)
  })
  const writer = startThread<WriterRequest>(new URL('./embedded-writer.ts', import.meta.url), settings, ports, ends)
  const build = createBuilder(ends)
  /** Settles when the writer has every batch that was applied so far. */
  let handedOver: Promise<unknown> = Promise.resolve()
  const beginning = await opened(writer.worker, logger)
  const guarded = async (asked: Promise<unknown>) => {
    try {
      return await asked
    } catch (error) {
      if (error instanceof DamageReport) await distrust(writer, onFatal, error)
      throw error
    }
  }
  const discard = async () => {
    ends.isClosing = true
    await Promise.all([build.end(), ...[writer, ...readerThreads].map((it) => it.worker.terminate())])
  }
  const flush = async () => {
    await handedOver
    await writer.ask({ method: 'flush' })
  }
  return {
    beginning,
    apply: async (batch: IndexBatch) => {
      const handing = build.batch(batch).then((built) => ({ answer: writer.ask({ method: 'apply', batch: built }) }))
      handedOver = handing.catch(() => {})
      await (await handing).answer
    },
    search: async (query) => (await guarded(leastBusy(readerThreads).ask({ method: 'search', query }))) as SearchResult,
    chunks: async (places) =>
      (await guarded(leastBusy(readerThreads).ask({ method: 'chunks', places }))) as (Chunk | null)[],
    sighted: async (query, places) => {
      const found = await guarded(leastBusy(readerThreads).ask({ method: 'sighted', query, places }))
      return unpackSightings(found as PackedSightings)
    },
    terms: async (query) => (await guarded(leastBusy(readerThreads).ask({ method: 'terms', query }))) as FoundTerm[],
    ...vectorMethods({
      options: options.vectors,
      logger,
      askReader: (request) => guarded(leastBusy(readerThreads).ask(request)),
      askWriter: (request) => guarded(writer.ask(request)),
    }),
    stats: async () => (await readerThreads[0]!.ask({ method: 'stats' })) as IndexStats,
    flush,
    close: async () => {
      await flush()
      await discard()
    },
    discard,
  }
}

/** A small young generation: it saved 150 MB of 750 while 150,000 chunks came in. */
const LIMITS = { maxYoungGenerationSizeMb: 16 }

/** The index was found damaged while it was read. */
class DamageReport extends Error {}

type WithoutId<R> = R extends { id: number } ? Omit<R, 'id'> : never

interface Thread<R> {
  worker: Worker
  open: Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>
  ask: (request: WithoutId<R>) => Promise<unknown>
}

function startThread<R extends { id: number }>(
  module: URL,
  workerData: object,
  transferList: NonNullable<ConstructorParameters<typeof Worker>[1]>['transferList'] & object,
  ends: { isClosing: boolean; onFatal: (error: Error) => void },
): Thread<R> {
  const worker = new Worker(module, { workerData, transferList, resourceLimits: LIMITS })
  const open: Thread<R>['open'] = new Map()
  let lastId = 0
  let ended: Error | undefined
  let outbox: R[] = []
  const send = () => {
    worker.postMessage(outbox)
    outbox = []
  }
  const end = (error: Error) => {
    ended ??= error
    for (const { reject } of open.values()) reject(error)
    open.clear()
    if (!ends.isClosing) ends.onFatal(error)
  }
  worker.on('error', end)
  worker.on('exit', () => end(new Error('a thread of the index ended')))
  worker.on('message', (reply: Reply | WriterNews) => {
    if ('news' in reply) return
    const asker = open.get(reply.id)!
    open.delete(reply.id)
    // A port gives up to a thousand messages in a row, and each of these lets a search ask the next question: what is
    // done with the answer waits for the next round of the event loop, so that sockets and timers get their turn.
    setImmediate(() => {
      if ('result' in reply) asker.resolve(reply.result)
      else asker.reject(reply.isDamage ? new DamageReport(reply.error) : new Error(reply.error))
    })
  })
  const ask = (request: WithoutId<R>) =>
    new Promise<unknown>((resolve, reject) => {
      if (ended !== undefined) return reject(ended)
      const id = ++lastId
      open.set(id, { resolve, reject })
      // To wake a thread costs more than most of what it is asked: all that comes up in one round goes together.
      if (outbox.length === 0) setImmediate(send)
      outbox.push({ ...request, id } as unknown as R)
    })
  return { worker, open, ask }
}

interface Builder {
  /** Answers in the order of the calls. */
  batch(batch: IndexBatch): Promise<BuiltBatch>
  end(): Promise<unknown>
}

/** Its thread starts with the first document: an index that is only searched goes without. */
function createBuilder(ends: { isClosing: boolean; onFatal: (error: Error) => void }): Builder {
  let thread: Thread<BuilderRequest> | undefined
  const start = () => startThread<BuilderRequest>(new URL('./embedded-builder.ts', import.meta.url), {}, [], ends)
  return {
    async batch(batch) {
      if (thread === undefined && batch.upserts.length === 0)
        return { image: null, keys: batch.deletes, position: batch.position }
      thread ??= start()
      return (await thread.ask({ batch })) as BuiltBatch
    },
    end: async () => thread?.worker.terminate(),
  }
}

const leastBusy = (readers: readonly Thread<ReaderRequest>[]): Thread<ReaderRequest> =>
  readers.reduce((best, it) => (it.open.size < best.open.size ? it : best))

function opened(worker: Worker, logger: Logger): Promise<Beginning | null> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.on('message', (message: Reply | WriterNews) => {
      if (!('news' in message)) return
      if (message.news === 'stalled') {
        logger.error({ reason: message.reason }, 'the index cannot be written to disk; trying again soon')
        return
      }
      const { beginning, position, vectorLosses } = message
      for (const reason of vectorLosses) logger.warn({ reason }, 'vectors are dropped and have to be made again')
      if (beginning !== null && beginning.reason !== 'missing')
        logger.warn(
          { damage: beginning.detail },
          'the index is damaged or not ours and is filled again from the record',
        )
      else logger.info({ position }, 'index opened')
      worker.off('error', reject)
      resolve(beginning)
    })
  })
}

/** The next start finds no manifest and fills the index again. */
async function distrust(writer: Thread<WriterRequest>, onFatal: (error: Error) => void, error: Error): Promise<void> {
  await writer.ask({ method: 'distrust' })
  onFatal(error)
}
