// The simplest index that is right: exact BM25 over memory. What other indexes answer is compared with it.
import { mayRead } from '../domain/access.ts'
import type { Chunk } from '../domain/chunk.ts'
import type { Cursor, FacetRequest, Filters, Query } from '../domain/query.ts'
import { idf, saturation } from '../engine/bm25.ts'
import type { Language } from '../text/language.ts'
import { type QueryWord, queryTerms } from '../text/query-terms.ts'
import { B, K1 } from './bm25.ts'
import { type Entry, languageOf, type Piece, piecesOf } from './pieces.ts'
import { facetOf } from './plain-facets.ts'
import { meets, meetsConditions, piecesWithPhrase } from './plain-filters.ts'
import { findTerms } from './plain-terms.ts'
import { dropVectors, type PlainVectors, vectorMethods, vectorStats } from './plain-vectors.ts'
import type { ChunkPlace, Facet, Hit, IndexBatch, IndexDocument, SearchIndex, VectorOptions } from './search-index.ts'
import { sightedChunks } from './sighted.ts'
import { readUpTo } from './unread-chunk.ts'
import { widened } from './widened.ts'
import { isListed, type WordConditions, wordConditionsOf } from './word-conditions.ts'

const RANKING = { k1: K1, b: B }

/** The pieces in which a term occurs, and how often. */
type Posting = Map<Piece, number>

interface State {
  entries: Map<string, Entry>
  owners: Map<Piece, Entry>
  postings: Map<string, Posting>
  languages: Map<Language, number>
  totalLength: number
  position: number
}

export function openPlainIndex({ vectors: options }: { vectors?: VectorOptions | undefined } = {}): SearchIndex {
  const state: State = {
    entries: new Map(),
    owners: new Map(),
    postings: new Map(),
    languages: new Map(),
    totalLength: 0,
    position: 0,
  }
  const vectors: PlainVectors = { entries: state.entries, options, byHash: new Map() }
  return {
    async apply(batch) {
      const ids = new Set([...batch.deletes, ...batch.upserts.map((it) => it.document_id)])
      const before = [...ids].flatMap((id) => state.entries.get(id) ?? [])
      apply(state, batch)
      dropVectors(vectors, before)
    },
    ...vectorMethods(vectors, (query) => {
      const conditions = wordConditionsOf(query, [...state.languages.keys()])
      return (entry) => {
        const isMet = isFor(entry.document, query) && meetsConditions(entry, conditions)
        return isMet ? piecesWithPhrase(entry, conditions.phrases) : []
      }
    }),
    search: async (query) => {
      const asked = askedOf(state, query)
      const hits = ranked(state, asked, query.filters)
      const from = query.after === undefined ? hits : hits.filter((it) => compare(asked, it, query.after!) > 0)
      const facets = (query.facets ?? []).map((it) => countFacet(state, asked, it))
      const page = from.slice(query.offset, query.offset + query.limit)
      return { hits: readUpTo(page, query.texts), total: hits.length, total_relation: 'eq', facets }
    },
    chunks: async (places) => places.map((it) => chunkAt(state, it)),
    sighted: async (query, places) => sightedChunks(query, places, (it) => chunkAt(state, it)),
    terms: async (query) => findTerms(state.entries.values(), query),
    stats: async () => {
      const documents = [...state.entries.values()].map((it) => it.document)
      const chunks = documents.reduce((sum, it) => sum + it.chunks.length, 0)
      return { documents: documents.length, chunks, position: state.position, ...vectorStats(vectors) }
    },
    close: async () => {},
  }
}

const chunkAt = ({ entries }: State, { document_id, chunk_ind }: ChunkPlace): Chunk | null =>
  entries.get(document_id)?.pieces[chunk_ind]?.chunk ?? null

function apply(state: State, { deletes, upserts, position }: IndexBatch): void {
  const entries = upserts.map(analyzed)
  for (const id of deletes) remove(state, id)
  for (const entry of entries) {
    remove(state, entry.document.document_id)
    add(state, entry)
  }
  state.position = position
}

function analyzed(document: IndexDocument): Entry {
  const language = languageOf(document)
  return { document, language, pieces: piecesOf(document, language) }
}

function add(state: State, entry: Entry): void {
  state.entries.set(entry.document.document_id, entry)
  state.languages.set(entry.language, (state.languages.get(entry.language) ?? 0) + 1)
  for (const piece of entry.pieces) {
    state.owners.set(piece, entry)
    state.totalLength += piece.length
    for (const [term, count] of piece.counts) {
      const posting: Posting = state.postings.get(term) ?? new Map()
      state.postings.set(term, posting.set(piece, count))
    }
  }
}

