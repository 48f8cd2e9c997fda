import { type Access, accessOf } from '../domain/access.ts'
import type { Subject } from '../domain/subject.ts'
import { listReadablePairs } from '../store/cc-pairs.ts'
import type { Queries } from '../store/database.ts'

/** What the subject may read at this moment. */
export async function readableBy(db: Queries, subject: Subject): Promise<Access> {
  return accessOf(subject, await listReadablePairs(db, subject.groups))
}
