import { type Access, accessForPerson, documentAccessTokens, mayRead } from '../domain/access.ts'
import type { Subject } from '../domain/subject.ts'
import type { Queryable } from '../store/database/database.ts'
import { findDocuments } from '../store/documents/documents.ts'
import type { DocumentScope, WritablePairs } from '../store/documents/scope.ts'
import { listReadablePairs } from '../store/sources/cc-pairs.ts'
import { listSourceGroups } from '../store/sources/source-access.ts'

/** Returns what the subject may read now. */
export async function getAccess(db: Queryable, subject: Subject): Promise<Access> {
  const sourceGroups = subject.email === null ? [] : await listSourceGroups(db, subject.email)
  const person = { email: subject.email, groups: [...subject.groups, ...sourceGroups] }
  return accessForPerson(person, await listReadablePairs(db, subject.groups))
}

const ID_BATCH_SIZE = 500

/** Returns those documents that the subject may read now, according to the record. */
export async function filterReadable(
  db: Queryable,
  subject: Subject,
  documentIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const access = await getAccess(db, subject)
  const readable = new Set<string>()
  for (let at = 0; at < documentIds.length; at += ID_BATCH_SIZE) {
    for (const it of await findDocuments(db, documentIds.slice(at, at + ID_BATCH_SIZE))) {
      if (mayRead(access, documentAccessTokens(it.external_access, it.cc_pair_ids))) readable.add(it.id)
    }
  }
  return readable
}

/** Returns the documents that the subject may see, overwrite, delete and retry: its own and those it may read. */
export async function getDocumentScope(db: Queryable, subject: Subject): Promise<DocumentScope> {
  if (subject.rights.has('connectors')) return 'all'
  const pairs = await listReadablePairs(db, subject.groups)
  return { owner: subject.user_id, pairs, access: await getAccess(db, subject) }
}

/** Returns the cc-pairs into which the subject may push documents. */
export async function getWritablePairs(db: Queryable, subject: Subject): Promise<WritablePairs> {
  return subject.rights.has('connectors') ? 'all' : listReadablePairs(db, subject.groups)
}
