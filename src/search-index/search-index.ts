import type { Access } from '../domain/access.ts'
import type { Chunk } from '../domain/chunk.ts'
import type { PageKind } from '../domain/search/page-kind.ts'
import type {
  Cursor,
  FacetField,
  FacetRequest,
  Filters,
  Query,
  Tag,
  TermsQuery,
  TextConditions,
} from '../domain/search/query.ts'
import type { Language } from '../text/language.ts'
import type { TermMatch } from '../text/term-matcher.ts'

/** A document in the index: its chunks and the values that filters use. */
export interface IndexDocument {
  document_id: string
  title: string
  source_type: string
  /** Absent for a page with content of its own. */
  page_kind?: PageKind
  /** Epoch milliseconds, or null if the source provides no date. */
  updated_at: number | null
  tags: readonly Tag[]
  authors: readonly Author[]
  cc_pair_ids: readonly number[]
  /** Access tokens as in `domain/access.ts`. Nobody finds a document without any. */
  access: readonly string[]
  chunks: readonly Chunk[]
}

/** The author as displayed. */
export interface Author {
  name: string
  email: string | null
}

/** A batch of changes from the record. */
export interface IndexBatch {
  upserts: readonly IndexDocument[]
  /** Ids to delete. An id that the index does not have is not an error. */
  deletes: readonly string[]
  /** The sequence number of the last change in this batch. */
  position: number
}

/** A matching document, represented by its best chunk. In a list without search words the score is 0. */
export interface Hit extends Cursor {
  /** After the first `texts` hits only `chunk_ind` is set; content and link are empty. */
  chunk: Chunk
  /** The language by whose rules the document was analyzed. */
  language: Language
}

interface FacetValues {
  source_type: string
  /** The name. As a filter it also finds documents of other authors with the same name. */
  author: string
  cc_pair: number
  tag: Tag
  /** The `value` of the time span. */
  time: string
}

export type Facet = { [Field in FacetField]: FacetOf<Field> }[FacetField]

export interface FacetOf<Field extends FacetField> {
  field: Field
  /** Sorted by count, then by the value as text. Time spans keep the order of the request and include empty ones. */
  values: { value: FacetValues[Field]; count: number }[]
  /**
   * "eq" if every count is exact. "gte" if the counts are lower bounds, because a phrase has more candidates than can
   * be read.
   */
  count_relation: 'eq' | 'gte'
}

export interface SearchResult {
  hits: Hit[]
  /**
   * The number of matching documents that the caller may read: exact, or a lower bound if `total_relation` is "gte".
   */
  total: number
  total_relation: 'eq' | 'gte'
  /** One per requested facet, in the order of the request. */
  facets: Facet[]
}

/** A word that can be searched for. */
export interface TermSuggestion {
  /** The word without case and accents. */
  term: string
  /** The most frequent spelling in the documents that were read, in lower case. */
  spelling: string
  /** Letters inserted, deleted, replaced, or swapped with their neighbour; 0 for a prefix. */
  edits: number
  /**
   * The number of documents the caller may read that contain a form of the word, as a search for it would find them.
   */
  documents: number
}

export interface LanguageCount {
  /** By whose rules the documents were analyzed; `und` if it was not recognized. */
  language: Language
  documents: number
}

export interface IndexStats {
  documents: number
  chunks: number
  /** Every language with at least one document: most documents first, then by code. */
  languages: LanguageCount[]
  /** Every change up to this sequence number is applied. After a restart, the number that survived. */
  position: number
  /** Absent if the implementation has no segments. */
  segments?: number
  memory_bytes?: number
  /** Chunks with a vector, including titles of documents without chunks. */
  vectors: number
  /** The number of chunks that `chunksWithoutVector` would return. */
  vectors_missing: number
  /** Why applied changes cannot be written to disk; null while they are written in time. */
  stalled?: string | null
}

/** The vectors that an index holds. */
export interface VectorOptions {
  /** Any name. Vectors of different models are never compared. */
  model: string
  dimension: number
}

/** A chunk to embed; its vector is computed from title and content. */
export interface UnembeddedChunk {
  document_id: string
  chunk_ind: number
  title: string
  content: string
  /** Identifies the text; must be returned with the vector. */
  hash: string
}

export interface ChunkVector {
  document_id: string
  chunk_ind: number
  /** Normalized to length 1. */
  vector: Float32Array
  hash: string
}

