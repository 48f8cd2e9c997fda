import { ownerName } from '../domain/document.ts'
import { type SearchDoc, searchDocOf } from '../domain/search-doc.ts'
import type { Result } from './retrieve.ts'
import { highlightedHtml } from './snippet.ts'

/** A result as the wire shows it to administrators and beside an answer. */
export const searchDoc = ({ document, chunk, score, snippet }: Result): SearchDoc =>
  searchDocOf({
    document_id: document.id,
    chunk_ind: chunk.chunk_ind,
    semantic_identifier: document.semantic_identifier,
    link: chunk.link ?? document.link,
    blurb: snippet.text,
    source_type: document.source,
    metadata: document.metadata,
    score: Math.round(score * 1_000) / 1_000,
    match_highlights: [highlightedHtml(snippet)],
    updated_at: new Date(document.updated_at).toISOString(),
    primary_owners: document.primary_owners.map(ownerName),
    secondary_owners: document.secondary_owners.map(ownerName),
  })
