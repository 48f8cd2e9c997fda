// What may this user find, best first: the index proposes, the record decides who may see it now.
import { type Access, mayRead, tokensOf } from '../domain/access.ts'
import type { Filters } from '../domain/query.ts'
import type { Embedder } from '../inference/embedder.ts'
import type { Hit, SearchIndex } from '../search-index/search-index.ts'
import type { Queries } from '../store/database.ts'
import { type DocumentSummary, findDocuments } from '../store/documents.ts'
import { type Snippet, snippets } from './snippet.ts'

export interface Search {
  query: string
  access: Access
  filters: Filters
  offset: number
  limit: number
}

export interface Result {
  document: DocumentSummary
  chunk: Hit['chunk']
  score: number
  snippet: Snippet
}

export interface Results {
  results: Result[]
  total: number
  total_relation: 'eq' | 'gte'
}

export async function retrieve(
  { searchIndex, db }: { searchIndex: SearchIndex; db: Queries; embedder: Embedder | null },
  { query, access, filters, offset, limit }: Search,
): Promise<Results> {
  const { hits, total, total_relation } = await searchIndex.search({ text: query, access, filters, offset, limit })
  const documents = await findDocuments(
    db,
    hits.map((it) => it.document_id),
  )
  const snippetOf = snippets(query)
  const byId = new Map(documents.map((it) => [it.id, it]))
  const results = hits.flatMap((hit) => {
    const document = byId.get(hit.document_id)
    // The index may be a moment behind: who lost the right to read it, or deleted it, is obeyed at once.
    if (document === undefined || !mayRead(access, tokensOf(document.external_access, document.cc_pair_ids))) return []
    return [{ document, chunk: hit.chunk, score: hit.score, snippet: snippetOf(hit.chunk.content, hit.language) }]
  })
  return { results, total, total_relation }
}
