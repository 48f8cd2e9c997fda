// What people looked for, what they were shown, and how well it fitted.
import type { Filters } from './query.ts'

export type RankedBy = 'both' | 'words' | 'date'

/** A search as it was asked and answered. */
export interface RecordedQuery {
  search_id: string
  /** Of the key that asked. */
  user_id: string
  query: string
  /** Those beside the query; what stands in it is understood anew. */
  filters: Filters
  /** What the first page showed, best first. */
  document_ids: readonly string[]
  total: number
  ranked_by: RankedBy
  took_ms: number
  /** Epoch milliseconds. */
  asked_at: number
}

/** How much of a first page is kept. */
export const MAX_SHOWN = 50

/** Queries that differ in case and space only are one. */
export const plainQuery = (query: string): string => query.trim().toLowerCase().replace(/\s+/g, ' ')
