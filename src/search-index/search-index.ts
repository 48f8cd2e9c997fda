import type { Access } from '../domain/access.ts'
import type { Chunk } from '../domain/chunk.ts'
import type { Cursor, FacetField, Filters, Query, Tag, TermsQuery, TextConditions } from '../domain/query.ts'
import type { Language } from '../text/language.ts'
import type { Sighting } from '../text/positions.ts'

/** A document as the index holds it: its chunks, and the values that filters look at. */
export interface IndexDocument {
  document_id: string
  title: string
  source_type: string
  /** Epoch milliseconds, or null when the source gives no date. */
  updated_at: number | null
  tags: readonly Tag[]
  authors: readonly Author[]
  cc_pair_ids: readonly number[]
  /** Tokens of `domain/access.ts`. A document without any is found by nobody. */
  access: readonly string[]
  chunks: readonly Chunk[]
}

/** As people read it. */
export interface Author {
  name: string
  email: string | null
}

/** One step of the follower. */
export interface IndexBatch {
  upserts: readonly IndexDocument[]
  /** Ids to take away; an id the index never had is no error. */
  deletes: readonly string[]
  /** The sequence number of the last change in this batch. */
  position: number
}

/** A document that matched, represented by the chunk that matched best. Where a list is asked for, the score is 0. */
export interface Hit extends Cursor {
  /** Beyond the texts that were asked for, only `chunk_ind` is told; content and link are empty. */
  chunk: Chunk
  /** By whose rules the words of the document were taken apart. */
  language: Language
}

interface FacetValues {
  source_type: string
  /** The name; as a filter it finds these documents and those of others with the name. */
  author: string
  cc_pair: number
  tag: Tag
  /** The `value` of the span. */
  time: string
}

export type Facet = { [Field in FacetField]: FacetOf<Field> }[FacetField]

export interface FacetOf<Field extends FacetField> {
  field: Field
  /** By count, then by value as text; the spans of time in the order of the question, and empty ones too. */
  values: { value: FacetValues[Field]; count: number }[]
  /** Every count is exact, or a lower bound, because a phrase stands in more documents than could be read ("gte"). */
  count_relation: 'eq' | 'gte'
}

export interface SearchResult {
  hits: Hit[]
  /** Matching documents that the asker may read: exact, or a lower bound when `total_relation` is "gte". */
  total: number
  total_relation: 'eq' | 'gte'
  /** One for each that was asked for, in that order. */
  facets: Facet[]
}

/** A word that somebody may look for. */
export interface FoundTerm {
  /** Without case and accents. */
  term: string
  /** In lower case, as most of the documents that were looked at write it. */
  spelling: string
  /** Letters put in, left out, replaced, or exchanged with their neighbour; 0 for a prefix. */
  edits: number
  /** Documents that the asker may read and that hold the word in one of its forms, as a search for it finds them. */
  documents: number
}

export interface IndexStats {
  documents: number
  chunks: number
  /** Every change up to this sequence number is applied. After a restart, the one that survived it. */
  position: number
  /** Where there are such. */
  segments?: number
  memory_bytes?: number
  /** Chunks that have a vector, and titles of documents without chunks. */
  vectors: number
  /** Chunks that `chunksWithoutVector` would give. */
  vectors_missing: number
}

/** Which vectors an index holds. */
export interface VectorOptions {
  /** Any name; vectors of one model are never compared with those of another. */
  model: string
  dimension: number
}

/** What a vector is made of: the title and the content of a chunk. */
export interface UnembeddedChunk {
  document_id: string
  chunk_ind: number
  title: string
  content: string
  /** Stands for the text, and goes back with its vector. */
  hash: string
}

export interface ChunkVector {
  document_id: string
  chunk_ind: number
  /** Of length 1. */
  vector: Float32Array
  hash: string
}

export interface NearestQuery extends TextConditions {
  vector: Float32Array
  access: Access
  filters: Filters
  offset: number
  limit: number
  /** As in `Query`. */
  texts?: number
}

export type ChunkPlace = Pick<Chunk, 'chunk_ind'> & { document_id: string }

