// Whether a person finds a document, and why: the record decides about access, the index about what is found.
import type { Subject } from '../domain/subject.ts'
import { getAccess } from '../identity/access.ts'
import { type AccessReason, explainAccess, type PersonSubject } from '../identity/explain-access.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { Queryable } from '../store/database/database.ts'
import type { DocumentAccessFacts } from '../store/documents/access-facts.ts'
import { listSetsOfPairs } from '../store/sources/document-sets.ts'

export interface DocumentAccess {
  may_read: boolean
  /** A search without conditions returns the document to the person now. */
  can_find: boolean
  reasons: AccessReason[]
}

export async function explainDocumentAccess(
  { db, searchIndex }: { db: Queryable; searchIndex: SearchIndex },
  person: PersonSubject,
  document: DocumentAccessFacts,
): Promise<DocumentAccess> {
  const { may_read, reasons } = await explainAccess(db, person, document)
  const access = await getAccess(db, person.subject)
  const filters = { document_ids: [document.id] }
  const { total } = await searchIndex.search({ text: '', access, filters, offset: 0, limit: 0 })
  const can_find = may_read && total > 0
  const sets = await explainSets(db, person.subject, document)
  if (!may_read || can_find) return { may_read, can_find, reasons: [...reasons, ...sets] }
  const detail = 'The index does not have the document with these readers yet. Searches find it when it has.'
  const behind: AccessReason = { kind: 'not_in_index', effect: 'prevents', detail, group: null, cc_pair: null }
  return { may_read, can_find, reasons: [...reasons, behind, ...sets] }
}

async function explainSets(
  db: Queryable,
  subject: Subject,
  { cc_pair_ids }: DocumentAccessFacts,
): Promise<AccessReason[]> {
  const sets = await listSetsOfPairs(db, subject, cc_pair_ids)
  return sets.map(({ name, isVisible }) => ({
    kind: 'document_set',
    effect: 'note',
    detail: isVisible
      ? `The document is in the document set "${name}", which the person may search in.`
      : `The document is in the document set "${name}", which is closed to the person: a search in it finds nothing.`,
    group: null,
    cc_pair: null,
  }))
}
