import type { Selectable } from 'kysely'
import type { ConnectorRequest } from '../../domain/connector.ts'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import { toSqlFlag } from '../database/column-types.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { ConnectorRow } from '../database/tables.ts'
import { versionOf } from '../database/version-of.ts'
import {
  getManagedConnector,
  getVisibleConnector,
  idsOfManaged,
  listManagedConnectors,
  listManagedPairs,
} from './managed-pairs.ts'

export type StoredConnector = Selectable<ConnectorRow>

/** A connector with the credentials of its pairs. */
export interface ConnectorListing extends StoredConnector {
  credential_ids: number[]
}

/** The built-in connector of pushed documents. */
export const INGESTION_CONNECTOR = 0

/** Returns the new id. CONNECTOR_NAME_TAKEN: the source has another connector of this name. */
export async function insertConnector(
  db: Database,
  subject: Subject,
  connector: ConnectorRequest,
  now: number,
): Promise<number> {
  const row = await db
    .insertInto('connector')
    .values({
      ...connectorColumns(connector),
      ...authorColumns(subject),
      creator: subject.user_id,
      time_created: now,
      time_updated: now,
    })
    .onConflict((it) => it.columns(['name', 'source']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) throw new AppError('CONNECTOR_NAME_TAKEN')
  return row.id
}

/** A configuration of a curator is trusted with the documents of their groups only, see `listPairsOfRun`. */
export const authorColumns = ({ rights }: Subject) => ({ is_curated: toSqlFlag(!rights.has('connectors')) })

export async function getConnector(db: Queryable, id: number): Promise<StoredConnector> {
  const row = await db.selectFrom('connector').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('CONNECTOR_NOT_FOUND', { id })
  return row
}

const connectorColumns = (connector: ConnectorRequest) => ({
  name: connector.name,
  source: connector.source,
  input_type: connector.input_type,
  access_type: connector.access_type,
  connector_specific_config: JSON.stringify(connector.connector_specific_config),
  refresh_freq: connector.refresh_freq,
  prune_freq: connector.prune_freq,
  indexing_start: connector.indexing_start,
})

/** Lists the connectors that the subject manages, except the built-in one. `credential` limits the list to those that use it. */
export async function listConnectors(
  db: Queryable,
  subject: Subject,
  { credential, page }: { credential: number | null; page: KeysetPage },
): Promise<ConnectorListing[]> {
  const managed = await listManagedConnectors(db, subject)
  const pairs = db
    .selectFrom('cc_pair')
    .select('connector_id')
    .where('credential_id', '=', credential ?? -1)
  const rows = await db
    .selectFrom('connector')
    .selectAll()
    .where('source', '<>', 'ingestion_api')
    .$if(credential !== null, (it) => it.where('id', 'in', pairs))
    .$if(managed !== 'all', (it) => it.where('id', 'in', idsOfManaged(managed)))
    .where('id', '>', page.after)
    .orderBy('id')
    .limit(page.limit)
    .execute()
  return rows.map(await listCredentialsOfConnectors(db, subject))
}

/** CONNECTOR_NOT_FOUND: there is no such connector, or the subject manages none of its pairs. */
export async function getConnectorListing(db: Queryable, subject: Subject, id: number): Promise<ConnectorListing> {
  const withCredentials = await listCredentialsOfConnectors(db, subject)
  return withCredentials(await getVisibleConnector(db, subject, id))
}

/** Names the credentials of managed pairs. */
async function listCredentialsOfConnectors(
  db: Queryable,
  subject: Subject,
): Promise<(row: StoredConnector) => ConnectorListing> {
  const managed = await listManagedPairs(db, subject)
  const pairs = await db
    .selectFrom('cc_pair')
    .select(['connector_id', 'credential_id'])
    .$if(managed !== 'all', (it) => it.where('id', 'in', idsOfManaged(managed)))
    .orderBy('credential_id')
    .execute()
  const byConnector = Map.groupBy(pairs, (it) => it.connector_id)
  return (row) => ({
    ...row,
    credential_ids: (byConnector.get(row.id) ?? []).map((it) => it.credential_id),
  })
}

/** Changes with each field that `updateConnector` writes. */
export const connectorVersion = (it: StoredConnector): string =>
  versionOf([
    ...[it.name, it.source, it.input_type, it.access_type, it.connector_specific_config],
    ...[it.refresh_freq, it.prune_freq, it.indexing_start],
  ])

/**
 * Replaces all fields. CONNECTOR_CHANGED: the connector no longer has the version that the caller expects, which may be
 * null. Throws what `insertConnector` throws, and `getManagedConnector`; CONNECTOR_BUILT_IN for connector 0.
 */
export const updateConnector = (
  db: Database,
  subject: Subject,
  { id, expectedVersion }: { id: number; expectedVersion: string | null },
  connector: ConnectorRequest,
  now: number,
): Promise<ConnectorListing> =>
  db.transaction().execute(async (trx) => {
    const before = await getChangeableConnector(trx, subject, id)
    if (expectedVersion !== null && expectedVersion !== connectorVersion(before)) {
      throw new AppError('CONNECTOR_CHANGED', { id })
    }
    const nameOwner = await trx
      .selectFrom('connector')
      .select('id')
      .where('name', '=', connector.name)
      .where('source', '=', connector.source)
      .executeTakeFirst()
    if (nameOwner !== undefined && nameOwner.id !== id) throw new AppError('CONNECTOR_NAME_TAKEN')
    await trx
      .updateTable('connector')
      .set({ ...connectorColumns(connector), ...authorColumns(subject), time_updated: now })
      .where('id', '=', id)
      .execute()
    return getConnectorListing(trx, subject, id)
  })

/** CONNECTOR_NOT_DELETABLE: the connector still has pairs. Throws what `getManagedConnector` throws. */
export const deleteConnector = (db: Database, subject: Subject, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getChangeableConnector(trx, subject, id)
    const { count } = await trx
      .selectFrom('cc_pair')
      .select((it) => it.fn.countAll<number>().as('count'))
      .where('connector_id', '=', id)
      .executeTakeFirstOrThrow()
    if (count > 0) throw new AppError('CONNECTOR_NOT_DELETABLE', { count })
    await trx.deleteFrom('connector').where('id', '=', id).execute()
  })