export interface NearestQuery extends TextConditions {
  vector: Float32Array
  access: Access
  filters: Filters
  offset: number
  limit: number
  /** See `Query`. */
  texts?: number
}

export type ChunkId = Pick<Chunk, 'chunk_ind'> & { document_id: string }

export interface ChunkIdWithLanguage extends ChunkId {
  /** The language by whose rules words are compared. */
  language: Language
}

/** A chunk with what the index keeps of its document. */
export interface StoredChunk extends Chunk {
  title: string
  page_kind?: PageKind
}

export interface ChunkWithMatches extends StoredChunk {
  /** In text order. `word` is an index into the result of `queryTermsFor`. */
  matches: readonly TermMatch[]
}

/** Asks for the documents worth ranking: the best by their words, and the nearest by vector. */
export interface CandidateQuery extends TextConditions {
  text: string
  access: Access
  filters: Filters
  /** Null to search by words only. */
  vector: Float32Array | null
  /** The length of each of the two lists. */
  depth: number
  /** Facets of the documents that contain words of the query. */
  facets: readonly FacetRequest[]
  /** The share of the semantic score, from 0 to 1. */
  semanticWeight: number
  /** How documents in other languages than the query's are scored; absent if as all others. */
  foreign?: ForeignScoring
  /** Documents with a lower similarity are found by their words only. */
  minSimilarity: number
  /** The ranks of the candidates whose passages are read; 0 is the best one. */
  read: readonly RankRange[]
  spelling: SpellingQuery | null
}

export interface ForeignScoring {
  languages: readonly Language[]
  /** The share of the semantic score: words of the query say little about these documents. From 0 to 1. */
  semanticWeight: number
  /** Added to their similarity, because a model finds texts in the same language more similar. */
  similarityOffset: number
}

export interface RankRange {
  from: number
  /** Exclusive. */
  until: number
}

/** Asks for words that are spelled like a word of the query that hardly any document contains. */
export interface SpellingQuery {
  /** `start` is the position of the word in the text of the query. */
  words: readonly { word: string; start: number; max_edits: 1 | 2 }[]
  /**
   * Words that occur in the best passages of more than `maxDocuments` of this many best candidates need no check. These
   * candidates have to be read.
   */
  depth: number
  /** The number of words that are checked. */
  limit: number
  /** A word in more documents than these is spelled well. */
  maxDocuments: number
  /** The number of similar words for each. */
  suggestions: number
}

export interface SpelledWord {
  word: string
  start: number
  /** The number of documents that contain the word, up to `maxDocuments`. */
  documents: number
  /** As `terms` returns them. */
  similar: TermSuggestion[]
}

export interface RankingCandidate {
  document_id: string
  updated_at: number | null
  language: Language
  /** The `chunk_ind` of the best lexical chunk, then of the best semantic chunk if it is another one. */
  passages: [number, ...number[]]
  /** Null if the document contains none of the words. */
  lexicalScore: number | null
  /** The similarity of its best chunk; null if the document or the query has no vector. */
  semanticScore: number | null
}

/** The range of the scores in a list. */
export interface ScoreRange {
  min: number
  max: number
}

export interface CandidateSet {
  candidates: RankingCandidate[]
  lexicalRange: ScoreRange
  semanticRange: ScoreRange
  /** Candidates by similarity whose lexical rank is below the depth. */
  beyondDepth: { document_id: string; score: number }[]
  /** Documents that contain words of the query, plus semantic candidates that contain none. */
  total: number
  total_relation: SearchResult['total_relation']
}

export interface FoundCandidates extends CandidateSet {
  /** The documents that contain words of the query. */
  lexical: Pick<SearchResult, 'total' | 'facets'> & {
    /** The length of the list. */
    hits: number
  }
  /** False if there is no vector of the query, or none of a document that may be found. */
  isSemantic: boolean
  /** The passages of the candidates that were read; null for a chunk that does not exist any more. */
  passages: { id: ChunkIdWithLanguage; chunk: ChunkWithMatches | null }[]
  spelling: SpelledWord[]
}

export interface UnembeddedPage {
  chunks: UnembeddedChunk[]
  next: string | null
}

