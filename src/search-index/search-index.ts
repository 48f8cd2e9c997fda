import type { Chunk } from '../domain/chunk.ts'
import type { Query } from '../domain/query.ts'

/** A document as the index holds it: its chunks, and the values that filters look at. */
export interface IndexDocument {
  document_id: string
  title: string
  source_type: string
  /** Epoch milliseconds, or null when the source gives no date. */
  updated_at: number | null
  tags: readonly { tag_key: string; tag_value: string }[]
  cc_pair_ids: readonly number[]
  /** Tokens of `domain/access.ts`. A document without any is found by nobody. */
  access: readonly string[]
  chunks: readonly Chunk[]
}

/** One step of the follower. */
export interface IndexBatch {
  upserts: readonly IndexDocument[]
  /** Ids to take away; an id the index never had is no error. */
  deletes: readonly string[]
  /** The sequence number of the last change in this batch. */
  position: number
}

/** A document that matched, represented by the chunk that matched best. */
export interface Hit {
  document_id: string
  score: number
  chunk: Chunk
}

export interface SearchResult {
  hits: Hit[]
  /** Matching documents that the asker may read: exact, or a lower bound when `total_relation` is "gte". */
  total: number
  total_relation: 'eq' | 'gte'
}

export interface IndexStats {
  documents: number
  chunks: number
  /** Every change up to this sequence number is applied. After a restart, the one that survived it. */
  position: number
  /** Where there are such. */
  segments?: number
  memory_bytes?: number
}

export interface SearchIndex {
  /**
   * Applies a batch. Resolves when every later `search` sees all of it; until then a search sees all or nothing of
   * each document. An upsert replaces every chunk that the document had. A document without chunks is kept and can be
   * found by its title alone. When an id stands in both lists the delete comes first. Batches are applied in the order
   * of the calls. Rejects, and applies nothing, when the batch cannot be applied.
   */
  apply(batch: IndexBatch): Promise<void>

  /**
   * Documents that share a token with `query.access` and meet the filters, best first: by score of their best chunk,
   * then by document id (ascending, by UTF-16 code units). Text that holds no word to look for gives no hit. The filters
   * and the access list apply before anything is scored or counted.
   */
  search(query: Query): Promise<SearchResult>

  stats(): Promise<IndexStats>

  /** Ends workers and releases files. Batches that were applied but not yet on disk may be lost; `position` tells. */
  close(): Promise<void>
}
