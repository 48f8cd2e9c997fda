// The simplest correct index: exact BM25 in memory. Tests compare other implementations with it.
import { mayRead } from '../../domain/access.ts'
import type { Chunk } from '../../domain/chunk.ts'
import type { Cursor, FacetRequest, Filters, Query } from '../../domain/search/query.ts'
import { idf, saturation } from '../../engine/query/bm25.ts'
import type { Language } from '../../text/language.ts'
import { type QueryWord, queryTerms } from '../../text/query-terms.ts'
import { B, K1 } from '../bm25-parameters.ts'
import { findChunkMatches } from '../chunk-matches.ts'
import { detectDocumentLanguage, sortLanguages } from '../document-language.ts'
import { withoutOwnFilter } from '../facet-filters.ts'
import { findCandidates } from '../find-candidates.ts'
import type {
  CandidateQuery,
  ChunkId,
  Facet,
  FoundCandidates,
  Hit,
  IndexBatch,
  IndexDocument,
  NearestQuery,
  SearchIndex,
  SearchResult,
  StoredChunk,
  VectorOptions,
} from '../search-index.ts'
import { withTextsUpTo } from '../unread-chunk.ts'
import { isListQuery, parseWordConditions, type WordConditions } from '../word-conditions.ts'
import { type AnalyzedDocument, analyzePassages, type PlainPassage } from './analyzed-document.ts'
import { countPlainFacet } from './facets.ts'
import { meetsConditions, meetsFilters, passagesWithPhrase } from './filters.ts'
import { findPlainTerms } from './find-plain-terms.ts'
import {
  dropVectors,
  type PlainVectors,
  plainNearest,
  plainSimilarity,
  plainVectorMethods,
  plainVectorStats,
} from './vectors.ts'

const BM25_PARAMETERS = { k1: K1, b: B }

/** The passages that contain a term, and its frequency in each. */
type Posting = Map<PlainPassage, number>

interface PlainIndexState {
  documents: Map<string, AnalyzedDocument>
  passageCount: number
  postings: Map<string, Posting>
  languages: Map<Language, number>
  totalLength: number
  position: number
}

export function openPlainIndex({ vectors: options }: { vectors?: VectorOptions | undefined } = {}): SearchIndex {
  const state: PlainIndexState = {
    documents: new Map(),
    passageCount: 0,
    postings: new Map(),
    languages: new Map(),
    totalLength: 0,
    position: 0,
  }
  const vectors: PlainVectors = { documents: state.documents, options, byHash: new Map() }
  return {
    async apply(batch) {
      const ids = new Set([...batch.deletes, ...batch.upserts.map((it) => it.document_id)])
      const before = [...ids].flatMap((id) => state.documents.get(id) ?? [])
      applyBatch(state, batch)
      dropVectors(vectors, before)
    },
    ...plainVectorMethods(vectors, (query) => findablePassagesOf(state, query)),
    search: async (query) => searchPlain(state, query),
    candidates: async (query) => findPlainCandidates(state, vectors, query),
    chunks: async (chunkIds) => chunkIds.map((it) => readPlainChunk(state, it)),
    chunksWithMatches: async (query, chunkIds) => findChunkMatches(query, chunkIds, (it) => readStoredChunk(state, it)),
    terms: async (query) => findPlainTerms(state.documents.values(), query),
    stats: async () => {
      const documents = [...state.documents.values()].map((it) => it.document)
      const chunks = documents.reduce((sum, it) => sum + it.chunks.length, 0)
      const languages = sortLanguages(state.languages)
      return { documents: documents.length, chunks, languages, position: state.position, ...plainVectorStats(vectors) }
    },
    close: async () => {},
  }
}

function searchPlain(state: PlainIndexState, query: Query): SearchResult {
  const plainQuery = createPlainQuery(state, query)
  const hits = rankHits(state, plainQuery, query.filters)
  const { after } = query
  const from = after === undefined ? hits : hits.filter((it) => compareHits(plainQuery, it, after) > 0)
  const facets = (query.facets ?? []).map((it) => countFacet(state, plainQuery, it))
  const page = from.slice(query.offset, query.offset + query.limit)
  return { hits: withTextsUpTo(page, query.texts), total: hits.length, total_relation: 'eq', facets }
}

