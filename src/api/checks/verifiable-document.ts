// Which documents a caller may verify: readable ones that name the caller as an owner, or whose connector they manage.
import type { DocumentOwner } from '../../domain/document.ts'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { getAccess } from '../../identity/access.ts'
import { findReadableDocuments } from '../../relevance/readable-documents.ts'
import type { Queryable } from '../../store/database/database.ts'
import { isSameEmail } from '../../store/documents/person-documents.ts'
import { filterManagedPairs } from '../../store/sources/managed-pairs.ts'

/** The fields of a readable document that decide. */
interface ReadableDocument {
  primary_owners: readonly DocumentOwner[]
  secondary_owners: readonly DocumentOwner[]
  cc_pair_ids: readonly number[]
}

/** The caller may read the document. A token may not: what it says would outlive it. */
export async function mayVerify(db: Queryable, subject: Subject, document: ReadableDocument): Promise<boolean> {
  if (!subject.rights.has('pats')) return false
  if (isOwner(subject, document)) return true
  return (await filterManagedPairs(db, subject, document.cc_pair_ids)).length > 0
}

function isOwner({ email }: Subject, { primary_owners, secondary_owners }: ReadableDocument): boolean {
  return email !== null && [...primary_owners, ...secondary_owners].some((it) => isSameEmail(it.email, email))
}

/** False as well if the caller may not read the document. */
export async function isVerifiable(db: Queryable, subject: Subject, id: string): Promise<boolean> {
  const document = await findReadable(db, subject, id)
  return document !== undefined && (await mayVerify(db, subject, document))
}

/** DOCUMENT_NOT_FOUND: the caller may not read it. NOT_DOCUMENT_OWNER: the caller may not verify it. */
export async function checkVerifiable(db: Queryable, subject: Subject, id: string): Promise<void> {
  const document = await findReadable(db, subject, id)
  if (document === undefined) throw new AppError('DOCUMENT_NOT_FOUND')
  if (!(await mayVerify(db, subject, document))) throw new AppError('NOT_DOCUMENT_OWNER')
}

const findReadable = async (db: Queryable, subject: Subject, id: string) =>
  (await findReadableDocuments(db, [id], await getAccess(db, subject))).get(id)
