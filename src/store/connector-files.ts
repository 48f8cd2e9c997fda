// Which uploaded files a file connector reads: its configuration names them.
import { AppError } from '../domain/errors.ts'
import { getConnector } from './connectors.ts'
import type { Database, Queries } from './database.ts'

export interface ConnectorFile {
  file_id: string
  file_name: string
  size: number | null
  created_at: number | null
}

/** In the order of the configuration. One whose upload was deleted has no size any more. */
export async function listConnectorFiles(db: Queries, connectorId: number): Promise<ConnectorFile[]> {
  const { files } = await getFileConnector(db, connectorId)
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

/** Answers all that it reads from now on; none at all is refused. What is taken away stays the upload of its owner. */
export const updateConnectorFiles = (
  db: Database,
  connectorId: number,
  { added, removed }: { added: readonly NamedFile[]; removed: readonly string[] },
  now: number,
): Promise<NamedFile[]> =>
  db.transaction().execute(async (trx) => {
    const { files, config } = await getFileConnector(trx, connectorId)
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
      .set({ connector_specific_config, time_updated: now })
      .where('id', '=', connectorId)
      .execute()
    return next
  })

type NamedFile = Pick<ConnectorFile, 'file_id' | 'file_name'>

async function getFileConnector(
  db: Queries,
  id: number,
): Promise<{ config: Record<string, unknown>; files: NamedFile[] }> {
  const { source, connector_specific_config } = await getConnector(db, id)
  const pair = await db.selectFrom('cc_pair').select('id').where('connector_id', '=', id).executeTakeFirst()
  if (pair === undefined) throw new AppError('CONNECTOR_WITHOUT_PAIR')
  if (source !== 'file') throw new AppError('NOT_A_FILE_CONNECTOR', { source })
  const config = JSON.parse(connector_specific_config)
  return { config, files: filesOf(config) }
}

/** A configuration is free-form until its connector reads it: what names no file is passed over. */
function filesOf({ file_locations, file_names }: Record<string, unknown>): NamedFile[] {
  const names = textsOf(file_names)
  return textsOf(file_locations).map((file_id, at) => ({ file_id, file_name: names[at] ?? file_id }))
}

const textsOf = (list: unknown): string[] => (Array.isArray(list) ? list.filter((it) => typeof it === 'string') : [])
