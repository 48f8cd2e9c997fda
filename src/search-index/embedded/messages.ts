// The messages between the threads of the embedded index.
import type { MessagePort } from 'node:worker_threads'
import type { Query, TermsQuery } from '../../domain/search/query.ts'
import { CorruptIndexError, type CorruptionKind } from '../../engine/codec/corrupt-index-error.ts'
import type { BuiltBatch } from '../../engine/segment/build-segment.ts'
import type { ViewChange } from '../../engine/segment/index-view.ts'
import { isOutOfFiles } from '../../engine/segment/out-of-files.ts'
import type { VectorImage } from '../../engine/vectors/vector-rows.ts'
import type { VectorSettings } from '../../engine/vectors/vector-store.ts'
import type { ChunkId, ChunkIdWithLanguage, IndexBatch } from '../search-index.ts'
import type { VectorReaderRequest, VectorWriterRequest } from './vectors.ts'

export interface WriterSettings {
  dir: string
  record: string
  readers: MessagePort[]
  /** For tests: kills the process at the nth pass of a named step, as in "flush-synced:2". */
  failpoint: string | null
  memoryPassages: number
  flushAfterMs: number
  mergeFloor: number
  /** 0 for no limit. */
  mergeBytesPerSecond: number
  vectors: VectorSettings | undefined
}

export interface ReaderSettings {
  updates: MessagePort
  /** Absent if the index holds no vectors. `scanner` is the number of the reader thread. */
  vectors: { dir: string; image: VectorImage; scanner: number } | undefined
}

/**
 * Text analysis takes most of the indexing time. It has its own thread, so that it neither waits for merges nor delays
 * them.
 */
export interface BuilderRequest {
  id: number
  batch: IndexBatch
}

export type WriterRequest =
  | { id: number; method: 'apply'; batch: BuiltBatch }
  | { id: number; method: 'flush' | 'invalidate' }
  | ({ id: number } & VectorWriterRequest)

/** Why an index is empty: there was none, or it could not be used. */
export interface EmptyReason {
  reason: CorruptionKind | 'missing'
  detail: string
}

/** Messages without an id are not replies. */
export type WriterEvent =
  | { event: 'opened'; position: number; emptyReason: EmptyReason | null; vectorDropReasons: readonly string[] }
  | { event: 'stalled'; reason: string; detail: string }
  | { event: 'resumed' }

export type ReaderRequest =
  | { id: number; method: 'search'; query: Query }
  | { id: number; method: 'chunks'; chunkIds: readonly ChunkId[] }
  | { id: number; method: 'chunksWithMatches'; query: string; chunkIds: readonly ChunkIdWithLanguage[] }
  | { id: number; method: 'terms'; query: TermsQuery }
  | { id: number; method: 'stats' }
  | ({ id: number } & VectorReaderRequest)

export type ThreadReply = { id: number; result: unknown } | FailureReply

export interface FailureReply {
  id: number
  error: string
  /** "damage": the index is damaged. "files": the process has no file descriptor left at the moment. */
  kind: 'damage' | 'files' | 'other'
}

export const createFailureReply = (id: number, error: unknown): FailureReply => ({
  id,
  error: String(error),
  kind: error instanceof CorruptIndexError ? 'damage' : isOutOfFiles(error) ? 'files' : 'other',
})

/** Sent by the writer to each reader, which replies with `version` when its searches see the change. */
export interface ViewUpdate {
  version: number
  position: number
  change: ViewChange
}
