import type { Selectable } from 'kysely'
import type { ConnectorRequest } from '../domain/connector.ts'
import { AppError } from '../domain/errors.ts'
import type { Database, Queries } from './database.ts'
import type { ConnectorRow } from './tables.ts'

export type StoredConnector = Selectable<ConnectorRow>

/** Answers the new id. The same name twice within a source is CONNECTOR_NAME_TAKEN. */
export async function insertConnector(db: Database, connector: ConnectorRequest, now: number): Promise<number> {
  const row = await db
    .insertInto('connector')
    .values({
      name: connector.name,
      source: connector.source,
      input_type: connector.input_type,
      access_type: connector.access_type,
      connector_specific_config: JSON.stringify(connector.connector_specific_config),
      refresh_freq: connector.refresh_freq,
      prune_freq: connector.prune_freq,
      indexing_start: connector.indexing_start,
      time_created: now,
      time_updated: now,
    })
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
