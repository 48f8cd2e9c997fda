// A connector config may name uploads of the caller and uploads that the connector already reads.
import type { Subject } from '../../domain/subject.ts'
import type { ConnectorRunner } from '../../ingestion/pull/connector-runner.ts'
import type { Database } from '../../store/database/database.ts'
import { listUserFiles } from '../../store/files/user-files.ts'
import { InvalidRequestError } from '../http/error-response.ts'

interface UploadConfig {
  source: string
  connector_specific_config: unknown
}

const MAX_REPORTED = 20
/** Ids per SQL statement. */
const BATCH = 1_000

/** 422 lists missing files and files of others without telling them apart. `stored`: the connector's current config. */
export async function checkConfigUploads(
  { db, connectorRunner }: { db: Database; connectorRunner: Pick<ConnectorRunner, 'connectorOf'> },
  subject: Subject,
  target: UploadConfig,
  stored: UploadConfig | null,
): Promise<void> {
  const named = uploadIdsIn(connectorRunner, target)
  const allowedIds = new Set(stored === null ? [] : uploadIdsIn(connectorRunner, stored))
  const newIds = [...new Set(named)].filter((it) => !allowedIds.has(it))
  for (let at = 0; at < newIds.length; at += BATCH) {
    for (const { id } of await listUserFiles(db, subject, newIds.slice(at, at + BATCH))) allowedIds.add(id)
  }
  const missing = newIds.filter((it) => !allowedIds.has(it)).slice(0, MAX_REPORTED)
  if (missing.length === 0) return
  const loc = ['body', 'connector_specific_config']
  throw new InvalidRequestError(
    missing.map((it) => ({
      loc,
      msg: `File ${JSON.stringify(it.slice(0, 100))} does not exist.`,
      type: 'file_not_found',
    })),
  )
}

function uploadIdsIn(
  connectorRunner: Pick<ConnectorRunner, 'connectorOf'>,
  { source, connector_specific_config }: UploadConfig,
) {
  const connector = connectorRunner.connectorOf(source)
  if (connector?.uploads === undefined) return []
  const config = connector.config.safeParse(connector_specific_config)
  return config.success ? connector.uploads(config.data) : []
}
