import type { AccessType } from '../domain/connector.ts'
import type { Database, Queries } from './database.ts'

export interface NewCcPair {
  connector_id: number
  credential_id: number
  name: string
  access_type: AccessType
  groups: readonly string[]
  status: string
  creator: string
}

/** Answers the id of the pair, and whether it is this call that made it. */
export async function insertCcPair(
  db: Database,
  pair: NewCcPair,
  now: number,
): Promise<{ id: number; isNew: boolean }> {
  const made = await db
    .insertInto('cc_pair')
    .values({ ...pair, groups: JSON.stringify(pair.groups), hidden: 0, time_created: now })
    .onConflict((it) => it.columns(['connector_id', 'credential_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made !== undefined) return { id: made.id, isNew: true }
  const { id } = await db
    .selectFrom('cc_pair')
    .select('id')
    .where('connector_id', '=', pair.connector_id)
    .where('credential_id', '=', pair.credential_id)
    .executeTakeFirstOrThrow()
  return { id, isNew: false }
}

/** Pairs whose documents somebody in these groups may read, unless a document says otherwise itself. */
export async function listReadablePairs(db: Queries, groups: readonly string[]): Promise<number[]> {
  const rows = await db.selectFrom('cc_pair').select(['id', 'access_type', 'groups']).execute()
  return rows.filter((it) => isReadable(it.access_type, JSON.parse(it.groups), groups)).map((it) => it.id)
}

function isReadable(accessType: string, pairGroups: string[], groups: readonly string[]): boolean {
  if (accessType === 'public') return true
  return accessType === 'private' && pairGroups.some((group) => groups.includes(group))
}

/** A pair as the listing shows it, with what its documents have come to. */
export interface ListedCcPair {
  cc_pair_id: number
  name: string
  source: string
  access_type: string
  status: string
  refresh_freq: number | null
  documents: number
  indexed: number
  failed: number
  last_indexed_at: number | null
}

/** `position`: how far the index is; a document beyond it waits, whatever its receipt says. */
export async function listCcPairs(db: Queries, position: number): Promise<ListedCcPair[]> {
  const pairs = await db
    .selectFrom('cc_pair')
    .innerJoin('connector', 'connector.id', 'cc_pair.connector_id')
    .select(['cc_pair.id as cc_pair_id', 'cc_pair.name', 'source', 'cc_pair.access_type', 'status', 'refresh_freq'])
    .where('hidden', '=', 0)
    .orderBy('cc_pair.id')
    .execute()
  const counts = await countDocuments(db, position)
  return pairs.map((pair) => ({ ...pair, ...(counts.get(pair.cc_pair_id) ?? NO_DOCUMENTS) }))
}

const NO_DOCUMENTS: Pick<ListedCcPair, 'documents' | 'indexed' | 'failed' | 'last_indexed_at'> = {
  documents: 0,
  indexed: 0,
  failed: 0,
  last_indexed_at: null,
}

async function countDocuments(db: Queries, position: number): Promise<Map<number, typeof NO_DOCUMENTS>> {
  const rows = await db
    .selectFrom('document_cc_pair as link')
    .innerJoin('document', 'document.id', 'link.document_id')
    .leftJoin('receipt', (join) =>
      join.onRef('receipt.document_id', '=', 'document.id').onRef('receipt.seq', '=', 'document.seq'),
    )
    .select(({ fn, eb }) => [
      'link.cc_pair_id',
      fn.countAll<number>().as('documents'),
      fn
        .sum<number>(
          eb
            .case()
            .when(eb.and([eb('receipt.indexed_at', 'is not', null), eb('document.seq', '<=', position)]))
            .then(1)
            .else(0)
            .end(),
        )
        .as('indexed'),
      fn
        .sum<number>(
          eb
            .case()
            .when(eb.and([eb('receipt.error', 'is not', null), eb('receipt.retry_at', 'is', null)]))
            .then(1)
            .else(0)
            .end(),
        )
        .as('failed'),
      fn.max('receipt.indexed_at').as('last_indexed_at'),
    ])
    .where('document.deleted_at', 'is', null)
    .groupBy('link.cc_pair_id')
    .execute()
  return new Map(rows.map(({ cc_pair_id, ...counts }) => [cc_pair_id, counts as typeof NO_DOCUMENTS]))
}