const findPlainCandidates = (state: PlainIndexState, vectors: PlainVectors, query: CandidateQuery): FoundCandidates =>
  findCandidates(
    {
      search: (asked) => searchPlain(state, asked),
      nearest: (asked) => plainNearest(vectors, asked, findablePassagesOf(state, asked)),
      similarity: (vector, { access }, document_ids) => plainSimilarity(vectors, { vector, access, document_ids }),
      readChunk: (it) => readStoredChunk(state, it),
      terms: (asked) => findPlainTerms(state.documents.values(), asked),
    },
    query,
  )

/** Returns the passages of a document that may be found. */
function findablePassagesOf(
  state: PlainIndexState,
  query: NearestQuery,
): (analyzed: AnalyzedDocument) => readonly PlainPassage[] {
  const conditions = parseWordConditions(query, [...state.languages.keys()])
  return (analyzed) => {
    const isMet = mayFind(analyzed.document, query) && meetsConditions(analyzed, conditions)
    return isMet ? passagesWithPhrase(analyzed, conditions.phrases) : []
  }
}

const readPlainChunk = ({ documents }: PlainIndexState, { document_id, chunk_ind }: ChunkId): Chunk | null =>
  documents.get(document_id)?.passages[chunk_ind]?.chunk ?? null

function readStoredChunk(state: PlainIndexState, id: ChunkId): StoredChunk | null {
  const chunk = readPlainChunk(state, id)
  const document = state.documents.get(id.document_id)?.document
  if (chunk === null || document === undefined) return null
  const { title, page_kind } = document
  return { ...chunk, title, ...(page_kind && { page_kind }) }
}

function applyBatch(state: PlainIndexState, { deletes, upserts, position }: IndexBatch): void {
  const analyzedDocuments = upserts.map(analyzeDocument)
  for (const id of deletes) removeDocument(state, id)
  for (const analyzed of analyzedDocuments) {
    removeDocument(state, analyzed.document.document_id)
    addDocument(state, analyzed)
  }
  state.position = position
}

function analyzeDocument(document: IndexDocument): AnalyzedDocument {
  const language = detectDocumentLanguage(document)
  return { document, language, passages: analyzePassages(document, language) }
}

function addDocument(state: PlainIndexState, analyzed: AnalyzedDocument): void {
  state.documents.set(analyzed.document.document_id, analyzed)
  state.languages.set(analyzed.language, (state.languages.get(analyzed.language) ?? 0) + 1)
  for (const passage of analyzed.passages) {
    state.passageCount++
    state.totalLength += passage.length
    for (const [term, count] of passage.counts) {
      const posting: Posting = state.postings.get(term) ?? new Map()
      state.postings.set(term, posting.set(passage, count))
    }
  }
}

function removeDocument(state: PlainIndexState, id: string): void {
  const analyzed = state.documents.get(id)
  if (analyzed === undefined) return
  state.documents.delete(id)
  const others = (state.languages.get(analyzed.language) ?? 0) - 1
  if (others > 0) state.languages.set(analyzed.language, others)
  else state.languages.delete(analyzed.language)
  for (const passage of analyzed.passages) {
    state.passageCount--
    state.totalLength -= passage.length
    for (const term of passage.counts.keys()) {
      const posting = state.postings.get(term)
      posting?.delete(passage)
      if (posting?.size === 0) state.postings.delete(term)
    }
  }
}

interface PlainQuery {
  query: Query
  words: QueryWord[]
  conditions: WordConditions
  /** True if results are sorted by time instead of by score. */
  isByTime: boolean
}

function createPlainQuery(state: PlainIndexState, query: Query): PlainQuery {
  const languages = [...state.languages.keys()]
  const words = queryTerms(query.text, languages)
  const conditions = parseWordConditions(query, languages)
  return { query, words, conditions, isByTime: query.sort === 'newest' || words.length === 0 }
}

