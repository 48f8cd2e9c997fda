// Who may read what in a source: members of its groups, and the access of documents that did not change otherwise.
import type { ExternalAccess } from '../domain/access.ts'
import type { Database, Queries, Statement } from './database.ts'
import type { Lease } from './pulling.ts'

export interface GroupMember {
  group_id: string
  email: string
}

const INSERTED_TOGETHER = 200

/** They take the place of those that were known before; nothing, if the lease was lost. Addresses are in lower case. */
export const replaceMembers = (
  db: Database,
  { cc_pair_id, fence }: Lease,
  members: readonly GroupMember[],
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const held = trx.selectFrom('cc_pair_schedule').select('fence').where('cc_pair_id', '=', cc_pair_id)
    if ((await held.where('fence', '=', fence).executeTakeFirst()) === undefined) return
    await trx.deleteFrom('source_group_member').where('cc_pair_id', '=', cc_pair_id).execute()
    for (let at = 0; at < members.length; at += INSERTED_TOGETHER) {
      const rows = members.slice(at, at + INSERTED_TOGETHER).map((it) => ({ ...it, cc_pair_id }))
      await trx.insertInto('source_group_member').values(rows).execute()
    }
  })

/** The groups of all sources to which that address belongs. */
export async function listSourceGroups(db: Queries, email: string): Promise<string[]> {
  const rows = await db
    .selectFrom('source_group_member')
    .select('group_id')
    .distinct()
    .where('email', '=', email.toLowerCase())
    .orderBy('group_id')
    .execute()
  return rows.map((it) => it.group_id)
}

/**
 * Gives each of these documents of the pair its access; one that has it already stays, and so does one that a client
 * pushed. Answers how many were changed, and the newest sequence number.
 */
export async function setAccess(
  db: Database,
  lease: Lease,
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

/** Without its hash the next version that is read takes its place, also where only the access is another one. */
const accessStatements = (
  { cc_pair_id, fence }: Lease,
  { id, access }: { id: string; access: string },
  { now, requestId }: { now: number; requestId: string },
): Statement[] => [
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
