// What the threads of the embedded index say to each other.
import type { MessagePort } from 'node:worker_threads'
import type { Query } from '../domain/query.ts'
import type { DamageKind } from '../engine/damage.ts'
import type { ViewChange } from '../engine/index-view.ts'
import type { IndexBatch } from './search-index.ts'

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
}

export type WriterRequest =
  | { id: number; method: 'apply'; batch: IndexBatch }
  | { id: number; method: 'flush' | 'distrust' }

/** Why an index is empty: there was none, or it could not be used. */
export interface Beginning {
  reason: DamageKind | 'missing'
  detail: string
}

/** Without an id: news that nobody asked for. */
export type WriterNews =
  | { news: 'opened'; position: number; beginning: Beginning | null }
  | { news: 'stalled'; reason: string }

export type ReaderRequest = { id: number; method: 'search'; query: Query } | { id: number; method: 'stats' }

export type Reply = { id: number; result: unknown } | { id: number; error: string; isDamage: boolean }

/** From the writer to each reader, which answers with `version` when its searches see the change. */
export interface Update {
  version: number
  position: number
  change: ViewChange
}
