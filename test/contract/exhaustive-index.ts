// The ranking of the port, implemented without an index: every search reads every document.

import { mayRead } from '../../src/domain/access.ts'
import type { Chunk } from '../../src/domain/chunk.ts'
import type { Cursor, FacetRequest, Filters, Query, TextConditions } from '../../src/domain/search/query.ts'
import { detectDocumentLanguage } from '../../src/search-index/document-language.ts'
import type { Facet, IndexBatch, IndexDocument, LanguageCount } from '../../src/search-index/search-index.ts'
import { extractTerms } from '../../src/text/analyze.ts'
import type { Language } from '../../src/text/language.ts'
import { queryTerms } from '../../src/text/query-terms.ts'
import { hasWord, holdsByPaths } from './phrase-by-paths.ts'

export interface Expected extends Cursor {
  /** Every chunk of the document with this score. */
  chunks: Chunk[]
}

/** Returns the documents in an index after these batches. */
export function documentsAfter(batches: readonly IndexBatch[]): IndexDocument[] {
  const documents = new Map<string, IndexDocument>()
  for (const { deletes, upserts } of batches) {
    for (const id of deletes) documents.delete(id)
    for (const it of upserts) documents.set(it.document_id, it)
  }
  return [...documents.values()]
}

/** Returns everything that the query finds, best first, regardless of its page. */
export function expectedHits(documents: readonly IndexDocument[], query: Query, filters = query.filters): Expected[] {
  const pieces = documents.flatMap(piecesOf)
  const averageLength = pieces.reduce((sum, it) => sum + it.terms.length, 0) / pieces.length
  const languages = [...new Set(documents.map(languageOf))]
  const words = queryTerms(query.text, languages).map(({ terms }) => {
    const found = Math.max(...terms.map((term) => pieces.filter((it) => it.terms.includes(term)).length))
    return { terms, idf: Math.log(1 + (pieces.length - found + 0.5) / (found + 0.5)) }
  })
  if (words.length === 0 && !isListed(query, languages)) return []
  const scoreOf = (terms: readonly string[]) =>
    words.reduce((sum, word) => {
      const count = Math.max(...word.terms.map((term) => terms.filter((it) => it === term).length))
      return sum + (word.idf * count) / (count + 1.5 * (0.25 + (0.75 * terms.length) / averageLength))
    }, 0)
  return documents
    .filter((it) => mayRead(query.access, it.access) && meets(it, filters) && meetsWords(it, query, languages))
    .flatMap((it) => {
      const scored = findablePieces(it, query, languages).map(({ chunk, terms }) => ({ chunk, score: scoreOf(terms) }))
      const score = Math.max(...scored.map((piece) => piece.score))
      if (words.length > 0 && !(score > 0)) return []
      const best = scored.filter((piece) => score - piece.score < 1e-6).map((piece) => piece.chunk)
      const chunks = words.length > 0 ? best : best.slice(0, 1)
      return [{ document_id: it.document_id, score, updated_at: it.updated_at, chunks }]
    })
    .sort((a, b) => expectedOrder(query, languages)(a, b))
}

/** Returns the hits after the query's cursor. */
export function behind(expected: readonly Expected[], query: Query, documents: readonly IndexDocument[]): Expected[] {
  const { after } = query
  if (after === undefined) return [...expected]
  const order = expectedOrder(query, [...new Set(documents.map(languageOf))])
  return expected.filter((it) => order(after, it) < 0)
}

export const isByTime = (query: Query, languages: readonly Language[]): boolean =>
  query.sort === 'newest' || !hasWord(query.text, languages)

function expectedOrder(query: Query, languages: readonly Language[]): (a: Cursor, b: Cursor) => number {
  const newness = (it: Cursor) => it.updated_at ?? Number.NEGATIVE_INFINITY
  const value = isByTime(query, languages) ? newness : (it: Cursor) => it.score
  return (a, b) => {
    if (value(a) !== value(b)) return value(a) > value(b) ? -1 : 1
    return a.document_id === b.document_id ? 0 : a.document_id < b.document_id ? -1 : 1
  }
}

export const expectedFacets = (documents: readonly IndexDocument[], query: Query): Facet[] =>
  (query.facets ?? []).map((facet) => {
    const { source_types, authors, cc_pair_ids, tags, updated_from, updated_until, ...none } = query.filters
    const own = {
      ...none,
      ...(facet.field !== 'source_type' && source_types && { source_types }),
      ...(facet.field !== 'author' && authors && { authors }),
      ...(facet.field !== 'cc_pair' && cc_pair_ids && { cc_pair_ids }),
      ...(facet.field !== 'tag' && tags && { tags }),
      ...(facet.field !== 'time' && updated_from !== undefined && { updated_from }),
      ...(facet.field !== 'time' && updated_until !== undefined && { updated_until }),
    }
    const ids = new Set(expectedHits(documents, query, own).map((it) => it.document_id))
    const found = documents.filter((it) => ids.has(it.document_id))
    // TypeScript cannot infer that the values belong to the field.
    return { field: facet.field, values: valuesOf(facet, found), count_relation: 'eq' } as Facet
  })

