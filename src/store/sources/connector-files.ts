// The uploaded files that a file connector reads. Its configuration names them.
import type { SourceFacts } from '../../domain/connector.ts'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import type { Database, Queryable } from '../database/database.ts'
import { authorColumns, type StoredConnector } from './connectors.ts'
import { getManagedConnector } from './managed-pairs.ts'

export interface ConnectorFile {
  file_id: string
  file_name: string
  size: number | null
  created_at: number | null
}

type UploadFacts = Pick<SourceFacts, 'namesUploads'>

/** Throws what `getManagedConnector` throws. Returns the files in the order of the configuration. A file whose upload was deleted has no size. */
export async function listConnectorFiles(
  { db, sourceFacts }: { db: Queryable; sourceFacts: UploadFacts },
  subject: Subject,
  connectorId: number,
): Promise<ConnectorFile[]> {
  const { files } = await getFileConnector(db, sourceFacts, await getManagedConnector(db, subject, connectorId))
  const rows = await db
    .selectFrom('user_file')
    .select(['id', 'size', 'created_at'])
    .where('id', 'in', ['', ...files.map((it) => it.file_id)])
    .execute()
  const byId = new Map(rows.map((it) => [it.id, it]))
  return files.map((it) => ({
    ...it,
    size: byId.get(it.file_id)?.size ?? null,
    created_at: byId.get(it.file_id)?.created_at ?? null,
  }))
}

/**
 * Returns the files that the connector reads from now on; an empty list is refused. Removed files stay uploads of their
 * owner.
 */
export const updateConnectorFiles = (
  { db, sourceFacts }: { db: Database; sourceFacts: UploadFacts },
  subject: Subject,
  connectorId: number,
  { added, removed }: { added: readonly NamedConnectorFile[]; removed: readonly string[] },
  now: number,
): Promise<NamedConnectorFile[]> =>
  db.transaction().execute(async (trx) => {
    const connector = await getManagedConnector(trx, subject, connectorId)
    const { files, config } = await getFileConnector(trx, sourceFacts, connector)
    const next = [...files.filter((it) => !removed.includes(it.file_id)), ...added]
    if (next.length === 0) {
      const reason = 'Cannot remove all files from connector. At least one file must remain.'
      throw new AppError('INVALID_INPUT', { reason })
    }
    const connector_specific_config = JSON.stringify({
      ...config,
      file_locations: next.map((it) => it.file_id),
      file_names: next.map((it) => it.file_name),
    })
    await trx
      .updateTable('connector')
      .set({ connector_specific_config, ...authorColumns(subject), time_updated: now })
      .where('id', '=', connectorId)
      .execute()
    return next
  })

type NamedConnectorFile = Pick<ConnectorFile, 'file_id' | 'file_name'>

async function getFileConnector(
  db: Queryable,
  { namesUploads }: UploadFacts,
  { id, source, connector_specific_config }: StoredConnector,
): Promise<{ config: Record<string, unknown>; files: NamedConnectorFile[] }> {
  const pair = await db.selectFrom('cc_pair').select('id').where('connector_id', '=', id).executeTakeFirst()
  if (pair === undefined) throw new AppError('CONNECTOR_WITHOUT_PAIR')
  if (!namesUploads(source)) throw new AppError('NOT_A_FILE_CONNECTOR', { source })
  const config = JSON.parse(connector_specific_config)
  return { config, files: namedFiles(config) }
}

/** A configuration is free-form until its connector reads it, so entries that name no file are skipped. */
function namedFiles({ file_locations, file_names }: Record<string, unknown>): NamedConnectorFile[] {
  const names = stringsIn(file_names)
  return stringsIn(file_locations).map((file_id, at) => ({ file_id, file_name: names[at] ?? file_id }))
}

const stringsIn = (list: unknown): string[] => (Array.isArray(list) ? list.filter((it) => typeof it === 'string') : [])
