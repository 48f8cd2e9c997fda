// The messages between the threads of the embedded index.
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { Chunk } from '../../domain/chunk.ts'
import type { Query, TermsQuery } from '../../domain/search/query.ts'
import { CorruptIndexError, type CorruptionKind } from '../../engine/codec/corrupt-index-error.ts'
import type { BuiltBatch } from '../../engine/segment/build-segment.ts'
import type { ViewChange } from '../../engine/segment/index-view.ts'
import { isOutOfFiles } from '../../engine/segment/out-of-files.ts'
import type { VectorImage } from '../../engine/vectors/vector-rows.ts'
import type { VectorSettings } from '../../engine/vectors/vector-store.ts'
import type { PackedMatches } from '../chunk-matches.ts'
import type {
  CandidateQuery,
  ChunkId,
  ChunkIdWithLanguage,
  Hit,
  IndexBatch,
  IndexStats,
  NearestQuery,
  SearchResult,
  TermSuggestion,
  UnembeddedPage,
} from '../search-index.ts'
import type { PackedCandidates } from './candidates/packed-candidates.ts'

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

/** The parameters and the result of a method of a thread. */
export interface ThreadMethod<Parameters extends object = object, Result = unknown> {
  parameters: Parameters
  result: Result
}

export type ThreadMethods<Methods> = { [Name in keyof Methods]: ThreadMethod }

export type RequestFor<Methods extends ThreadMethods<Methods>, Name extends keyof Methods> = {
  method: Name
} & Methods[Name]['parameters']

/** A request to a thread with these methods. */
export type ThreadRequest<Methods extends ThreadMethods<Methods>> = {
  [Name in keyof Methods]: { id: number } & RequestFor<Methods, Name>
}[keyof Methods]

/** One function for each method. */
export type MethodCalls<Methods extends ThreadMethods<Methods>> = {
  [Name in keyof Methods]: (parameters: Methods[Name]['parameters']) => Promise<Methods[Name]['result']>
}

/** Vectors in a message to the writer, in one contiguous array. */
export interface PackedVectors {
  chunks: { document_id: string; chunk_ind: number; hash: string }[]
  values: Float32Array
}

export interface VectorWriterMethods {
  setVectors: ThreadMethod<{ vectors: PackedVectors }, null>
  chunksWithoutVector: ThreadMethod<{ limit: number; after: string | undefined }, UnembeddedPage>
  /** Returns the number of vectors that were dropped. */
  dropDamaged: ThreadMethod<{ slots: number[] }, number>
}

export interface VectorReaderMethods {
  nearest: ThreadMethod<{ query: NearestQuery }, VectorReadResult<{ hits: Hit[] }>>
  candidates: ThreadMethod<{ query: CandidateQuery }, VectorReadResult<PackedCandidates>>
}

export interface VectorReadResult<T> {
  found: T
  /** Slots that the reader found damaged; they must be reported to the writer. */
  damaged: number[]
}

/**
 * Text analysis takes most of the indexing time. It has its own thread, so that it neither waits for merges nor delays
 * them.
 */
export interface BuilderMethods {
  build: ThreadMethod<{ batch: IndexBatch }, BuiltBatch>
}

export interface WriterMethods extends VectorWriterMethods {
  apply: ThreadMethod<{ batch: BuiltBatch }, null>
  flush: ThreadMethod<object, null>
  invalidate: ThreadMethod<object, null>
}

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

export interface ReaderMethods extends VectorReaderMethods {
  search: ThreadMethod<{ query: Query }, SearchResult>
  chunks: ThreadMethod<{ chunkIds: readonly ChunkId[] }, (Chunk | null)[]>
  chunksWithMatches: ThreadMethod<{ query: string; chunkIds: readonly ChunkIdWithLanguage[] }, PackedMatches>
  terms: ThreadMethod<{ query: TermsQuery }, TermSuggestion[]>
  stats: ThreadMethod<object, IndexStats>
}

/** The port to the main thread. */
export function getMainPort(): MessagePort {
  if (parentPort === null) throw new Error('this module runs only in a worker thread')
  return parentPort
}

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
