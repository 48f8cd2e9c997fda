// What the threads of the embedded index say to each other.
import type { MessagePort } from 'node:worker_threads'
import type { Query, TermsQuery } from '../domain/query.ts'
import type { BuiltBatch } from '../engine/build-segment.ts'
import type { DamageKind } from '../engine/damage.ts'
import type { ViewChange } from '../engine/index-view.ts'
import type { VectorImage } from '../engine/vector-rows.ts'
import type { VectorSettings } from '../engine/vector-store.ts'
import type { VectorReaderRequest, VectorWriterRequest } from './embedded-vectors.ts'
import type { ChunkPlace, IndexBatch, SightedPlace } from './search-index.ts'

export interface WriterSettings {
  dir: string
  record: string
  readers: MessagePort[]
  /** For tests: kills the process at the nth passing of a named step, "flush-synced:2". */
  failpoint: string | null
  memoryEntries: number
  flushAfterMs: number
  mergeFloor: number
  /** 0 for no limit. */
  mergeBytesPerSecond: number
  vectors: VectorSettings | undefined
}

export interface ReaderSettings {
  updates: MessagePort
  /** Absent when the index holds none. `scanner` is the number of the reader. */
  vectors: { dir: string; image: VectorImage; scanner: number } | undefined
}

/** What analysis takes most of the time for, so that it does not wait for merges, nor they for it. */
export interface BuilderRequest {
  id: number
  batch: IndexBatch
}

export type WriterRequest =
  | { id: number; method: 'apply'; batch: BuiltBatch }
  | { id: number; method: 'flush' | 'distrust' }
  | ({ id: number } & VectorWriterRequest)

/** Why an index is empty: there was none, or it could not be used. */
export interface Beginning {
  reason: DamageKind | 'missing'
  detail: string
}

/** Without an id: news that nobody asked for. */
export type WriterNews =
  | { news: 'opened'; position: number; beginning: Beginning | null; vectorLosses: readonly string[] }
  | { news: 'stalled'; reason: string }

export type ReaderRequest =
  | { id: number; method: 'search'; query: Query }
  | { id: number; method: 'chunks'; places: readonly ChunkPlace[] }
  | { id: number; method: 'sighted'; query: string; places: readonly SightedPlace[] }
  | { id: number; method: 'terms'; query: TermsQuery }
  | { id: number; method: 'stats' }
  | ({ id: number } & VectorReaderRequest)

export type Reply = { id: number; result: unknown } | { id: number; error: string; isDamage: boolean }

/** From the writer to each reader, which answers with `version` when its searches see the change. */
export interface Update {
  version: number
  position: number
  change: ViewChange
}
