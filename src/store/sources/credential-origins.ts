// The origins to which credentials are bound.
import type { Selectable } from 'kysely'
import type { Database, Queryable } from '../database/database.ts'
import type { ConnectorRow, CredentialRow } from '../database/tables.ts'

export interface BoundCredential extends Pick<Selectable<CredentialRow>, 'id' | 'user_id'> {
  allowed_origins: string[]
}

/** Lists credentials without their secrets, in order of their ids. */
export async function listBoundCredentials(db: Queryable, ids: readonly number[]): Promise<BoundCredential[]> {
  const rows = await db
    .selectFrom('credential')
    .select(['id', 'user_id', 'allowed_origins'])
    .where('id', 'in', [-1, ...ids])
    .orderBy('id')
    .execute()
  return rows.map((it) => ({ ...it, allowed_origins: parseOrigins(it.allowed_origins) }))
}

/** The caller has checked whether the subject may change the credential. A form with the former list can no longer save it. */
export async function addAllowedOrigins(db: Database, id: number, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  await db.transaction().execute(async (trx) => {
    const [stored] = await listBoundCredentials(trx, [id])
    if (stored === undefined) return
    await setAllowedOrigins(trx, id, [...stored.allowed_origins, ...origins])
    await trx
      .updateTable('credential')
      .set((it) => ({ time_updated: it('time_updated', '+', 1) }))
      .where('id', '=', id)
      .execute()
  })
}

type ConnectorUse = Pick<Selectable<ConnectorRow>, 'source' | 'connector_specific_config'>

/**
 * Binds credentials that predate this list to the origins of the connectors that use them, in one transaction, so that
 * their pairs keep working. Returns how many have such an origin.
 */
export const bindUnboundCredentials = (
  db: Database,
  originsOf: (use: ConnectorUse) => readonly string[],
): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const unbound = await trx.selectFrom('credential').select('id').where('allowed_origins', 'is', null).execute()
    if (unbound.length === 0) return 0
    const uses = await trx
      .selectFrom('cc_pair')
      .innerJoin('credential', 'credential.id', 'credential_id')
      .innerJoin('connector', 'connector.id', 'connector_id')
      .select(['credential_id', 'connector.source', 'connector_specific_config'])
      .where('allowed_origins', 'is', null)
      .where('cc_pair.status', '<>', 'DELETING')
      .execute()
    const byCredential = Map.groupBy(uses, (it) => it.credential_id)
    let bound = 0
    for (const { id } of unbound) {
      const origins = (byCredential.get(id) ?? []).flatMap(originsOf)
      await setAllowedOrigins(trx, id, origins)
      if (origins.length > 0) bound++
    }
    return bound
  })

async function setAllowedOrigins(trx: Queryable, id: number, origins: readonly string[]): Promise<void> {
  await trx
    .updateTable('credential')
    .set({ allowed_origins: serializeOrigins(origins) })
    .where('id', '=', id)
    .execute()
}

/** Convert the column from and to a list. */
export const parseOrigins = (stored: string | null): string[] => (stored === null ? [] : JSON.parse(stored))
export const serializeOrigins = (origins: readonly string[]): string => JSON.stringify([...new Set(origins)])
