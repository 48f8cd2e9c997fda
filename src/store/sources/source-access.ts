// Permissions of a source: members of its groups, and access changes of otherwise unchanged documents.
import { sql } from 'kysely'
import type { ExternalAccess } from '../../domain/access.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'
import type { PairLease } from './schedules.ts'

export interface SourceGroupMember {
  group_id: string
  email: string
}

const INSERT_BATCH = 200

/** Replaces the known members; does nothing when the lease was lost. Addresses are in lower case. */
export const replaceGroupMembers = (
  db: Database,
  { cc_pair_id, fence }: PairLease,
  members: readonly SourceGroupMember[],
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const held = trx.selectFrom('cc_pair_schedule').select('fence').where('cc_pair_id', '=', cc_pair_id)
    if ((await held.where('fence', '=', fence).executeTakeFirst()) === undefined) return
    await trx.deleteFrom('source_group_member').where('cc_pair_id', '=', cc_pair_id).execute()
    for (let at = 0; at < members.length; at += INSERT_BATCH) {
      const rows = members.slice(at, at + INSERT_BATCH).map((it) => ({ ...it, cc_pair_id }))
      await trx.insertInto('source_group_member').values(rows).execute()
    }
  })

/** Lists the groups of all sources to which the address belongs. */
export async function listSourceGroups(db: Queryable, email: string): Promise<string[]> {
  const rows = await db
    .selectFrom('source_group_member')
    .select('group_id')
    .distinct()
    .where('email', '=', email.toLowerCase())
    .orderBy('group_id')
    .execute()
  return rows.map((it) => it.group_id)
}

export interface SourceMembership extends SourceGroupMember {
  cc_pair_id: number
}

/** Lists the members of the groups of all sources, after this one in the order of pair, group and address. */
export const listSourceMemberships = (
  db: Queryable,
  { after, limit }: { after: SourceMembership | null; limit: number },
): Promise<SourceMembership[]> =>
  db
    .selectFrom('source_group_member')
    .selectAll()
    .$call((it) => {
      if (after === null) return it
      const { cc_pair_id, group_id, email } = after
      return it.where(sql<boolean>`(cc_pair_id, group_id, email) > (${cc_pair_id}, ${group_id}, ${email})`)
    })
    .orderBy('cc_pair_id')
    .orderBy('group_id')
    .orderBy('email')
    .limit(limit)
    .execute()

/**
 * Sets the access of each of these documents of the pair. Unchanged and pushed documents stay as they are. Returns how
 * many changed, and the newest sequence number.
 */
export async function setDocumentAccess(
  db: Database,
  lease: PairLease,
  documents: readonly { id: string; external_access: ExternalAccess }[],
  { now, requestId }: { now: number; requestId: string },
): Promise<{ changed: number; seq: number }> {
  const rows = await db
    .selectFrom('document')
    .select(['id', 'external_access'])
    .where('id', 'in', ['', ...documents.map((it) => it.id)])
    .execute()
  const before = new Map(rows.map((it) => [it.id, it.external_access]))
  const others = documents
    .map((it) => ({ id: it.id, access: JSON.stringify(it.external_access) }))
    .filter((it) => before.has(it.id) && before.get(it.id) !== it.access)
  const results = await db.commit(others.map((it) => accessStatements(lease, it, { now, requestId })))
  let [changed, seq] = [0, 0]
  for (const result of results) {
    if (!result.ok) throw result.error
    const written = Number(result.rows[1]?.[0]?.seq ?? 0)
    if (written > 0) changed += 1
    seq = Math.max(seq, written)
  }
  return { changed, seq }
}

/** Clears the hash, so that the next version that is read replaces this one even if only its access differs. */
const accessStatements = (
  { cc_pair_id, fence }: PairLease,
  { id, access }: { id: string; access: string },
  { now, requestId }: { now: number; requestId: string },
): SqlStatement[] => [
  { sql: `update sequence set value = value + 1 where name = 'change'`, parameters: [] },
  {
    sql: `update document set external_access = ?3, content_hash = '', version = version + 1, changed_at = ?4,
        request_id = ?5, seq = (select value from sequence where name = 'change')
      where id = ?1 and from_ingestion_api = 0 and deleted_at is null
        and exists (select 1 from document_cc_pair where document_id = ?1 and cc_pair_id = ?2)
        and exists (select 1 from cc_pair_schedule where cc_pair_id = ?2 and fence = ?6)
      returning seq`,
    parameters: [id, cc_pair_id, access, now, requestId, fence],
  },
]
