// A document as the engine knows it: a key, labels to filter by, and an entry per chunk. And a query likewise.
import type { Chunk } from '../domain/chunk.ts'
import type { Query } from '../domain/query.ts'
import type { Group } from '../engine/group.ts'
import type { Filter } from '../engine/mask.ts'
import type { TextQuery, TextResult } from '../engine/search.ts'
import { termsOf } from '../text/analyze.ts'
import { detectLanguage, type Language } from '../text/language.ts'
import { queryTerms } from '../text/query-terms.ts'
import { TITLE_WEIGHT } from './bm25.ts'
import type { IndexDocument, SearchResult } from './search-index.ts'

/** `shape` tells documents without chunks, whose only entry is their title. */
export const DIMENSIONS = ['source', 'access', 'pair', 'tag', 'shape'] as const
export const BARE = 'bare'

/** Totals are exact up to this many, and lower bounds above. */
const COUNT_LIMIT = 1_000

export function groupOf(document: IndexDocument): Group {
  const { title, chunks } = document
  const language = detectLanguage(`${title}\n${chunks[0]?.content ?? ''}`)
  const titleTerms = { terms: termsOf(title, language), weight: TITLE_WEIGHT }
  const pieces = chunks.length > 0 ? chunks.toSorted((a, b) => a.chunk_ind - b.chunk_ind) : [NO_CHUNK]
  return {
    key: document.document_id,
    language,
    time: document.updated_at,
    labels: labelsOf(document),
    entries: pieces.map((chunk) => ({
      fields: [titleTerms, { terms: termsOf(chunk.content, language), weight: 1 }],
      stored: JSON.stringify(chunk),
    })),
  }
}

const NO_CHUNK: Chunk = { chunk_ind: 0, content: '', link: null }

function labelsOf({ source_type, access, cc_pair_ids, tags, chunks }: IndexDocument): string[][] {
  const labels: Record<(typeof DIMENSIONS)[number], string[]> = {
    source: [source_type],
    access: [...access],
    pair: cc_pair_ids.map(String),
    tag: tags.map(tagLabel),
    shape: chunks.length === 0 ? [BARE] : [],
  }
  return DIMENSIONS.map((it) => labels[it])
}

const tagLabel = (tag: { tag_key: string; tag_value: string }): string => JSON.stringify([tag.tag_key, tag.tag_value])

export function textQueryOf({ text, access, filters, offset, limit }: Query, languages: readonly string[]): TextQuery {
  const { source_types, cc_pair_ids, tags, updated_from, updated_until } = filters
  const labels: Filter['labels'][number][] = [{ dimension: 'access', any: access }]
  if (source_types !== undefined) labels.push({ dimension: 'source', any: source_types })
  if (cc_pair_ids !== undefined) labels.push({ dimension: 'pair', any: cc_pair_ids.map(String) })
  if (tags !== undefined) labels.push({ dimension: 'tag', any: tags.map(tagLabel) })
  const hasTime = updated_from !== undefined || updated_until !== undefined
  const time = { from: updated_from ?? -Infinity, until: updated_until ?? Infinity }
  return {
    // The engine knows no other languages than those that `groupOf` gave it.
    words: queryTerms(text, languages as readonly Language[]).map((it) => it.terms),
    filter: hasTime ? { labels, time } : { labels },
    offset,
    limit,
    countLimit: COUNT_LIMIT,
  }
}

export function searchResultOf({ hits, total, isExact }: TextResult): SearchResult {
  return {
    // What is stored is what `groupOf` wrote.
    hits: hits.map(({ key, score, stored }) => ({ document_id: key, score, chunk: JSON.parse(stored) as Chunk })),
    total,
    total_relation: isExact ? 'eq' : 'gte',
  }
}
