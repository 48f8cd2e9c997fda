// Hosts that an administrator has approved. Every outbound call reads the table, so a change takes effect in all
// processes at once.
import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { EgressApprovalRow } from '../database/tables.ts'

export type StoredEgressApproval = Selectable<EgressApprovalRow>
type HostAndPort = Pick<StoredEgressApproval, 'host' | 'port'>

/** Ports that an approval without a port covers. */
const WEB_PORTS = [80, 443]

export async function isApprovedHost(db: Queryable, host: string, port: number): Promise<boolean> {
  const row = await db
    .selectFrom('egress_approval')
    .select('id')
    .where('host', '=', host)
    .where((it) => it.or([it('port', '=', port), ...(WEB_PORTS.includes(port) ? [it('port', 'is', null)] : [])]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export const listEgressApprovals = (db: Queryable, { after, limit }: KeysetPage): Promise<StoredEgressApproval[]> =>
  db.selectFrom('egress_approval').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute()

/** EGRESS_APPROVAL_EXISTS: there is one for this host and port. Refusals that no longer apply are deleted. */
export const insertEgressApproval = (
  db: Database,
  approval: Omit<StoredEgressApproval, 'id'>,
): Promise<StoredEgressApproval> =>
  db.transaction().execute(async (trx) => {
    const same = await selectApprovalOf(trx, approval).executeTakeFirst()
    if (same !== undefined) throw new AppError('EGRESS_APPROVAL_EXISTS', { host: approval.host, id: same.id })
    await trx
      .deleteFrom('egress_refusal')
      .where('host', '=', approval.host)
      .where('port', 'in', approval.port === null ? WEB_PORTS : [approval.port])
      .where('profile', '=', 'admin-target')
      .where('rule', 'in', ['private', 'port'])
      .execute()
    return trx.insertInto('egress_approval').values(approval).returningAll().executeTakeFirstOrThrow()
  })

/** Returns the deleted approval. EGRESS_APPROVAL_NOT_FOUND: there is none. */
export async function deleteEgressApproval(db: Database, id: number): Promise<StoredEgressApproval> {
  const row = await db.deleteFrom('egress_approval').where('id', '=', id).returningAll().executeTakeFirst()
  if (row === undefined) throw new AppError('EGRESS_APPROVAL_NOT_FOUND', { id })
  return row
}

const selectApprovalOf = (db: Queryable, { host, port }: HostAndPort) =>
  db
    .selectFrom('egress_approval')
    .select('id')
    .where('host', '=', host)
    .where('port', port === null ? 'is' : '=', port)
