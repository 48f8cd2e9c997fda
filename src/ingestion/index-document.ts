import { tokensOf } from '../domain/access.ts'
import { type Owner, ownerName, searchTitle, tagsOf } from '../domain/document.ts'
import type { Author, IndexDocument } from '../search-index/search-index.ts'
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
    authors: [...change.primary_owners, ...change.secondary_owners].flatMap(authorOf),
    cc_pair_ids: change.cc_pair_ids,
    access: tokensOf(change.external_access, change.cc_pair_ids),
    chunks: chunk(change.sections),
  }
}

/** People leave fields empty as well as out. */
function authorOf(owner: Owner): Author[] {
  const given = Object.fromEntries(Object.entries(owner).map(([key, value]) => [key, value?.trim() || null])) as Owner
  if (Object.values(given).every((it) => it === null)) return []
  return [{ name: ownerName(given), email: given.email }]
}
