import { type Access, accessOf } from '../domain/access.ts'
import type { Subject } from '../domain/subject.ts'
import { listReadablePairs } from '../store/cc-pairs.ts'
import type { Queries } from '../store/database.ts'
import type { WritablePairs } from '../store/documents.ts'
import { listSourceGroups } from '../store/source-access.ts'

/** What the subject may read at this moment. */
export async function readableBy(db: Queries, subject: Subject): Promise<Access> {
  const sourceGroups = subject.email === null ? [] : await listSourceGroups(db, subject.email)
  const person = { email: subject.email, groups: [...subject.groups, ...sourceGroups] }
  return accessOf(person, await listReadablePairs(db, subject.groups))
}

/** Which cc-pairs the subject may push documents into, and whose documents it may look after. */
export async function writableBy(db: Queries, subject: Subject): Promise<WritablePairs> {
  return subject.rights.has('connectors') ? 'all' : listReadablePairs(db, subject.groups)
}