async function getChangeableConnector(db: Queryable, subject: Subject, id: number): Promise<StoredConnector> {
  const connector = await getManagedConnector(db, subject, id)
  if (id === INGESTION_CONNECTOR) throw new AppError('CONNECTOR_BUILT_IN')
  return connector
}

/** Lists the sources of all connectors with a pair, except those of pushed documents, in order. */
export async function listSources(db: Queryable): Promise<string[]> {
  const rows = await db
    .selectFrom('connector')
    .select('source')
    .distinct()
    .where('source', '<>', 'ingestion_api')
    .where('id', 'in', db.selectFrom('cc_pair').select('connector_id').where('status', '<>', 'DELETING'))
    .orderBy('source')
    .execute()
  return rows.map((it) => it.source)
}

/** Counts the cc-pairs that listings show, and the kinds of source that they read. */
export const countSources = (db: Queryable): Promise<{ cc_pairs: number; sources: number }> =>
  db
    .selectFrom('cc_pair')
    .innerJoin('connector', 'connector.id', 'cc_pair.connector_id')
    .select((it) => [
      it.fn.countAll<number>().as('cc_pairs'),
      it.fn.count<number>('connector.source').distinct().as('sources'),
    ])
    .where('cc_pair.hidden', '=', 0)
    .where('cc_pair.status', '<>', 'DELETING')
    .executeTakeFirstOrThrow()

/** Maps the ids of all pairs that are not being deleted to their names. */
export async function listCcPairNames(db: Queryable): Promise<Map<number, string>> {
  const rows = await db.selectFrom('cc_pair').select(['id', 'name']).where('status', '<>', 'DELETING').execute()
  return new Map(rows.map((it) => [it.id, it.name]))
}
