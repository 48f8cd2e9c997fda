import { createSearchDoc, type SearchDoc } from '../domain/chat/search-doc.ts'
import { ownerDisplayName } from '../domain/document.ts'
import { displayLink, displayTitle } from '../domain/values/display-text.ts'
import { highlightedHtml } from './results/snippet.ts'
import type { RetrievalResult } from './retrieve.ts'

/** Converts a result to the wire format of answers and of the administrator search. */
export const resultToSearchDoc = ({ document, chunk, score, snippet }: RetrievalResult): SearchDoc =>
  createSearchDoc({
    document_id: document.id,
    chunk_ind: chunk.chunk_ind,
    semantic_identifier: displayTitle(document.semantic_identifier),
    link: displayLink(chunk.link ?? document.link),
    blurb: snippet.text,
    source_type: document.source,
    metadata: document.metadata,
    score: Math.round(score * 1_000) / 1_000,
    match_highlights: [highlightedHtml(snippet)],
    updated_at: new Date(document.updated_at).toISOString(),
    primary_owners: document.primary_owners.map(ownerDisplayName),
    secondary_owners: document.secondary_owners.map(ownerDisplayName),
  })
