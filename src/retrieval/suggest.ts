// Suggestions for an incomplete query: titles and words of readable documents, and recent queries.
import { type Access, documentAccessTokens, mayRead } from '../domain/access.ts'
import { placeLink } from '../domain/originals/place-link.ts'
import { intersectFilters } from '../domain/search/intersect-filters.ts'
import type { SearchScope } from '../domain/search/query.ts'
import type { Subject } from '../domain/subject.ts'
import type { Hit, SearchIndex } from '../search-index/search-index.ts'
import type { Queryable } from '../store/database/database.ts'
import { type DocumentSummary, findDocuments } from '../store/documents/documents.ts'
import { listRecentQueries } from '../store/search/recent-queries.ts'
import { getSettings } from '../store/settings/settings.ts'
import { listPairsOfSets } from '../store/sources/document-sets.ts'
import { queryTerms } from '../text/query-terms.ts'
import { daysBefore } from '../wire/date-time.ts'
import { parseQuery } from './query/parse-query.ts'
import { buildSearchQuery } from './query/search-query.ts'
import type { SearchQuery } from './ranking/candidates.ts'

export interface SuggestDeps {
  searchIndex: SearchIndex
  db: Queryable
  now: () => number
  baseUrl: string
}

export interface SuggestRequest {
  query: string
  access: Access
  subject: Subject
  scope: SearchScope
}

export interface Suggestions {
  titles: DocumentSummary[]
  /** The query with its last word completed. */
  terms: string[]
  /** Recent queries of the subject that start with the text, newest first. */
  recent: string[]
}

const MAX_TITLES = 5
const MAX_TERMS = 5
const MAX_RECENT = 5
/** A single letter matches too many words. */
const MIN_PREFIX = 2
/** The number of completions for which titles are searched. */
const MAX_COMPLETIONS = 3
export async function suggest(deps: SuggestDeps, request: SuggestRequest): Promise<Suggestions> {
  const { db, searchIndex, now } = deps
  const parsed = parseQuery(request.query, { now: now(), tz: 'UTC' })
  const { document_sets: sets } = parsed
  const documentSetPairs = sets.length === 0 ? undefined : await listPairsOfSets(db, request.subject, sets)
  const searchQuery = buildSearchQuery(
    parsed,
    { access: request.access, filters: intersectFilters({}, request.scope) },
    documentSetPairs,
  )
  const [completions, recent] = await Promise.all([
    findCompletions(searchIndex, searchQuery, request.query),
    findRecentQueries(deps, request),
  ])
  const { last } = completions
  const texts = completions.words.map((it) => replaceEnd(searchQuery.text, last, it))
  const titles = await findTitles(deps, searchQuery, texts.length > 0 ? texts : [searchQuery.text])
  const terms = completions.words.map((it) => replaceEnd(request.query, last, it))
  return { titles, terms: terms.filter((it) => it !== request.query), recent }
}

/** Returns nothing if the text does not end with a word, or if the word belongs to an operator. */
async function findCompletions(searchIndex: SearchIndex, searchQuery: SearchQuery, query: string) {
  const last = [...query.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].at(-1)?.[0] ?? ''
  if (last.length < MIN_PREFIX || !searchQuery.text.endsWith(last)) return { last: '', words: [] }
  const { access, filters } = searchQuery
  const found = await searchIndex.terms({ prefix: last, access, filters, limit: MAX_TERMS })
  return { last, words: found.map((it) => it.spelling) }
}

const replaceEnd = (text: string, end: string, by: string): string => text.slice(0, text.length - end.length) + by

/** Titles for the first text come first. The other texts are searched only if there are too few. */
async function findTitles(
  deps: SuggestDeps,
  searchQuery: SearchQuery,
  texts: readonly string[],
): Promise<DocumentSummary[]> {
  const first = await findReadableTitles(deps, searchQuery, texts.slice(0, 1))
  if (first.length >= MAX_TITLES) return first.slice(0, MAX_TITLES)
  const others = await findReadableTitles(deps, searchQuery, texts.slice(1, MAX_COMPLETIONS))
  const ids = new Set(first.map((it) => it.id))
  return [...first, ...others.filter((it) => !ids.has(it.id))].slice(0, MAX_TITLES)
}

async function findReadableTitles(
  { searchIndex, db, baseUrl }: SuggestDeps,
  searchQuery: SearchQuery,
  texts: readonly string[],
): Promise<DocumentSummary[]> {
  const found = await Promise.all(texts.map((it) => searchTitles(searchIndex, searchQuery, it)))
  const ids = [...new Set(found.flat().map((it) => it.document_id))]
  const documents = await findDocuments(db, ids)
  const byId = new Map(documents.map((it) => [it.id, it]))
  return ids
    .flatMap((id) => byId.get(id) ?? [])
    .filter((it) => mayRead(searchQuery.access, documentAccessTokens(it.external_access, it.cc_pair_ids)))
    .map((it) => ({ ...it, link: placeLink({ document: it, link: null, at: null }, baseUrl) }))
}

async function searchTitles(searchIndex: SearchIndex, searchQuery: SearchQuery, text: string): Promise<Hit[]> {
  const words = queryTerms(text).map((it) => it.word)
  if (words.length === 0) return []
  const titleWords = [...(searchQuery.titleWords ?? []), ...words]
  return (await searchIndex.search({ ...searchQuery, text, titleWords, offset: 0, limit: MAX_TITLES, texts: 0 })).hits
}

async function findRecentQueries({ db, now }: SuggestDeps, { query, subject }: SuggestRequest): Promise<string[]> {
  const { recent_query_retention_days: days } = await getSettings(db)
  const all = await listRecentQueries(db, subject.user_id, daysBefore(now(), days))
  const prefix = query.trimStart().toLowerCase()
  return all.filter((it) => it !== query && it.toLowerCase().startsWith(prefix)).slice(0, MAX_RECENT)
}
