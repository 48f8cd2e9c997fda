// Groups of near duplicates, for administrators. Documents that nobody finds do not count.
import type { DocumentOwner } from '../../domain/document.ts'
import type { Queryable } from '../database/database.ts'
import { listPairsOfDocuments, selectIdsOfPairs } from '../documents/lists.ts'

export interface GroupFilter {
  source: string | null
  ccPairId: number | null
}

export interface GroupMember {
  document_id: string
  semantic_identifier: string
  source: string
  link: string | null
  owners: DocumentOwner[]
  updated_at: number
  cc_pairs: { id: number; name: string }[]
}

export interface NearDuplicateGroup {
  group_id: number
  size: number
  /** The latest changes, newest first. */
  documents: GroupMember[]
}

const selectFindable = (db: Queryable) =>
  db
    .selectFrom('document_signature as signed')
    .innerJoin('document', 'document.id', 'signed.document_id')
    .where('signed.group_id', 'is not', null)
    .where('document.deleted_at', 'is', null)
    .where('document.hidden_at', 'is', null)
    .where('document.quarantined_at', 'is', null)

/**
 * Lists groups with at least two documents, the newest groups first. A filter selects the groups that have such a document.
 * `before` limits the list to lower ids, `members` the documents of each group.
 */
export async function listNearDuplicateGroups(
  db: Queryable,
  { source, ccPairId }: GroupFilter,
  { before, limit, members }: { before: number | null; limit: number; members: number },
): Promise<NearDuplicateGroup[]> {
  const selected = selectFindable(db)
    .select('signed.group_id')
    .$if(source !== null, (it) => it.where('document.source', '=', source ?? ''))
    .$if(ccPairId !== null, (it) => it.where('document.id', 'in', selectIdsOfPairs(db, [ccPairId ?? -1])))
  const groups = await selectFindable(db)
    .select((it) => ['signed.group_id', it.fn.countAll<number>().as('size')])
    .$if(before !== null, (it) => it.where('signed.group_id', '<', before ?? 0))
    .$if(source !== null || ccPairId !== null, (it) => it.where('signed.group_id', 'in', selected))
    .groupBy('signed.group_id')
    .having((it) => it.fn.countAll(), '>', 1)
    .orderBy('signed.group_id', 'desc')
    .limit(limit)
    .execute()
  const ids = groups.flatMap((it) => it.group_id ?? [])
  const byGroup = await mapMembers(db, ids, members)
  return groups.flatMap(({ group_id, size }) =>
    group_id === null ? [] : [{ group_id, size, documents: byGroup.get(group_id) ?? [] }],
  )
}

async function mapMembers(
  db: Queryable,
  groups: readonly number[],
  limit: number,
): Promise<Map<number, GroupMember[]>> {
  if (groups.length === 0) return new Map()
  const ranked = selectFindable(db)
    .select(['signed.group_id', 'document.id as document_id', 'semantic_identifier', 'source', 'link'])
    .select(['primary_owners', 'document.seq', 'doc_updated_at', 'accepted_at'])
    .select((it) =>
      it.fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('signed.group_id').orderBy('document.seq', 'desc'))
        .as('place'),
    )
    .where('signed.group_id', 'in', groups)
    .as('ranked')
  const rows = await db.selectFrom(ranked).selectAll().where('place', '<=', limit).orderBy('seq', 'desc').execute()
  const pairs = await listPairsOfDocuments(
    db,
    rows.map((it) => it.document_id),
  )
  const members = rows.map(({ primary_owners, doc_updated_at, accepted_at, ...row }) => ({
    group_id: row.group_id ?? 0,
    document_id: row.document_id,
    semantic_identifier: row.semantic_identifier,
    source: row.source,
    link: row.link,
    owners: JSON.parse(primary_owners),
    updated_at: doc_updated_at ?? accepted_at,
    cc_pairs: pairs.get(row.document_id) ?? [],
  }))
  return Map.groupBy(members, (it) => it.group_id)
}
