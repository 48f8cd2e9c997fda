import { type Access, mayRead, tokensOf } from '../domain/access.ts'
import type { Subject } from '../domain/subject.ts'
import type { Queries } from '../store/database.ts'
import { findDocuments } from '../store/documents.ts'

export interface ReadableNeeds {
  db: Queries
  readableBy: (subject: Subject) => Promise<Access>
}

/** Whether the person may read the document at this moment: the index that found it may be a moment behind the record. */
export async function isReadable(
  { db, readableBy }: ReadableNeeds,
  subject: Subject,
  documentId: string,
): Promise<boolean> {
  const [documents, access] = await Promise.all([findDocuments(db, [documentId]), readableBy(subject)])
  return documents.some((it) => mayRead(access, tokensOf(it.external_access, it.cc_pair_ids)))
}
