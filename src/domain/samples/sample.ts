// The measurements of one process in one period, and how those of several periods and processes become one.
import { addDurations, type DurationCounts } from './durations.ts'

/** Why changes of documents wait: for their turn, because the index takes none, or for a retry after a failure. */
export const WAIT_REASONS = ['in_turn', 'index_stalled', 'retry'] as const
export type WaitReason = (typeof WAIT_REASONS)[number]

export interface OldestWaiting {
  age_s: number
  reason: WaitReason
  /** A sentence of the index or of the failed attempt. */
  detail: string | null
}

/** The counters begin at 0 with each period. A value that is read at its end is null if it could not be read. */
export interface Sample {
  /** The part of the period in which the process ran. */
  measured_ms: number
  documents_accepted: number
  documents_indexed: number
  documents_failed: number
  searches: DurationCounts
  answers: number
  input_tokens: number
  output_tokens: number
  server_errors: number
  /** Changes that wait to be indexed. */
  waiting: number | null
  oldest: OldestWaiting | null
  disk: DiskSpace | null
  memory_bytes: number | null
}

/** The space of a file system, which other programs may use too. */
export interface DiskSpace {
  used_bytes: number
  free_bytes: number
}

export const EMPTY_SAMPLE: Readonly<Sample> = {
  measured_ms: 0,
  documents_accepted: 0,
  documents_indexed: 0,
  documents_failed: 0,
  searches: {},
  answers: 0,
  input_tokens: 0,
  output_tokens: 0,
  server_errors: 0,
  waiting: null,
  oldest: null,
  disk: null,
  memory_bytes: null,
}

/** Adds the counters of one process, and keeps the worst of the rest: the most that waited, the least free space. */
export const addPeriods = (a: Sample, b: Sample): Sample => ({
  ...addCounters(a, b),
  measured_ms: a.measured_ms + b.measured_ms,
  documents_indexed: a.documents_indexed + b.documents_indexed,
  documents_failed: a.documents_failed + b.documents_failed,
  memory_bytes: highest(a.memory_bytes, b.memory_bytes),
})

/**
 * Adds what processes did in the same period. Each of them indexes every document into an index of its own, so their
 * counts of indexed and failed documents are not added: the highest one counts.
 */
export const addProcesses = (a: Sample, b: Sample): Sample => ({
  ...addCounters(a, b),
  measured_ms: Math.max(a.measured_ms, b.measured_ms),
  documents_indexed: Math.max(a.documents_indexed, b.documents_indexed),
  documents_failed: Math.max(a.documents_failed, b.documents_failed),
  memory_bytes: a.memory_bytes === null ? b.memory_bytes : a.memory_bytes + (b.memory_bytes ?? 0),
})

const addCounters = (a: Sample, b: Sample) => ({
  documents_accepted: a.documents_accepted + b.documents_accepted,
  searches: addDurations(a.searches, b.searches),
  answers: a.answers + b.answers,
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  server_errors: a.server_errors + b.server_errors,
  waiting: highest(a.waiting, b.waiting),
  oldest: (b.oldest?.age_s ?? -1) > (a.oldest?.age_s ?? -1) ? b.oldest : a.oldest,
  disk: (b.disk?.free_bytes ?? Infinity) < (a.disk?.free_bytes ?? Infinity) ? b.disk : a.disk,
})

const highest = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b)
