import { DAY_MS } from '../../wire/date-time.ts'
import type { Access } from '../access.ts'

export interface Tag {
  tag_key: string
  tag_value: string
}

/** Values within a list are alternatives (OR), the lists are combined (AND); an absent list is no condition. */
export interface Filters {
  source_types?: readonly string[]
  /** Documents of at least one of these cc-pairs; document sets are expressed this way. */
  cc_pair_ids?: readonly number[]
  tags?: readonly Tag[]
  /** Names, parts of names, or e-mail addresses, complete or up to the "@"; case and accents are ignored. */
  authors?: readonly string[]
  /** Epoch milliseconds, inclusive. */
  updated_from?: number
  updated_until?: number
  /** Only these documents. */
  document_ids?: readonly string[]
}

/** A limit in addition to the filters. A facet ignores the filter on its own field, but never the scope. */
export type SearchScope = Pick<Filters, 'cc_pair_ids' | 'updated_from'>

/** Conditions on the words of a document, independent of the ranking. */
export interface TextConditions {
  /**
   * Each phrase occurs in the title or in a chunk of the document, its words adjacent, including stop words. The chunk
   * that is returned contains a phrase and, if `text` is given, one of its words: to search for a phrase alone, leave
   * `text` empty, or repeat the phrase in it to rank by it.
   */
  phrases?: readonly string[]
  /**
   * Words that occur in the title or in any chunk: users search for documents, not for chunks. A word that the analyzer
   * splits ("state-of-the-art") counts as a phrase.
   */
  required?: readonly string[]
  /** Words that occur neither in the title nor in any chunk of the document. */
  excluded?: readonly string[]
  /** Words that occur in the title. */
  titleWords?: readonly string[]
}

/** A range of time, both ends inclusive; an absent end is open. */
export interface TimeRange {
  value: string
  from?: number
  until?: number
}

export type FacetField = FacetRequest['field']
export type FacetRequest =
  | { field: 'source_type' | 'author' | 'cc_pair' | 'tag'; size: number }
  | { field: 'time'; spans: readonly TimeRange[] }

/** The position of the last hit of a page; the next page starts after it. */
export interface Cursor {
  score: number
  updated_at: number | null
  document_id: string
}

/** A query to the search index. It cannot be built without `access`. */
export interface Query extends TextConditions {
  text: string
  access: Access
  filters: Filters
  /** Sorts by the score of the best chunk, or by `updated_at` with undated documents last. Default: relevance. */
  sort?: 'relevance' | 'newest'
  /** Only hits after this one; `offset` counts from there. */
  after?: Cursor
  facets?: readonly FacetRequest[]
  offset: number
  limit: number
  /**
   * How many hits, from the first, include the text of their chunk; all if absent. Reading it is half the cost of a
   * search.
   */
  texts?: number
}

/** Looks up terms of the index. Case and accents are ignored. */
export type TermsQuery = ({ prefix: string } | { near: string; max_edits: 1 | 2 }) & {
  access: Access
  filters: Filters
  limit: number
}

/** The ranges offered as a time facet. Each but the last includes the ones before it, like a "since" filter. */
export const recentTimeRanges = (now: number): TimeRange[] => [
  { value: 'day', from: now - DAY_MS },
  { value: 'week', from: now - 7 * DAY_MS },
  { value: 'month', from: now - 30 * DAY_MS },
  { value: 'year', from: now - 365 * DAY_MS },
  { value: 'older', until: now - 365 * DAY_MS - 1 },
]
