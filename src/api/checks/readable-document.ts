// Which documents a caller may look at in detail, and whose text.
import { documentAccessTokens, mayRead } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { getAccess, getDocumentScope } from '../../identity/access.ts'
import type { Queryable } from '../../store/database/database.ts'
import { type DocumentAccessFacts, findDocumentAccessFacts } from '../../store/documents/access-facts.ts'
import { maySeeDocument } from '../../store/documents/scope.ts'
import { getSettings } from '../../store/settings/settings.ts'

/** DOCUMENT_NOT_FOUND: it does not exist, is in the trash, or lies outside of what the caller manages. */
export async function getManagedDocument(db: Queryable, subject: Subject, id: string): Promise<DocumentAccessFacts> {
  const facts = await findDocumentAccessFacts(db, id)
  const isSeen = facts !== undefined && facts.deleted_at === null
  if (!isSeen || !maySeeDocument(await getDocumentScope(db, subject), facts)) throw new AppError('DOCUMENT_NOT_FOUND')
  return facts
}

/** Its pusher and its readers may read the text, and administrators while `view_as_enabled` is on. */
export async function mayReadText(db: Queryable, subject: Subject, facts: DocumentAccessFacts): Promise<boolean> {
  if (facts.pushed_by === subject.user_id) return true
  const tokens = documentAccessTokens(facts.external_access, facts.cc_pair_ids)
  if (mayRead(await getAccess(db, subject), tokens)) return true
  return subject.rights.has('admin') && (await getSettings(db)).view_as_enabled
}

/** DOCUMENT_NOT_FOUND, as `getManagedDocument`. DOCUMENT_TEXT_CLOSED: the caller may not read it. */
export async function checkTextReadable(db: Queryable, subject: Subject, id: string): Promise<void> {
  const facts = await getManagedDocument(db, subject, id)
  if (!(await mayReadText(db, subject, facts))) throw new AppError('DOCUMENT_TEXT_CLOSED')
}
