import type { Selectable } from 'kysely'
import type { ConnectorRequest } from '../domain/connector.ts'
import { AppError } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'
import type { Database, Queries } from './database.ts'
import type { ConnectorRow } from './tables.ts'

export type StoredConnector = Selectable<ConnectorRow>

/** With the credentials of its pairs. */
export interface ListedConnector extends StoredConnector {
  credential_ids: number[]
}

/** Takes the documents that are pushed; nobody made it. */
export const INGESTION_CONNECTOR = 0

/** Answers the new id. The same name twice within a source is CONNECTOR_NAME_TAKEN. */
export async function insertConnector(db: Database, connector: ConnectorRequest, now: number): Promise<number> {
  const row = await db
    .insertInto('connector')
    .values({ ...columnsOf(connector), time_created: now, time_updated: now })
    .onConflict((it) => it.columns(['name', 'source']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) throw new AppError('CONNECTOR_NAME_TAKEN')
  return row.id
}

export async function getConnector(db: Queries, id: number): Promise<StoredConnector> {
  const row = await db.selectFrom('connector').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('CONNECTOR_NOT_FOUND', { id })
  return row
}

const columnsOf = (connector: ConnectorRequest) => ({
  name: connector.name,
  source: connector.source,
  input_type: connector.input_type,
  access_type: connector.access_type,
  connector_specific_config: JSON.stringify(connector.connector_specific_config),
  refresh_freq: connector.refresh_freq,
  prune_freq: connector.prune_freq,
  indexing_start: connector.indexing_start,
})

/** All but those that documents are pushed to; `credential`: only those with a pair of that credential. */
export async function listConnectors(
  db: Queries,
  { credential, page }: { credential: number | null; page: Page },
): Promise<ListedConnector[]> {
  const pairs = db
    .selectFrom('cc_pair')
    .select('connector_id')
    .where('credential_id', '=', credential ?? -1)
  const rows = await db
    .selectFrom('connector')
    .selectAll()
    .where('source', '<>', 'ingestion_api')
    .$if(credential !== null, (it) => it.where('id', 'in', pairs))
    .where('id', '>', page.after)
    .orderBy('id')
    .limit(page.limit)
    .execute()
  return withCredentials(db, rows)
}

/** One that is not there is CONNECTOR_NOT_FOUND. */
export async function getListedConnector(db: Queries, id: number): Promise<ListedConnector> {
  const [listed] = await withCredentials(db, [await getConnector(db, id)])
  return listed!
}

async function withCredentials(db: Queries, rows: readonly StoredConnector[]): Promise<ListedConnector[]> {
  const pairs = await db
    .selectFrom('cc_pair')
    .select(['connector_id', 'credential_id'])
    .orderBy('credential_id')
    .execute()
  const byConnector = Map.groupBy(pairs, (it) => it.connector_id)
  return rows.map((row) => ({
    ...row,
    credential_ids: (byConnector.get(row.id) ?? []).map((it) => it.credential_id),
  }))
}

/** Replaces everything. Refuses what `insertConnector` refuses; connector 0 is CONNECTOR_BUILT_IN. */
export const updateConnector = (
  db: Database,
  id: number,
  connector: ConnectorRequest,
  now: number,
): Promise<ListedConnector> =>
  db.transaction().execute(async (trx) => {
    await getChangeable(trx, id)
    const holder = await trx
      .selectFrom('connector')
      .select('id')
      .where('name', '=', connector.name)
      .where('source', '=', connector.source)
      .executeTakeFirst()
    if (holder !== undefined && holder.id !== id) throw new AppError('CONNECTOR_NAME_TAKEN')
    await trx
      .updateTable('connector')
      .set({ ...columnsOf(connector), time_updated: now })
      .where('id', '=', id)
      .execute()
    return getListedConnector(trx, id)
  })

/** One that still has pairs is CONNECTOR_NOT_DELETABLE. */
export const deleteConnector = (db: Database, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getChangeable(trx, id)
    const { count } = await trx
      .selectFrom('cc_pair')
      .select((it) => it.fn.countAll<number>().as('count'))
      .where('connector_id', '=', id)
      .executeTakeFirstOrThrow()
    if (count > 0) throw new AppError('CONNECTOR_NOT_DELETABLE', { count })
    await trx.deleteFrom('connector').where('id', '=', id).execute()
  })

async function getChangeable(db: Queries, id: number): Promise<StoredConnector> {
  if (id === INGESTION_CONNECTOR) throw new AppError('CONNECTOR_BUILT_IN')
  return getConnector(db, id)
}

/** The sources of all connectors but those that documents are pushed to, in order. */
export async function listSources(db: Queries): Promise<string[]> {
  const rows = await db
    .selectFrom('connector')
    .select('source')
    .distinct()
    .where('source', '<>', 'ingestion_api')
    .orderBy('source')
    .execute()
  return rows.map((it) => it.source)
}