export interface SightedPlace extends ChunkPlace {
  /** By whose rules its words are compared. */
  language: Language
}

export interface SightedChunk extends Chunk {
  /** In the order of the text; `word` counts the words of `queryTermsIn`. */
  sightings: readonly Sighting[]
}

export interface Similarity {
  vector: Float32Array
  access: Access
  document_ids: readonly string[]
}

export interface UnembeddedPage {
  chunks: UnembeddedChunk[]
  next: string | null
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
   * Documents that share a token with `query.access` and meet the filters and conditions, best first: by score of their
   * best chunk, then by document id (ascending, by UTF-16 code units). Text that holds no word to look for gives every
   * document that meets the conditions, the newest first, and none where there is no condition and no order by time.
   * Access, filters and conditions apply before anything is scored or counted. A facet counts the documents that would
   * be found without the filter of its own field, so that it shows what else there is. Totals and facets do not depend
   * on the page. As long as no batch comes in between, pages put together with `after` are the whole, without repeats.
   *
   * Where words must stand in a row and the index has to read the text to know, it may read the best candidates only
   * (the embedded one 1,000 chunks): then further documents may be missing, and totals and facets are lower bounds.
   */
  search(query: Query): Promise<SearchResult>

  /**
   * The chunks of these places, in their order; null for one that is not there any more. They are as they are now, which
   * may be later than the search that found them, and nobody's rights are asked: whoever shows them looks at the record.
   */
  chunks(places: readonly ChunkPlace[]): Promise<(Chunk | null)[]>

  /** As `chunks`, and where in each of them the words of the query stand. */
  sighted(query: string, places: readonly SightedPlace[]): Promise<(SightedChunk | null)[]>

  /**
   * Whole words that begin with the prefix, or are spelled almost as a word is, out of the titles and chunks of documents
   * that share a token with the asker and meet the filters: those with the fewest edits first, then those that most
   * documents hold, then by term. No word comes from anything else, nor does it count there. A word stands for the forms
   * that it has where it was seen; an index may pass over a form that is rare beside others of the same word.
   */
  terms(query: TermsQuery): Promise<FoundTerm[]>

  stats(): Promise<IndexStats>

  /**
   * What still has to be embedded, a page at a time: `next` is the `after` of the next page, null after the last one. A
   * chunk that lacks its vector from the first page to the last is in one of them, and may be in two when it was moved
   * meanwhile. The order is the index's own; `after` means nothing to an index that was opened again. A text that a
   * document holds twice is embedded once, one without letters never, and a document without chunks by its title. An
   * index without vectors misses none.
   */
  chunksWithoutVector(page: { limit: number; after?: string | undefined }): Promise<UnembeddedPage>

  /**
   * Gives chunks their vectors; one that had a vector gets the new one. Resolves when every later search sees them. A
   * chunk that is not there any more, or has another text by now, is passed over. Rejects, and takes none, when a vector
   * has another dimension or a value that is no finite number, when there is no room, and when the index is one without
   * vectors. A document that is sent again keeps the vectors of the chunks whose title and content stay. Vectors survive
   * a restart, but for those since the last flush; an index that is opened for another model or dimension drops those it
   * has, and says so in the log.
   */
  setVectors(vectors: readonly ChunkVector[]): Promise<void>

  /**
   * Documents that share a token with `access` and meet the filters and conditions, best first: by the dot product of
   * the vector with their best chunk's, then by document id; where phrases are asked for, of the chunks that hold one.
   * Whoever may not be found is not looked at either. A document none of whose chunks has a vector is not found. Scores
   * are exact; of the best 10 an index may miss one in a hundred, and further ones where `search` may, because phrases
   * have to be read. Rejects when the vector has another dimension.
   */
  nearest(query: NearestQuery): Promise<{ hits: Hit[] }>

  /**
   * The scores by which `nearest` would rank these documents. One that is not there, has no vector or may not be read by
   * the asker is left out.
   */
  similarity(query: Similarity): Promise<Map<string, number>>

  /** Ends workers and releases files. Batches that were applied but not yet on disk may be lost; `position` tells. */
  close(): Promise<void>
}
