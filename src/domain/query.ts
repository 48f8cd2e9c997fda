import type { Access } from './access.ts'
import { DAY_MS } from './date-time.ts'

export interface Tag {
  tag_key: string
  tag_value: string
}

/** A condition inside a list is an OR, the lists together an AND; an absent list is no condition. */
export interface Filters {
  source_types?: readonly string[]
  /** Documents of at least one of these cc-pairs; how a document set reaches the index. */
  cc_pair_ids?: readonly number[]
  tags?: readonly Tag[]
  /** Names, words of names, or e-mail addresses, whole or up to the "@"; case and accents do not matter. */
  authors?: readonly string[]
  /** Epoch milliseconds, inclusive. */
  updated_from?: number
  updated_until?: number
  /** These documents and no others. */
  document_ids?: readonly string[]
}

/** Conditions on the words of a document, whatever else it is found by. */
export interface TextConditions {
  /**
   * Each stands in the title or in a chunk of the document, its words next to each other, stop words too. The chunk that
   * is found holds one of them and, where words are looked for, one of those: who asks for a phrase alone leaves `text`
   * empty, or repeats the phrase in it to have the best first.
   */
  phrases?: readonly string[]
  /**
   * Words that the document holds, in its title or in whichever chunk: a reader asks for documents, and where we cut
   * them into chunks is no business of theirs. What analysis takes apart ("state-of-the-art") is a phrase here.
   */
  required?: readonly string[]
  /** Words that neither title nor any chunk of the document holds. */
  excluded?: readonly string[]
  /** Words that the title holds. */
  titleWords?: readonly string[]
}

/** A part of the time, both ends inclusive; an absent end is open. */
export interface Span {
  value: string
  from?: number
  until?: number
}

export type FacetField = FacetRequest['field']
export type FacetRequest =
  | { field: 'source_type' | 'author' | 'cc_pair' | 'tag'; size: number }
  | { field: 'time'; spans: readonly Span[] }

/** Where a page ended, such as its last hit; the next one begins behind it. */
export interface Cursor {
  score: number
  updated_at: number | null
  document_id: string
}

/** A search as the index understands it. Without `access` it cannot be built. */
export interface Query extends TextConditions {
  text: string
  access: Access
  filters: Filters
  /** By the score of the best chunk, or by `updated_at` with undated documents last; by relevance if absent. */
  sort?: 'relevance' | 'newest'
  /** Hits behind this one only; `offset` counts from there. */
  after?: Cursor
  facets?: readonly FacetRequest[]
  offset: number
  limit: number
  /** So many of the hits, from the first, come with the text of their chunk; all if absent. Reading it is half of a search. */
  texts?: number
}

/** Asks for words of the index. Case and accents do not matter. */
export type TermsQuery = ({ prefix: string } | { near: string; max_edits: 1 | 2 }) & {
  access: Access
  filters: Filters
  limit: number
}

/** What people widen and narrow a search by. Each but the last holds the ones before it, as a filter "since" would. */
export const recentSpans = (now: number): Span[] => [
  { value: 'day', from: now - DAY_MS },
  { value: 'week', from: now - 7 * DAY_MS },
  { value: 'month', from: now - 30 * DAY_MS },
  { value: 'year', from: now - 365 * DAY_MS },
  { value: 'older', until: now - 365 * DAY_MS - 1 },
]
