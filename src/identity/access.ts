import { type Access, accessOf, mayRead, tokensOf } from '../domain/access.ts'
import type { Subject } from '../domain/subject.ts'
import { listReadablePairs } from '../store/cc-pairs.ts'
import type { Queries } from '../store/database.ts'
import { findDocuments, type WritablePairs } from '../store/documents.ts'
import { listSourceGroups } from '../store/source-access.ts'

/** What the subject may read at this moment. */
export async function readableBy(db: Queries, subject: Subject): Promise<Access> {
  const sourceGroups = subject.email === null ? [] : await listSourceGroups(db, subject.email)
  const person = { email: subject.email, groups: [...subject.groups, ...sourceGroups] }
  return accessOf(person, await listReadablePairs(db, subject.groups))
}

const IDS_AT_ONCE = 500

/** Those of the documents that the subject may read at this moment, by the record. */
export async function readableAmong(
  db: Queries,
  subject: Subject,
  documentIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const access = await readableBy(db, subject)
  const readable = new Set<string>()
  for (let at = 0; at < documentIds.length; at += IDS_AT_ONCE) {
    for (const it of await findDocuments(db, documentIds.slice(at, at + IDS_AT_ONCE))) {
      if (mayRead(access, tokensOf(it.external_access, it.cc_pair_ids))) readable.add(it.id)
    }
  }
  return readable
}

/** Which cc-pairs the subject may push documents into, and whose documents it may look after. */
export async function writableBy(db: Queries, subject: Subject): Promise<WritablePairs> {
  return subject.rights.has('connectors') ? 'all' : listReadablePairs(db, subject.groups)
}
