// The documents that name a person, and the removal of the person from them.
import type { ExternalAccess } from '../../domain/access.ts'
import type { DocumentOwner } from '../../domain/document.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'
import { ownerStatements } from '../freshness/owners.ts'

export const isSameEmail = (a: string | null, b: string) => a !== null && a.toLowerCase() === b.toLowerCase()

export const DOCUMENT_ROLES = ['primary_owner', 'secondary_owner', 'reader', 'pusher', 'deleter'] as const

/** A document that names a person, including documents in the trash. */
export interface PersonDocument {
  id: string
  seq: number
  as: (typeof DOCUMENT_ROLES)[number][]
  /** The remaining values without the person. */
  primary_owners: DocumentOwner[]
  secondary_owners: DocumentOwner[]
  external_access: ExternalAccess | null
  pushed_by: string | null
  deleted_by: string | null
}

/**
 * Returns the matches among the next `limit` documents after `seq`, and the last sequence number read; null at the end.
 */
export async function findDocumentsOfPerson(
  db: Queryable,
  person: { email: string; ids: readonly string[] },
  { after, limit }: { after: number; limit: number },
): Promise<{ documents: PersonDocument[]; last: number | null }> {
  const rows = await db
    .selectFrom('document')
    .select(['id', 'seq', 'primary_owners', 'secondary_owners', 'external_access', 'pushed_by', 'deleted_by'])
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
  const documents = rows.map((row) => removePerson(row, person)).filter((it) => it.as.length > 0)
  // Only a full page has a row at this place: then there may be more.
  return { documents, last: rows[limit - 1]?.seq ?? null }
}

interface DocumentPeopleRow {
  id: string
  seq: number
  primary_owners: string
  secondary_owners: string
  external_access: string | null
  pushed_by: string | null
  deleted_by: string | null
}

function removePerson(
  { id, seq, pushed_by, deleted_by, ...row }: DocumentPeopleRow,
  { email, ids }: { email: string; ids: readonly string[] },
): PersonDocument {
  const primary: DocumentOwner[] = JSON.parse(row.primary_owners)
  const secondary: DocumentOwner[] = JSON.parse(row.secondary_owners)
  const access: ExternalAccess | null = row.external_access === null ? null : JSON.parse(row.external_access)
  const isOther = (owner: DocumentOwner) => !isSameEmail(owner.email ?? null, email)
  const primary_owners = primary.filter(isOther)
  const secondary_owners = secondary.filter(isOther)
  const emails = access?.external_user_emails.filter((it) => !isSameEmail(it, email)) ?? []
  const hasRole = {
    primary_owner: primary_owners.length < primary.length,
    secondary_owner: secondary_owners.length < secondary.length,
    reader: access !== null && emails.length < access.external_user_emails.length,
    pusher: pushed_by !== null && ids.includes(pushed_by),
    deleter: deleted_by !== null && ids.includes(deleted_by),
  }
  return {
    id,
    seq,
    as: DOCUMENT_ROLES.filter((place) => hasRole[place]),
    primary_owners,
    secondary_owners,
    external_access: access && { ...access, external_user_emails: emails },
    pushed_by: hasRole.pusher ? null : pushed_by,
    deleted_by: hasRole.deleter ? null : deleted_by,
  }
}

/**
 * Rewrites the documents without the person, as ordinary changes that the index follows. The content hash stays, so
 * pushing the same version again does not bring the person back. Returns the newest sequence number and the count. A
 * document that changed meanwhile is skipped and appears later in the stream.
 */
export async function removePersonFromDocuments(
  db: Database,
  documents: readonly PersonDocument[],
  { now, requestId }: { now: number; requestId: string },
): Promise<{ seq: number; count: number }> {
  const results = await db.commit(documents.map((it) => removePersonStatements(it, now, requestId)))
  let seq = 0
  let count = 0
  for (const result of results) {
    if (!result.ok) throw result.error
    const written = result.rows[1]?.[0]?.seq
    if (written === undefined) continue
    seq = Math.max(seq, Number(written))
    count += 1
  }
  return { seq, count }
}

const removePersonStatements = (it: PersonDocument, now: number, requestId: string): SqlStatement[] => [
  { sql: `update sequence set value = value + 1 where name = 'change'`, parameters: [] },
  {
    sql: `update document set primary_owners = ?3, secondary_owners = ?4, external_access = ?5, pushed_by = ?8, deleted_by = ?9, version = version + 1,
        seq = (select value from sequence where name = 'change'), changed_at = ?6, request_id = ?7
      where id = ?1 and seq = ?2 returning seq`,
    parameters: [
      it.id,
      it.seq,
      JSON.stringify(it.primary_owners),
      JSON.stringify(it.secondary_owners),
      it.external_access === null ? null : JSON.stringify(it.external_access),
      now,
      requestId,
      it.pushed_by,
      it.deleted_by,
    ],
  },
  ...ownerStatements(it),
]
