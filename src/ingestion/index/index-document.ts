import { documentAccessTokens } from '../../domain/access.ts'
import { type DocumentOwner, ownerDisplayName, searchTitle, tagsFromMetadata } from '../../domain/document.ts'
import type { Author, IndexDocument } from '../../search-index/search-index.ts'
import type { DocumentChange } from '../../store/documents/documents.ts'
import { chunkSections } from './chunk-sections.ts'
import { recognizePageKind } from './page-kind.ts'

/** Converts a stored document to its form in the index. */
export function toIndexDocument(change: DocumentChange): IndexDocument {
  const page_kind = recognizePageKind(change)
  return {
    document_id: change.id,
    title: searchTitle(change),
    source_type: change.source,
    updated_at: change.updated_at,
    tags: tagsFromMetadata(change.metadata),
    authors: [...change.primary_owners, ...change.secondary_owners].flatMap(toAuthor),
    cc_pair_ids: change.cc_pair_ids,
    access: documentAccessTokens(change.external_access, change.cc_pair_ids),
    chunks: chunkSections(change.sections),
    ...(page_kind && { page_kind }),
  }
}

/** Fields may be empty strings as well as absent. */
function toAuthor(owner: DocumentOwner): Author[] {
  const given: DocumentOwner = {
    display_name: owner.display_name?.trim() || null,
    first_name: owner.first_name?.trim() || null,
    middle_initial: owner.middle_initial?.trim() || null,
    last_name: owner.last_name?.trim() || null,
    email: owner.email?.trim() || null,
  }
  if (Object.values(given).every((it) => it === null)) return []
  return [{ name: ownerDisplayName(given), email: given.email }]
}