function valuesOf(facet: FacetRequest, documents: readonly IndexDocument[]) {
  if (facet.field === 'time') {
    return facet.spans.map(({ value, from, until }) => ({
      value,
      count: documents.filter(
        ({ updated_at: time }) =>
          time !== null && (from === undefined || time >= from) && (until === undefined || time <= until),
      ).length,
    }))
  }
  const own = (it: IndexDocument): readonly unknown[] => {
    const { source_type, cc_pair_ids, tags, authors } = it
    return { source_type: [source_type], cc_pair: cc_pair_ids, tag: tags, author: authors.map((who) => who.name) }[
      facet.field
    ]
  }
  const asText = (value: unknown) =>
    typeof value === 'object' ? JSON.stringify(Object.values(value!)) : `${value as string | number}`
  const texts = documents.map((it) => new Map(own(it).map((value) => [asText(value), value])))
  const all = new Map(texts.flatMap((it) => [...it]))
  return [...all]
    .map(([text, value]) => ({ text, value, count: texts.filter((it) => it.has(text)).length }))
    .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
    .slice(0, facet.size)
    .map(({ value, count }) => ({ value, count }))
}

function isListed({ filters, sort, ...query }: Query, languages: readonly Language[]): boolean {
  const texts = [query.phrases, query.required, query.excluded, query.titleWords].flatMap((it) => it ?? [])
  return sort === 'newest' || Object.keys(filters).length > 0 || texts.some((it) => hasWord(it, languages))
}

export function meetsWords(document: IndexDocument, query: TextConditions, languages: readonly Language[]): boolean {
  const language = languageOf(document)
  const asked = (texts: readonly string[] = []) => texts.filter((it) => hasWord(it, languages))
  const isIn = (text: string) => (phrase: string) => holdsByPaths(phrase, languages, text, language)
  const texts = [document.title, ...document.chunks.map((it) => it.content)]
  const isAnywhere = (phrase: string) => texts.some((it) => isIn(it)(phrase))
  return (
    [...asked(query.phrases), ...asked(query.required)].every(isAnywhere) &&
    !asked(query.excluded).some(isAnywhere) &&
    asked(query.titleWords).every(isIn(document.title))
  )
}

export function findablePieces(
  document: IndexDocument,
  { phrases = [] }: TextConditions,
  languages: readonly Language[],
) {
  const language = languageOf(document)
  const asked = phrases.filter((it) => hasWord(it, languages))
  const isFound = (text: string) => asked.some((it) => holdsByPaths(it, languages, text, language))
  const pieces = piecesOf(document)
  return asked.length === 0 || isFound(document.title) ? pieces : pieces.filter((it) => isFound(it.chunk.content))
}

export const languageOf = (document: IndexDocument) => detectDocumentLanguage(document)

export const expectedLanguages = (documents: readonly IndexDocument[]): LanguageCount[] =>
  [...Map.groupBy(documents, languageOf)]
    .map(([language, its]) => ({ language, documents: its.length }))
    .sort((a, b) => b.documents - a.documents || (a.language < b.language ? -1 : 1))

function piecesOf(document: IndexDocument): { chunk: Chunk; terms: string[] }[] {
  const language = languageOf(document)
  const title = extractTerms(document.title, language)
  const chunks = document.chunks.length > 0 ? document.chunks : [{ chunk_ind: 0, content: '', link: null }]
  return chunks.map((chunk) => ({ chunk, terms: [...title, ...title, ...extractTerms(chunk.content, language)] }))
}

export function meets(document: IndexDocument, filters: Filters): boolean {
  const { source_types, cc_pair_ids, tags, authors, updated_from, updated_until, document_ids } = filters
  const { updated_at } = document
  if (document_ids && !document_ids.includes(document.document_id)) return false
  if (source_types && !source_types.includes(document.source_type)) return false
  if (cc_pair_ids && !cc_pair_ids.some((it) => document.cc_pair_ids.includes(it))) return false
  const own = document.tags.map((it) => JSON.stringify([it.tag_key, it.tag_value]))
  if (tags && !tags.some((it) => own.includes(JSON.stringify([it.tag_key, it.tag_value])))) return false
  const names = document.authors.flatMap(({ name, email }) => [
    name,
    ...name.split(' '),
    email ?? '',
    (email ?? '').split('@')[0]!,
  ])
  const plain = (text: string) =>
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{Mn}/gu, '')
  if (authors && !authors.some((it) => it !== '' && names.map(plain).includes(plain(it)))) return false
  if (updated_from !== undefined && (updated_at === null || updated_at < updated_from)) return false
  return updated_until === undefined || (updated_at !== null && updated_at <= updated_until)
}
