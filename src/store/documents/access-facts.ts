// The fields of one document, deleted or not, that decide about access.
import type { Queryable } from '../database/database.ts'
import type { OwnedDocument } from './scope.ts'

export interface DocumentAccessFacts extends OwnedDocument {
  id: string
  semantic_identifier: string
  deleted_at: number | null
  held_from_prune: boolean
  hidden_at: number | null
  quarantined_at: number | null
  pairs: { id: number; name: string; access_type: string; groups: string[]; status: string }[]
}

/** Undefined if the record has no such document, not even in the trash. */
export async function findDocumentAccessFacts(db: Queryable, id: string): Promise<DocumentAccessFacts | undefined> {
  const row = await db
    .selectFrom('document')
    .select(['id', 'semantic_identifier', 'deleted_at', 'held_from_prune', 'external_access', 'pushed_by', 'hidden_at'])
    .select('quarantined_at')
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const pairs = await db
    .selectFrom('document_cc_pair')
    .innerJoin('cc_pair', 'cc_pair.id', 'cc_pair_id')
    .select(['cc_pair.id', 'name', 'access_type', 'groups', 'status'])
    .where('document_id', '=', id)
    .orderBy('cc_pair.id')
    .execute()
  return {
    ...row,
    held_from_prune: row.held_from_prune === 1,
    is_hidden: row.hidden_at !== null,
    is_quarantined: row.quarantined_at !== null,
    external_access: row.external_access === null ? null : JSON.parse(row.external_access),
    cc_pair_ids: pairs.map((it) => it.id),
    pairs: pairs.map((it) => ({ ...it, groups: JSON.parse(it.groups) })),
  }
}