export interface SearchIndex {
  /**
   * Applies a batch. Resolves when every later `search` sees all of it; until then, a search sees all or nothing of
   * each document. An upsert replaces all chunks of the document. A document without chunks is kept and can be found by
   * its title. If an id is in both lists, the delete comes first. Batches are applied in the order of the calls.
   * Rejects and applies nothing if the batch cannot be applied: with OUT_OF_FILES if no file can be opened at the
   * moment, which is not the fault of the batch.
   */
  apply(batch: IndexBatch): Promise<void>

  /**
   * Returns the documents that share a token with `query.access` and meet the filters and conditions, best first: by
   * the score of their best chunk, then by document id (ascending, by UTF-16 code units). A text without a search word
   * returns every document that meets the conditions, newest first, or none if there is neither a condition nor sorting
   * by time. Access, filters and conditions apply before anything is scored or counted. A facet counts the documents
   * that would be found without the filter of its own field, so that it shows the other values as well. Totals and
   * facets do not depend on the page. If no batch is applied in between, the pages requested with `after` contain every
   * result once.
   *
   * If the index has to read text to check a phrase, it may read only the best candidates (the embedded index reads
   * 1,000 chunks). Then further documents may be missing, and totals and facets are lower bounds.
   */
  search(query: Query): Promise<SearchResult>

  /**
   * Returns the current chunks with these ids, in their order; null for a chunk that does not exist any more. They may
   * be newer than the search that found them. Access is not checked: the caller must check it in the record before it
   * shows them.
   */
  chunks(chunkIds: readonly ChunkId[]): Promise<(Chunk | null)[]>

  /**
   * Returns what a ranking needs, in one call: the first `depth` documents of `search` and of `nearest`, each with both
   * scores, so that a score is missing only if there is none. They are sorted by the weighted sum of their normalized
   * scores (`weighScores`), then by document id, and the passages of the best are read as by `chunksWithMatches`. All
   * of it is computed on one state of the index. Rejects if the vector has another dimension.
   */
  candidates(query: CandidateQuery): Promise<FoundCandidates>

  /** Like `chunks`, and returns where the words of the query occur in each of them. */
  chunksWithMatches(query: string, chunkIds: readonly ChunkIdWithLanguage[]): Promise<(ChunkWithMatches | null)[]>

  /**
   * Returns words with the prefix, or words spelled similarly, from the titles and chunks of documents that share a
   * token with the caller and meet the filters: fewest edits first, then by the number of documents, then by term.
   * Other documents neither contribute words nor count. A word stands for the forms that were seen with it; an index
   * may miss a form that is rare compared to other forms of the same word.
   */
  terms(query: TermsQuery): Promise<TermSuggestion[]>

  stats(): Promise<IndexStats>

  /**
   * Returns the chunks that still have to be embedded, page by page: `next` is the `after` of the next page, or null
   * after the last one. A chunk that lacks a vector during all pages is in at least one of them; it may be in two if it
   * was moved meanwhile. The index chooses the order, and `after` is invalid once the index was reopened. A text that
   * occurs twice in a document is embedded once, a text without letters or digits never, and a document without chunks
   * by its title. An index without vectors returns none.
   */
  chunksWithoutVector(page: { limit: number; after?: string | undefined }): Promise<UnembeddedPage>

  /**
   * Sets the vectors of chunks and replaces existing ones. Resolves when every later search sees them. Chunks that do
   * not exist any more, or whose text has changed, are skipped. Rejects and sets none if a vector has another dimension
   * or a value that is not finite, if there is no room, or if the index has no vectors. A document that is sent again
   * keeps the vectors of chunks whose title and content are unchanged. Vectors survive a restart, except those since
   * the last flush. An index that is opened for another model or dimension drops its vectors and logs it.
   */
  setVectors(vectors: readonly ChunkVector[]): Promise<void>

  /**
   * Returns the documents that share a token with `access` and meet the filters and conditions, best first: by the dot
   * product of the vector with their best chunk's, then by document id. With phrases, only chunks that contain one are
   * compared. Documents that may not be found are not compared either. A document without any vector is not found.
   * The scores of the best 60 are exact; those of lower ranks may be rounded (by .002 at dimension 384). An index may miss one in a hundred of the best 10, and more if phrases have to be read, as in
   * `search`. Rejects if the vector has another dimension.
   */
  nearest(query: NearestQuery): Promise<{ hits: Hit[] }>

  /** Stops the threads and closes the files. Batches that are not on disk yet may be lost; `position` shows which. */
  close(): Promise<void>
}