function remove(state: State, id: string): void {
  const entry = state.entries.get(id)
  if (entry === undefined) return
  state.entries.delete(id)
  const others = state.languages.get(entry.language)! - 1
  if (others > 0) state.languages.set(entry.language, others)
  else state.languages.delete(entry.language)
  for (const piece of entry.pieces) {
    state.owners.delete(piece)
    state.totalLength -= piece.length
    for (const term of piece.counts.keys()) {
      const posting = state.postings.get(term)!
      posting.delete(piece)
      if (posting.size === 0) state.postings.delete(term)
    }
  }
}

interface Asked {
  query: Query
  words: QueryWord[]
  conditions: WordConditions
  /** By time, and not by score. */
  isByTime: boolean
}

function askedOf(state: State, query: Query): Asked {
  const languages = [...state.languages.keys()]
  const words = queryTerms(query.text, languages)
  const conditions = wordConditionsOf(query, languages)
  return { query, words, conditions, isByTime: query.sort === 'newest' || words.length === 0 }
}

/** Every document that matches and may be read, best first. */
function ranked(state: State, asked: Asked, filters: Filters): Hit[] {
  const { query, words, conditions } = asked
  const pieces = findablePieces(state, asked, filters)
  const isList = words.length === 0 && isListed(query, conditions)
  const scores = isList ? new Map(pieces.map((it) => [it, 0])) : scored(state, words, pieces)
  return best(state, scores).sort((a, b) => compare(asked, a, b))
}

function scored(state: State, words: readonly QueryWord[], pieces: readonly Piece[]): Map<Piece, number> {
  const scores = new Map(pieces.map((piece) => [piece, 0]))
  const averageLength = state.totalLength / state.owners.size
  for (const word of words) {
    const postings = word.terms.flatMap((term) => state.postings.get(term) ?? [])
    const weight = weightOf(postings, state.owners.size)
    for (const [piece, count] of merged(postings)) {
      const score = scores.get(piece)
      if (score !== undefined)
        scores.set(piece, score + weight * saturation(RANKING, count, piece.length, averageLength))
    }
  }
  return new Map([...scores].filter(([, score]) => score > 0))
}

const isFor = (document: IndexDocument, { access, filters }: Pick<Query, 'access' | 'filters'>): boolean =>
  mayRead(access, document.access) && meets(document, filters)

const findablePieces = ({ entries }: State, { query, conditions }: Asked, filters: Filters): Piece[] =>
  [...entries.values()]
    .filter(({ document }) => isFor(document, { access: query.access, filters }))
    .filter((it) => meetsConditions(it, conditions))
    .flatMap((it) => piecesWithPhrase(it, conditions.phrases))

/** Below zero when `one` comes first. */
function compare({ isByTime }: Asked, one: Cursor, other: Cursor): number {
  const rankOf = (it: Cursor) => (isByTime ? (it.updated_at ?? -Infinity) : it.score)
  if (rankOf(one) !== rankOf(other)) return rankOf(one) > rankOf(other) ? -1 : 1
  if (one.document_id === other.document_id) return 0
  return one.document_id < other.document_id ? -1 : 1
}

function countFacet(state: State, asked: Asked, facet: FacetRequest): Facet {
  const found = ranked(state, asked, widened(asked.query.filters, facet.field))
  return facetOf(
    facet,
    found.map((it) => state.entries.get(it.document_id)!.document),
  )
}

/**
 * The terms of a word are the same word in other spellings: it is as common as its commonest term, and occurs as often
 * as the term that occurs most. So a rare spelling gains nothing by being rare.
 */
const weightOf = (postings: readonly Posting[], all: number): number =>
  idf(all, Math.max(0, ...postings.map((it) => it.size)))

function merged([first, ...others]: readonly Posting[]): Posting {
  if (first === undefined || others.length === 0) return first ?? new Map()
  const most = new Map(first)
  for (const [piece, count] of others.flatMap((it) => [...it])) most.set(piece, Math.max(count, most.get(piece) ?? 0))
  return most
}

/** Each document by its piece with the highest score; of equals, the first. */
function best({ owners }: State, scores: ReadonlyMap<Piece, number>): Hit[] {
  const hits = new Map<Entry, Hit>()
  for (const [piece, score] of scores) {
    const entry = owners.get(piece)!
    const { document_id, updated_at } = entry.document
    const known = hits.get(entry)
    if (known === undefined || score > known.score)
      hits.set(entry, { document_id, score, updated_at, chunk: piece.chunk, language: entry.language })
  }
  return [...hits.values()]
}
