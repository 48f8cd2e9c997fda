// The simplest index that is right: exact BM25 over memory. What other indexes answer is compared with it.
import { mayRead } from '../domain/access.ts'
import type { Filters, Query } from '../domain/query.ts'
import { idf, saturation } from '../engine/bm25.ts'
import type { Language } from '../text/language.ts'
import { queryTerms } from '../text/query-terms.ts'
import { B, K1 } from './bm25.ts'
import { languageOf, type Piece, piecesOf } from './pieces.ts'
import type { Hit, IndexBatch, IndexDocument, SearchIndex } from './search-index.ts'

const RANKING = { k1: K1, b: B }

interface Entry {
  document: IndexDocument
  language: Language
  pieces: Piece[]
}

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

export function openPlainIndex(): SearchIndex {
  const state: State = {
    entries: new Map(),
    owners: new Map(),
    postings: new Map(),
    languages: new Map(),
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

/** Every document that matches and may be read, best first. */
function ranked(state: State, query: Query): Hit[] {
  const scores = new Map(readablePieces(state, query).map((piece) => [piece, 0]))
  const averageLength = state.totalLength / state.owners.size
  for (const word of queryTerms(query.text, [...state.languages.keys()])) {
    const postings = word.terms.flatMap((term) => state.postings.get(term) ?? [])
    const weight = weightOf(postings, state.owners.size)
    for (const [piece, count] of merged(postings)) {
      const score = scores.get(piece)
      if (score !== undefined)
        scores.set(piece, score + weight * saturation(RANKING, count, piece.length, averageLength))
    }
  }
  return best(state, scores).sort((a, b) => b.score - a.score || (a.document_id < b.document_id ? -1 : 1))
}

const readablePieces = ({ entries }: State, { access, filters }: Query): Piece[] =>
  [...entries.values()]
    .filter(({ document }) => mayRead(access, document.access) && meets(document, filters))
    .flatMap(({ pieces }) => pieces)

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
    if (score > (hits.get(entry)?.score ?? 0)) {
      hits.set(entry, { document_id: entry.document.document_id, score, chunk: piece.chunk })
    }
  }
  return [...hits.values()]
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