/** Returns every document that matches and may be read, best first. */
const rankHits = (state: PlainIndexState, plainQuery: PlainQuery, filters: Filters): Hit[] =>
  [...findHits(state, plainQuery, filters).values()].sort((a, b) => compareHits(plainQuery, a, b))

function findHits(state: PlainIndexState, plainQuery: PlainQuery, filters: Filters): Map<AnalyzedDocument, Hit> {
  const { query, words, conditions } = plainQuery
  const passages = findablePassages(state, plainQuery, filters)
  const isListOnly = words.length === 0 && isListQuery(query, conditions)
  const scores = isListOnly ? new Map(passages.map((it) => [it, 0])) : scorePassages(state, words, passages)
  return bestHitPerDocument(state, scores)
}

function scorePassages(
  state: PlainIndexState,
  words: readonly QueryWord[],
  passages: readonly PlainPassage[],
): Map<PlainPassage, number> {
  const scores = new Map(passages.map((passage) => [passage, 0]))
  const averageLength = state.totalLength / state.passageCount
  for (const word of words) {
    const postings = word.terms.flatMap((term) => state.postings.get(term) ?? [])
    const weight = wordWeight(postings, state.passageCount)
    for (const [passage, count] of mergePostings(postings)) {
      const score = scores.get(passage)
      if (score !== undefined)
        scores.set(passage, score + weight * saturation(BM25_PARAMETERS, count, passage.length, averageLength))
    }
  }
  return new Map([...scores].filter(([, score]) => score > 0))
}

const mayFind = (document: IndexDocument, { access, filters }: Pick<Query, 'access' | 'filters'>): boolean =>
  mayRead(access, document.access) && meetsFilters(document, filters)

const findablePassages = (
  { documents }: PlainIndexState,
  { query, conditions }: PlainQuery,
  filters: Filters,
): PlainPassage[] =>
  [...documents.values()]
    .filter(({ document }) => mayFind(document, { access: query.access, filters }))
    .filter((it) => meetsConditions(it, conditions))
    .flatMap((it) => passagesWithPhrase(it, conditions.phrases))

/** Negative if `one` comes first. */
function compareHits({ isByTime }: PlainQuery, one: Cursor, other: Cursor): number {
  const rankOf = (it: Cursor) => (isByTime ? (it.updated_at ?? -Infinity) : it.score)
  if (rankOf(one) !== rankOf(other)) return rankOf(one) > rankOf(other) ? -1 : 1
  if (one.document_id === other.document_id) return 0
  return one.document_id < other.document_id ? -1 : 1
}

function countFacet(state: PlainIndexState, plainQuery: PlainQuery, facet: FacetRequest): Facet {
  const found = findHits(state, plainQuery, withoutOwnFilter(plainQuery.query.filters, facet.field))
  return countPlainFacet(
    facet,
    [...found.keys()].map((it) => it.document),
  )
}

/**
 * The terms of a word are spellings of the same word: the word is as common as its most common term and as frequent as
 * its most frequent term. So a rare spelling gains nothing from being rare.
 */
const wordWeight = (postings: readonly Posting[], all: number): number =>
  idf(all, Math.max(0, ...postings.map((it) => it.size)))

function mergePostings([first, ...others]: readonly Posting[]): Posting {
  if (first === undefined || others.length === 0) return first ?? new Map()
  const most = new Map(first)
  for (const [passage, count] of others.flatMap((it) => [...it]))
    most.set(passage, Math.max(count, most.get(passage) ?? 0))
  return most
}

/** Represents each document by its passage with the highest score. Of equal passages the first one wins. */
function bestHitPerDocument(
  { documents }: PlainIndexState,
  scores: ReadonlyMap<PlainPassage, number>,
): Map<AnalyzedDocument, Hit> {
  const hits = new Map<AnalyzedDocument, Hit>()
  for (const analyzed of documents.values()) {
    const { document_id, updated_at } = analyzed.document
    for (const passage of analyzed.passages) {
      const score = scores.get(passage)
      if (score === undefined || score <= (hits.get(analyzed)?.score ?? -Infinity)) continue
      hits.set(analyzed, { document_id, score, updated_at, chunk: passage.chunk, language: analyzed.language })
    }
  }
  return hits
}
