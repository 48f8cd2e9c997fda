// The index inside the process: a builder thread, a writer thread, and reader threads that search the same shared
// memory.
import { MessageChannel, type Worker } from 'node:worker_threads'
import type { Logger } from '../../domain/logger.ts'
import { unpackMatches } from '../chunk-matches.ts'
import type { IndexBatch, SearchIndex, VectorOptions } from '../search-index.ts'
import type {
  EmptyReason,
  ReaderMethods,
  ReaderSettings,
  ThreadReply,
  WriterEvent,
  WriterMethods,
  WriterSettings,
} from './messages.ts'
import {
  CorruptReadError,
  createSegmentBuilder,
  type IndexThread,
  startIndexThread,
  type ThreadLifecycle,
} from './threads.ts'
import { createVectorSettings, embeddedVectorMethods } from './vectors.ts'

export interface EmbeddedOptions {
  dir: string
  /** Identifies the record that the positions refer to. An index of another record starts empty. */
  record?: string
  logger: Logger
  /** The index cannot be written reliably any more; the process should exit and start again. */
  onFatal: (error: Error) => void
  /** Absent if the index holds no vectors; then it drops those it had. */
  vectors?: VectorOptions | undefined
  /** The number of reader threads. */
  readers?: number
  /** For tests: kills the process at the nth pass of a named step, as in "flush-synced:2". */
  failpoint?: string | null
  /** The number of passages in memory that triggers a flush. */
  memoryPassages?: number
  /** The longest time that a change may stay only in memory. */
  flushAfterMs?: number
  /** Smaller segments are treated as this large by the merge policy. */
  mergeFloor?: number
  /** The write rate limit of merges; 0 for no limit. */
  mergeBytesPerSecond?: number
}

export interface EmbeddedIndex extends SearchIndex {
  /** Why the index is empty, or null if an existing one was opened. */
  readonly emptyReason: EmptyReason | null
  /** Resolves when everything that was applied is on disk. */
  flush(): Promise<void>
  /** Like `close` but without a flush, for an index that will not be opened again. */
  discard(): Promise<void>
}

/**
 * Opens the index in the folder, or an empty one at position 0 if there is none or it is damaged. The follower of the
 * record then rebuilds it from that position.
 */
export async function openEmbeddedIndex(options: EmbeddedOptions): Promise<EmbeddedIndex> {
  const { logger, onFatal } = options
  const opening = Promise.withResolvers<never>()
  const lifecycle: ThreadLifecycle = { isClosing: false, onFatal: opening.reject }
  const { writer, readerThreads } = startThreads(options, lifecycle)
  const builder = createSegmentBuilder(logger)
  /** Settles when the writer has received every batch that was applied so far. */
  let handedOver: Promise<unknown> = Promise.resolve()
  const discard = async () => {
    lifecycle.isClosing = true
    await Promise.all([builder.stop(), ...[writer, ...readerThreads].map((it) => it.worker.terminate())])
  }
  const stalled = trackStalls(writer.worker, logger)
  const emptyReason = await Promise.race([waitUntilOpened(writer.worker, logger), opening.promise]).catch(
    async (error) => {
      await discard()
      throw error
    },
  )
  lifecycle.onFatal = onFatal
  const guardCorruption = async <T>(request: Promise<T>): Promise<T> => {
    try {
      return await request
    } catch (error) {
      if (error instanceof CorruptReadError) await invalidateIndex(writer, onFatal, error)
      throw error
    }
  }
  const requestReader: IndexThread<ReaderMethods>['sendRequest'] = (request) =>
    guardCorruption(leastBusy(readerThreads).sendRequest(request))
  const flush = async () => {
    await handedOver
    await writer.sendRequest({ method: 'flush' })
  }
  return {
    emptyReason,
    apply: async (batch: IndexBatch) => {
      const handOver = builder
        .build(batch)
        .then((built) => ({ answer: writer.sendRequest({ method: 'apply', batch: built }) }))
      handedOver = handOver.catch(() => {})
      await (await handOver).answer
    },
    search: (query) => requestReader({ method: 'search', query }),
    chunks: (chunkIds) => requestReader({ method: 'chunks', chunkIds }),
    chunksWithMatches: async (query, chunkIds) =>
      unpackMatches(await requestReader({ method: 'chunksWithMatches', query, chunkIds })),
    terms: (query) => requestReader({ method: 'terms', query }),
    ...embeddedVectorMethods({
      options: options.vectors,
      logger,
      reader: {
        nearest: (it) => requestReader({ method: 'nearest', ...it }),
        candidates: (it) => requestReader({ method: 'candidates', ...it }),
      },
      writer: {
        setVectors: (it) => guardCorruption(writer.sendRequest({ method: 'setVectors', ...it })),
        chunksWithoutVector: (it) => guardCorruption(writer.sendRequest({ method: 'chunksWithoutVector', ...it })),
        dropDamaged: (it) => guardCorruption(writer.sendRequest({ method: 'dropDamaged', ...it })),
      },
    }),
    stats: async () => ({
      ...(await leastBusy(readerThreads).sendRequest({ method: 'stats' })),
      stalled: stalled(),
    }),
    flush,
    close: async () => {
      await flush()
      await discard()
    },
    discard,
  }
}

