// Hosts that an administrator opened. Asked anew for each call that needs one, so a change counts in every process at once.
import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'
import type { Database, Queries } from './database.ts'
import type { EgressApprovalRow } from './tables.ts'

export type StoredApproval = Selectable<EgressApprovalRow>
type Place = Pick<StoredApproval, 'host' | 'port'>

/** What an approval without a port is for. */
const WEB_PORTS = [80, 443]

export async function isApproved(db: Queries, host: string, port: number): Promise<boolean> {
  const row = await db
    .selectFrom('egress_approval')
    .select('id')
    .where('host', '=', host)
    .where((it) => it.or([it('port', '=', port), ...(WEB_PORTS.includes(port) ? [it('port', 'is', null)] : [])]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export const listApprovals = (db: Queries, { after, limit }: Page): Promise<StoredApproval[]> =>
  db.selectFrom('egress_approval').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute()

/** The same place twice is EGRESS_APPROVAL_EXISTS. What was refused there and would not be now leaves the list. */
export const insertApproval = (db: Database, approval: Omit<StoredApproval, 'id'>): Promise<StoredApproval> =>
  db.transaction().execute(async (trx) => {
    const same = await placed(trx, approval).executeTakeFirst()
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

/** Answers what it was. One that is not there is EGRESS_APPROVAL_NOT_FOUND. */
export async function deleteApproval(db: Database, id: number): Promise<StoredApproval> {
  const row = await db.deleteFrom('egress_approval').where('id', '=', id).returningAll().executeTakeFirst()
  if (row === undefined) throw new AppError('EGRESS_APPROVAL_NOT_FOUND', { id })
  return row
}

const placed = (db: Queries, { host, port }: Place) =>
  db
    .selectFrom('egress_approval')
    .select('id')
    .where('host', '=', host)
    .where('port', port === null ? 'is' : '=', port)
