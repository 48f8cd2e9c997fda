import { tokensOf } from '../domain/access.ts'
import { searchTitle, tagsOf } from '../domain/document.ts'
import type { IndexDocument } from '../search-index/search-index.ts'
import type { Change } from '../store/documents.ts'
import { chunk } from './chunker.ts'

/** What the index holds of a document. */
export function indexDocumentOf(change: Change): IndexDocument {
  return {
    document_id: change.id,
    title: searchTitle(change),
    source_type: change.source,
    updated_at: change.updated_at,
    tags: tagsOf(change.metadata),
    cc_pair_ids: change.cc_pair_ids,
    access: tokensOf(change.external_access, change.cc_pair_ids),
    chunks: chunk(change.sections),
  }
}
