// Maps documents and queries to the engine and its results back: a document is a group with its id as the key, and each
// chunk is a passage.

import type { Access } from '../../domain/access.ts'
import type { Chunk } from '../../domain/chunk.ts'
import type { Filters, Query, Tag } from '../../domain/search/query.ts'
import type { Filter } from '../../engine/query/filter-mask.ts'
import { type EngineHit, readStoredPassage } from '../../engine/query/hit.ts'
import type { TextQuery, TextResult } from '../../engine/query/text-search.ts'
import type { EngineBatch } from '../../engine/segment/build-segment.ts'
import type { LiveSegment } from '../../engine/segment/live-segment.ts'
import type { PassageGroup } from '../../engine/segment/passage-group.ts'
import { extractTerms, WordList } from '../../text/analyze.ts'
import type { Language } from '../../text/language.ts'
import { queryTerms } from '../../text/query-terms.ts'
import { authorKeys, normalizeAuthor } from '../author-keys.ts'
import { TITLE_WEIGHT } from '../bm25-parameters.ts'
import { detectDocumentLanguage } from '../document-language.ts'
import type { ChunkId, Hit, IndexBatch, IndexDocument, SearchResult, StoredChunk } from '../search-index.ts'
import { textHashes } from '../text-hash.ts'
import { unreadChunk } from '../unread-chunk.ts'
import { isListQuery, parseWordConditions } from '../word-conditions.ts'
import { DIMENSIONS, NO_CHUNKS } from './dimensions.ts'
import { fromEngineFacets, toEngineFacets } from './facets.ts'
import {
  decodeStoredPassage,
  encodeStoredPassage,
  titleFieldTerms,
  toChunk,
  toEngineConditions,
} from './stored-passage.ts'

/** Totals are exact up to this number and lower bounds above it. */
const COUNT_LIMIT = 1_000

export function toEngineBatch({ upserts, deletes, position }: IndexBatch): EngineBatch {
  const wordList = new WordList()
  return { groups: upserts.map((it) => toPassageGroup(it, wordList)), words: wordList.words, deletes, position }
}

function toPassageGroup(document: IndexDocument, wordList: WordList): PassageGroup {
  const { title, chunks } = document
  const language = detectDocumentLanguage(document)
  const titleTerms = { terms: extractTerms(title, language, wordList), weight: TITLE_WEIGHT }
  const chunksInOrder = chunks.length > 0 ? chunks.toSorted((a, b) => a.chunk_ind - b.chunk_ind) : [NO_CHUNK]
  const hashes = textHashes(document, chunksInOrder)
  return {
    key: document.document_id,
    language,
    time: document.updated_at,
    labels: documentLabels(document),
    passages: chunksInOrder.map((chunk, at) => ({
      fields: [titleTerms, { terms: extractTerms(chunk.content, language, wordList), weight: 1 }],
      unscored: at === 0 ? titleFieldTerms(titleTerms.terms) : [],
      stored: encodeStoredPassage(chunk, document),
      ...(hashes[at] === undefined ? {} : { contentHash: hashes[at] }),
    })),
  }
}

export const fromEngineHit = ({ key, part, score, time, language, stored }: EngineHit): Hit => ({
  document_id: key,
  score,
  updated_at: time,
  chunk: stored === null ? unreadChunk(part) : toChunk(decodeStoredPassage(stored)),
  language,
})

const NO_CHUNK: Chunk = { chunk_ind: 0, content: '', link: null }

function documentLabels({ source_type, access, cc_pair_ids, tags, authors, chunks }: IndexDocument): string[][] {
  const labels: Record<(typeof DIMENSIONS)[number], string[]> = {
    source: [source_type],
    access: [...access],
    pair: cc_pair_ids.map(String),
    tag: tags.map(tagLabel),
    shape: chunks.length === 0 ? [NO_CHUNKS] : [],
    author: authors.map((it) => it.name),
    'author-key': authors.flatMap(authorKeys),
  }
  return DIMENSIONS.map((it) => labels[it])
}

export const tagLabel = ({ tag_key, tag_value }: Tag): string => JSON.stringify([tag_key, tag_value])

export function toTextQuery(query: Query, languages: readonly Language[]): TextQuery {
  const { text, access, filters, sort, after, facets = [], offset, limit, texts = limit } = query
  const filter = toEngineFilter(access, filters)
  const wordConditions = parseWordConditions(query, languages)
  const words = queryTerms(text, languages).map((it) => it.terms)
  return {
    // A word without spellings is found nowhere.
    words: words.length > 0 || isListQuery(query, wordConditions) ? words : [[]],
    filter,
    conditions: toEngineConditions(wordConditions),
    sort: sort === 'newest' ? 'time' : 'score',
    ...(after && { after: { score: after.score, time: after.updated_at, key: after.document_id } }),
    facets: toEngineFacets(facets, filter, filters, (widened) => toEngineFilter(access, widened)),
    offset,
    limit,
    texts,
    countLimit: COUNT_LIMIT,
  }
}

export function toEngineFilter(access: Access, filters: Filters): Filter {
  const { source_types, cc_pair_ids, tags, authors, updated_from, updated_until, document_ids } = filters
  const labels: Filter['labels'][number][] = [{ dimension: 'access', any: access }]
  if (source_types !== undefined) labels.push({ dimension: 'source', any: source_types })
  if (cc_pair_ids !== undefined) labels.push({ dimension: 'pair', any: cc_pair_ids.map(String) })
  if (tags !== undefined) labels.push({ dimension: 'tag', any: tags.map(tagLabel) })
  if (authors !== undefined) labels.push({ dimension: 'author-key', any: authors.map(normalizeAuthor) })
  const isDated = updated_from !== undefined || updated_until !== undefined
  return {
    labels,
    ...(isDated && { time: { from: updated_from ?? -Infinity, until: updated_until ?? Infinity } }),
    ...(document_ids !== undefined && { keys: document_ids }),
  }
}

/** Returns null if the chunk does not exist any more. */
export function readChunk(segments: readonly LiveSegment[], { document_id, chunk_ind }: ChunkId): Chunk | null {
  const chunk = readStoredChunk(segments, { document_id, chunk_ind })
  return chunk && toChunk(chunk)
}

/** Returns null if the chunk does not exist any more. */
export function readStoredChunk(
  segments: readonly LiveSegment[],
  { document_id, chunk_ind }: ChunkId,
): StoredChunk | null {
  const stored = readStoredPassage(segments, document_id, chunk_ind)
  return stored === null ? null : decodeStoredPassage(stored)
}

export function toSearchResult({ hits, total, isExact, facets }: TextResult, query: Query): SearchResult {
  return {
    hits: hits.map(fromEngineHit),
    total,
    total_relation: isExact ? 'eq' : 'gte',
    facets: fromEngineFacets(query.facets ?? [], facets),
  }
}
