// The access lists of all documents, in the order of their changes, and the pairs that decide about documents without one.
import type { Queryable } from '../database/database.ts'

export interface AccessList {
  id: string
  seq: number
  semantic_identifier: string
  /** JSON of an `ExternalAccess`; null if the pairs decide. */
  external_access: string | null
  isPushed: boolean
  cc_pair_ids: number[]
}

/** Lists the documents that are not deleted with a greater sequence number than `after`. */
export async function listAccessLists(
  db: Queryable,
  { after, limit }: { after: number; limit: number },
): Promise<AccessList[]> {
  const rows = await db
    .selectFrom('document')
    .select(['id', 'seq', 'semantic_identifier', 'external_access', 'from_ingestion_api'])
    .where('seq', '>', after)
    .where('deleted_at', 'is', null)
    .orderBy('seq')
    .limit(limit)
    .execute()
  const ids = rows.map((it) => it.id)
  const pairs = await db
    .selectFrom('document_cc_pair')
    .select(['document_id', 'cc_pair_id'])
    .where('document_id', 'in', ['', ...ids])
    .orderBy('cc_pair_id')
    .execute()
  const byDocument = Map.groupBy(pairs, (it) => it.document_id)
  return rows.map(({ from_ingestion_api, ...row }) => ({
    ...row,
    isPushed: from_ingestion_api === 1,
    cc_pair_ids: (byDocument.get(row.id) ?? []).map((it) => it.cc_pair_id),
  }))
}

export interface PairAccess {
  id: number
  name: string
  source: string
  access_type: string
  isDeleting: boolean
}

export async function listPairAccess(db: Queryable): Promise<PairAccess[]> {
  const rows = await db
    .selectFrom('cc_pair')
    .innerJoin('connector', 'connector.id', 'connector_id')
    .select(['cc_pair.id', 'cc_pair.name', 'connector.source', 'cc_pair.access_type', 'cc_pair.status'])
    .execute()
  return rows.map(({ status, ...row }) => ({ ...row, isDeleting: status === 'DELETING' }))
}