/** Each reader has a channel on which the writer announces new segments. */
function startThreads(options: EmbeddedOptions, lifecycle: ThreadLifecycle) {
  const { dir, record = '', readers = 1, failpoint = null } = options
  const { memoryPassages = 8_192, flushAfterMs = 5_000, mergeFloor = 4_096, mergeBytesPerSecond = 0 } = options
  const channels = Array.from({ length: readers }, () => new MessageChannel())
  const ports = channels.map((it) => it.port1)
  const vectors = createVectorSettings(options.vectors, readers)
  const settings: WriterSettings = {
    dir,
    record,
    readers: ports,
    failpoint,
    memoryPassages,
    flushAfterMs,
    mergeFloor,
    mergeBytesPerSecond,
    vectors,
  }
  const readerThreads = channels.map(({ port2 }, scanner) => {
    const own: ReaderSettings = { updates: port2, vectors: vectors && { dir, image: vectors.image, scanner } }
    return startIndexThread<ReaderMethods>(new URL('./reader.ts', import.meta.url), own, [port2], lifecycle)
  })
  const writer = startIndexThread<WriterMethods>(new URL('./writer.ts', import.meta.url), settings, ports, lifecycle)
  return { writer, readerThreads }
}

const leastBusy = (readers: readonly IndexThread<ReaderMethods>[]): IndexThread<ReaderMethods> =>
  readers.reduce((best, it) => (it.pending.size < best.pending.size ? it : best))

/** Returns a function that gives the reason why nothing can be written to disk at the moment, or null. */
function trackStalls(worker: Worker, logger: Logger): () => string | null {
  let stalled: string | null = null
  worker.on('message', (message: ThreadReply | WriterEvent) => {
    if (!('event' in message)) return
    if (message.event === 'stalled') {
      const { reason, detail } = message
      logger.error({ reason, detail }, 'index flush failed; will be retried')
      stalled = reason
    }
    if (message.event === 'resumed') {
      logger.info({}, 'index flush recovered')
      stalled = null
    }
  })
  return () => stalled
}

function waitUntilOpened(worker: Worker, logger: Logger): Promise<EmptyReason | null> {
  return new Promise((resolve) => {
    worker.on('message', (message: ThreadReply | WriterEvent) => {
      if (!('event' in message) || message.event !== 'opened') return
      const { emptyReason, position, vectorDropReasons } = message
      for (const reason of vectorDropReasons) logger.warn({ reason }, 'vectors dropped; they will be computed again')
      if (emptyReason !== null && emptyReason.reason !== 'missing')
        logger.warn({ damage: emptyReason.detail }, 'index discarded as unusable; it will be rebuilt from the record')
      else logger.info({ position }, 'index opened')
      resolve(emptyReason)
    })
  })
}

/** Without a manifest, the next start rebuilds the index. */
async function invalidateIndex(
  writer: IndexThread<WriterMethods>,
  onFatal: (error: Error) => void,
  error: Error,
): Promise<void> {
  await writer.sendRequest({ method: 'invalidate' })
  onFatal(error)
}
