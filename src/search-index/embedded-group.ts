// A document as the engine knows it: a key, labels to filter by, and an entry per chunk. And a query likewise.

import type { Access } from '../domain/access.ts'
import type { Chunk } from '../domain/chunk.ts'
import type { Filters, Query, Tag } from '../domain/query.ts'
import type { Batch } from '../engine/build-segment.ts'
import type { Group } from '../engine/group.ts'
import { type EngineHit, storedAt } from '../engine/hit.ts'
import type { LiveSegment } from '../engine/live-segment.ts'
import type { Filter } from '../engine/mask.ts'
import type { TextQuery, TextResult } from '../engine/search.ts'
import { termsOf, WordList } from '../text/analyze.ts'
import { detectLanguage, type Language } from '../text/language.ts'
import { queryTerms } from '../text/query-terms.ts'
import { authorKey, authorKeysOf } from './author-keys.ts'
import { TITLE_WEIGHT } from './bm25.ts'
import { chunkOf, conditionsOf, marksOf, storedOf } from './embedded-conditions.ts'
import { BARE, DIMENSIONS } from './embedded-dimensions.ts'
import { facetRequestsOf, facetsOf } from './embedded-facets.ts'
import type { ChunkPlace, Hit, IndexBatch, IndexDocument, SearchResult } from './search-index.ts'
import { textHashes } from './text-hash.ts'
import { unreadChunk } from './unread-chunk.ts'
import { isListed, wordConditionsOf } from './word-conditions.ts'

/** Totals are exact up to this many, and lower bounds above. */
const COUNT_LIMIT = 1_000

export function engineBatchOf({ upserts, deletes, position }: IndexBatch): Batch {
  const list = new WordList()
  return { groups: upserts.map((it) => groupOf(it, list)), words: list.words, deletes, position }
}

function groupOf(document: IndexDocument, list: WordList): Group {
  const { title, chunks } = document
  const language = detectLanguage(`${title}\n${chunks[0]?.content ?? ''}`)
  const titleTerms = { terms: termsOf(title, language, list), weight: TITLE_WEIGHT }
  const pieces = chunks.length > 0 ? chunks.toSorted((a, b) => a.chunk_ind - b.chunk_ind) : [NO_CHUNK]
  const hashes = textHashes(document, pieces)
  return {
    key: document.document_id,
    language,
    time: document.updated_at,
    labels: labelsOf(document),
    entries: pieces.map((chunk, at) => ({
      fields: [titleTerms, { terms: termsOf(chunk.content, language, list), weight: 1 }],
      unscored: at === 0 ? marksOf(titleTerms.terms) : [],
      stored: storedOf(chunk, title),
      ...(hashes[at] === undefined ? {} : { mark: hashes[at] }),
    })),
  }
}

/** The engine knows no other languages than those that `groupOf` gave it. */
export const hitOf = ({ key, part, score, time, language, stored }: EngineHit): Hit => ({
  document_id: key,
  score,
  updated_at: time,
  chunk: stored === null ? unreadChunk(part) : chunkOf(stored),
  language: language as Language,
})

const NO_CHUNK: Chunk = { chunk_ind: 0, content: '', link: null }

function labelsOf({ source_type, access, cc_pair_ids, tags, authors, chunks }: IndexDocument): string[][] {
  const labels: Record<(typeof DIMENSIONS)[number], string[]> = {
    source: [source_type],
    access: [...access],
    pair: cc_pair_ids.map(String),
    tag: tags.map(tagLabel),
    shape: chunks.length === 0 ? [BARE] : [],
    author: authors.map((it) => it.name),
    'author-key': authors.flatMap(authorKeysOf),
  }
  return DIMENSIONS.map((it) => labels[it])
}

export const tagLabel = ({ tag_key, tag_value }: Tag): string => JSON.stringify([tag_key, tag_value])

/** The engine knows no other languages than those that `groupOf` gave it. */
export function textQueryOf(query: Query, languages: readonly string[]): TextQuery {
  const { text, access, filters, sort, after, facets = [], offset, limit, texts = limit } = query
  const held = languages as readonly Language[]
  const filter = filterOf(access, filters)
  const wordConditions = wordConditionsOf(query, held)
  const words = queryTerms(text, held).map((it) => it.terms)
  return {
    // A word without spellings is found nowhere.
    words: words.length > 0 || isListed(query, wordConditions) ? words : [[]],
    filter,
    conditions: conditionsOf(wordConditions),
    sort: sort === 'newest' ? 'time' : 'score',
    ...(after && { after: { score: after.score, time: after.updated_at, key: after.document_id } }),
    facets: facetRequestsOf(facets, filter, filters, (widened) => filterOf(access, widened)),
    offset,
    limit,
    texts,
    countLimit: COUNT_LIMIT,
  }
}

export function filterOf(access: Access, filters: Filters): Filter {
  const { source_types, cc_pair_ids, tags, authors, updated_from, updated_until, document_ids } = filters
  const labels: Filter['labels'][number][] = [{ dimension: 'access', any: access }]
  if (source_types !== undefined) labels.push({ dimension: 'source', any: source_types })
  if (cc_pair_ids !== undefined) labels.push({ dimension: 'pair', any: cc_pair_ids.map(String) })
  if (tags !== undefined) labels.push({ dimension: 'tag', any: tags.map(tagLabel) })
  if (authors !== undefined) labels.push({ dimension: 'author-key', any: authors.map(authorKey) })
  const isDated = updated_from !== undefined || updated_until !== undefined
  return {
    labels,
    ...(isDated && { time: { from: updated_from ?? -Infinity, until: updated_until ?? Infinity } }),
    ...(document_ids !== undefined && { keys: document_ids }),
  }
}

/** Null when it is gone. */
export function chunkAt(segments: readonly LiveSegment[], { document_id, chunk_ind }: ChunkPlace): Chunk | null {
  const stored = storedAt(segments, document_id, chunk_ind)
  return stored === null ? null : chunkOf(stored)
}

export function searchResultOf({ hits, total, isExact, facets }: TextResult, query: Query): SearchResult {
  return {
    hits: hits.map(hitOf),
    total,
    total_relation: isExact ? 'eq' : 'gte',
    facets: facetsOf(query.facets ?? [], facets),
  }
}
