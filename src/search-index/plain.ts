// The simplest index that is right: exact BM25 over memory. What other indexes answer is compared with it.
import { mayRead } from '../domain/access.ts'
import type { Chunk } from '../domain/chunk.ts'
import type { Filters, Query } from '../domain/query.ts'
import { termsOf } from '../text/analyze.ts'
import { detectLanguage, type Language } from '../text/language.ts'
import { type QueryWord, queryTerms } from '../text/query-terms.ts'
import { idf, saturation, TITLE_WEIGHT } from './bm25.ts'
import type { Hit, IndexBatch, IndexDocument, SearchIndex } from './search-index.ts'

/** What is scored: a chunk with its document's title, or the title alone where there is no chunk. */
interface Piece {
  entry: Entry
  chunk: Chunk
  length: number
  counts: Map<string, number>
}

interface Entry {
  document: IndexDocument
  language: Language
  pieces: Piece[]
}

interface State {
  entries: Map<string, Entry>
  postings: Map<string, Map<Piece, number>>
  languages: Map<Language, number>
  pieces: number
  totalLength: number
  position: number
}

export function openPlainIndex(): SearchIndex {
  const state: State = {
    entries: new Map(),
    postings: new Map(),
    languages: new Map(),
    pieces: 0,
    totalLength: 0,
    position: 0,
  }
  return {
    apply: async (batch) => apply(state, batch),
    search: async (query) => {
      const hits = ranked(state, query)
      return { hits: hits.slice(query.offset, query.offset + query.limit), total: hits.length, total_relation: 'eq' }
    },
    stats: async () => {
      const documents = [...state.entries.values()].map((it) => it.document)
      const chunks = documents.reduce((sum, it) => sum + it.chunks.length, 0)
      return { documents: documents.length, chunks, position: state.position }
    },
    close: async () => {},
  }
}

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
  const language = detectLanguage(`${document.title}\n${document.chunks[0]?.content ?? ''}`)
  const entry: Entry = { document, language, pieces: [] }
  const title = termsOf(document.title, language)
  const chunks = document.chunks.length > 0 ? document.chunks : [{ chunk_ind: 0, content: '', link: null }]
  entry.pieces = chunks.map((chunk) => {
    const content = termsOf(chunk.content, language)
    const counts = new Map<string, number>()
    const count = (term: string, weight: number) => counts.set(term, (counts.get(term) ?? 0) + weight)
    for (const term of title) count(term, TITLE_WEIGHT)
    for (const term of content) count(term, 1)
    return { entry, chunk, length: title.length * TITLE_WEIGHT + content.length, counts }
  })
  return entry
}

function add(state: State, entry: Entry): void {
  state.entries.set(entry.document.document_id, entry)
  state.languages.set(entry.language, (state.languages.get(entry.language) ?? 0) + 1)
  for (const piece of entry.pieces) {
    state.pieces++
    state.totalLength += piece.length
    for (const [term, count] of piece.counts) {
      const posting = state.postings.get(term) ?? new Map<Piece, number>()
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
    state.pieces--
    state.totalLength -= piece.length
    for (const term of piece.counts.keys()) {
      const posting = state.postings.get(term)!
      posting.delete(piece)
      if (posting.size === 0) state.postings.delete(term)
    }
  }
}

/** Every document that matches and may be read, best first. */
function ranked(state: State, query: Query): Hit[] {
  const readable = new Set([...state.entries.values()].filter((it) => isReadable(it.document, query)))
  const scores = new Map<Piece, number>()
  for (const word of queryTerms(query.text, [...state.languages.keys()])) {
    for (const [piece, score] of scored(state, word)) {
      if (readable.has(piece.entry)) scores.set(piece, (scores.get(piece) ?? 0) + score)
    }
  }
  return bestPieces(scores)
    .map(([piece, score]) => ({ document_id: piece.entry.document.document_id, score, chunk: piece.chunk }))
    .sort((a, b) => b.score - a.score || (a.document_id < b.document_id ? -1 : 1))
}

/**
 * The terms of a word are the same word in other spellings: it is as common as its commonest term, and occurs as often
 * as the term that occurs most. A rare spelling so gains nothing by being rare.
 */
function* scored(state: State, { terms }: QueryWord): Generator<[Piece, number]> {
  const postings = terms.map((it) => state.postings.get(it) ?? new Map<Piece, number>())
  const weight = idf(state.pieces, Math.max(...postings.map((it) => it.size)))
  for (const piece of new Set(postings.flatMap((it) => [...it.keys()]))) {
    const count = Math.max(...postings.map((it) => it.get(piece) ?? 0))
    yield [piece, weight * saturation(count, piece.length, state.totalLength / state.pieces)]
  }
}

/** Of each document the piece with the highest score; of equals, the first. */
function bestPieces(scores: Map<Piece, number>): [Piece, number][] {
  const best = new Map<Entry, [Piece, number]>()
  for (const [piece, score] of scores) {
    const known = best.get(piece.entry)
    const isBetter =
      known === undefined ||
      score > known[1] ||
      (score === known[1] && piece.chunk.chunk_ind < known[0].chunk.chunk_ind)
    if (isBetter) best.set(piece.entry, [piece, score])
  }
  return [...best.values()]
}

function isReadable(document: IndexDocument, { access, filters }: Query): boolean {
  return mayRead(access, document.access) && meets(document, filters)
}

const meets = (document: IndexDocument, filters: Filters): boolean =>
  isOneOf(filters.source_types, (it) => it === document.source_type) &&
  isOneOf(filters.cc_pair_ids, (it) => document.cc_pair_ids.includes(it)) &&
  isOneOf(filters.tags, (it) => document.tags.some((tag) => isSameTag(tag, it))) &&
  isWithin(document.updated_at, filters)

const isOneOf = <T>(wanted: readonly T[] | undefined, isMet: (it: T) => boolean): boolean =>
  wanted === undefined || wanted.some(isMet)

type Tag = IndexDocument['tags'][number]
const isSameTag = (one: Tag, other: Tag): boolean => one.tag_key === other.tag_key && one.tag_value === other.tag_value

/** A document without a date is in no span of time. */
function isWithin(updatedAt: number | null, { updated_from, updated_until }: Filters): boolean {
  if (updated_from === undefined && updated_until === undefined) return true
  return updatedAt !== null && updatedAt >= (updated_from ?? -Infinity) && updatedAt <= (updated_until ?? Infinity)
}
