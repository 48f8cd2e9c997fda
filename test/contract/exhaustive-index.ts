// The ranking of the port, written down without any index: every search reads every document again.

import { mayRead } from '../../src/domain/access.ts'
import type { Chunk } from '../../src/domain/chunk.ts'
import type { Filters, Query } from '../../src/domain/query.ts'
import type { IndexBatch, IndexDocument } from '../../src/search-index/search-index.ts'
import { termsOf } from '../../src/text/analyze.ts'
import { detectLanguage } from '../../src/text/language.ts'
import { queryTerms } from '../../src/text/query-terms.ts'

export interface Expected {
  document_id: string
  score: number
  /** Every chunk of the document that has this score. */
  chunks: Chunk[]
}

/** What the index holds after these batches. */
export function documentsAfter(batches: readonly IndexBatch[]): IndexDocument[] {
  const documents = new Map<string, IndexDocument>()
  for (const { deletes, upserts } of batches) {
    for (const id of deletes) documents.delete(id)
    for (const it of upserts) documents.set(it.document_id, it)
  }
  return [...documents.values()]
}

/** Everything that the query finds, best first, whatever its offset and limit. */
export function expectedHits(documents: readonly IndexDocument[], query: Query): Expected[] {
  const pieces = documents.flatMap(piecesOf)
  const averageLength = pieces.reduce((sum, it) => sum + it.terms.length, 0) / pieces.length
  const languages = [...new Set(documents.map(languageOf))]
  const words = queryTerms(query.text, languages).map(({ terms }) => {
    const found = Math.max(...terms.map((term) => pieces.filter((it) => it.terms.includes(term)).length))
    return { terms, idf: Math.log(1 + (pieces.length - found + 0.5) / (found + 0.5)) }
  })
  const scoreOf = (terms: readonly string[]) =>
    words.reduce((sum, word) => {
      const count = Math.max(...word.terms.map((term) => terms.filter((it) => it === term).length))
      return sum + (word.idf * count) / (count + 1.5 * (0.25 + (0.75 * terms.length) / averageLength))
    }, 0)
  return documents
    .filter((it) => mayRead(query.access, it.access) && meets(it, query.filters))
    .map((it) => {
      const scored = piecesOf(it).map(({ chunk, terms }) => ({ chunk, score: scoreOf(terms) }))
      const score = Math.max(...scored.map((piece) => piece.score))
      const chunks = scored.filter((piece) => score - piece.score < 1e-6).map((piece) => piece.chunk)
      return { document_id: it.document_id, score, chunks }
    })
    .filter((it) => it.score > 0)
    .sort((a, b) => b.score - a.score || (a.document_id < b.document_id ? -1 : 1))
}

const languageOf = ({ title, chunks }: IndexDocument) => detectLanguage(`${title}\n${chunks[0]?.content ?? ''}`)

function piecesOf(document: IndexDocument): { chunk: Chunk; terms: string[] }[] {
  const language = languageOf(document)
  const title = termsOf(document.title, language)
  const chunks = document.chunks.length > 0 ? document.chunks : [{ chunk_ind: 0, content: '', link: null }]
  return chunks.map((chunk) => ({ chunk, terms: [...title, ...title, ...termsOf(chunk.content, language)] }))
}

function meets(document: IndexDocument, filters: Filters): boolean {
  const { source_types, cc_pair_ids, tags, updated_from, updated_until } = filters
  const { updated_at } = document
  if (source_types && !source_types.includes(document.source_type)) return false
  if (cc_pair_ids && !cc_pair_ids.some((it) => document.cc_pair_ids.includes(it))) return false
  const own = document.tags.map((it) => JSON.stringify([it.tag_key, it.tag_value]))
  if (tags && !tags.some((it) => own.includes(JSON.stringify([it.tag_key, it.tag_value])))) return false
  if (updated_from !== undefined && (updated_at === null || updated_at < updated_from)) return false
  return updated_until === undefined || (updated_at !== null && updated_at <= updated_until)
}
