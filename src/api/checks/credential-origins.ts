// A connector config decides where its credential is sent. Sending a credential to an origin to which it is not bound
// requires the right to change the credential.
import { credentialOrigins, isCredentialAllowedAt } from '../../connectors/connector.ts'
import { baseUrlsIn } from '../../domain/connector.ts'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { httpOriginOf } from '../../domain/values/origin.ts'
import type { ConnectorRunner } from '../../ingestion/pull/connector-runner.ts'
import type { Database } from '../../store/database/database.ts'
import {
  addAllowedOrigins,
  type BoundCredential,
  listBoundCredentials,
} from '../../store/sources/credential-origins.ts'
import { EMPTY_CREDENTIAL, mayChangeCredential } from '../../store/sources/credentials.ts'

interface ConfiguredSource {
  source: string
  connector_specific_config: unknown
}
type CheckOriginsDeps = { connectorRunner: Pick<ConnectorRunner, 'connectorOf'> }

/** `all`: the origins to which the credential may be sent. `added`: those to which it is not bound yet. */
export function checkCredentialOrigins(
  { connectorRunner }: CheckOriginsDeps,
  subject: Subject,
  credential: BoundCredential,
  { source, connector_specific_config }: ConfiguredSource,
): { all: string[]; added: string[] } {
  const { id, allowed_origins } = credential
  const connector = connectorRunner.connectorOf(source)
  if (connector === undefined || id === EMPTY_CREDENTIAL) return { all: allowed_origins, added: [] }
  const namedOrigins = credentialOrigins(connector, connector_specific_config)
  const added = namedOrigins.filter((it) => !isCredentialAllowedAt(connector, allowed_origins, it))
  if (added.length > 0 && !mayChangeCredential(subject, credential)) throw originsRefused(id, added)
  return { all: [...allowed_origins, ...added], added }
}

/**
 * Binds the credentials of a connector to the new origins of its changed config. Origins of the old config are not new:
 * the owner of a credential decides whether it may be sent there.
 */
export async function bindNewOrigins(
  { db, connectorRunner }: CheckOriginsDeps & { db: Database },
  subject: Subject,
  credentialIds: readonly number[],
  { from, to }: { from: ConfiguredSource; to: ConfiguredSource },
): Promise<void> {
  const previousOrigins = credentialOrigins(connectorRunner.connectorOf(from.source), from.connector_specific_config)
  const bindings: { id: number; origins: string[] }[] = []
  for (const credential of await listBoundCredentials(db, credentialIds)) {
    const allowed_origins = [...credential.allowed_origins, ...previousOrigins]
    const { added } = checkCredentialOrigins({ connectorRunner }, subject, { ...credential, allowed_origins }, to)
    bindings.push({ id: credential.id, origins: added })
  }
  for (const { id, origins } of bindings) await addAllowedOrigins(db, id, origins)
}

/** For the audit log: the source, its origins and the credential. */
export function describeCredentialUse(
  { connectorRunner }: CheckOriginsDeps,
  credentialId: number,
  target: { source: string; connector_specific_config: Record<string, unknown> },
): string {
  const config = target.connector_specific_config
  const namedOrigins = baseUrlsIn(config).flatMap(([, url]) => httpOriginOf(url) ?? [])
  const origins = new Set([...credentialOrigins(connectorRunner.connectorOf(target.source), config), ...namedOrigins])
  return [target.source, ...origins, `credential ${credentialId}`].join(', ')
}

const MAX_SHOWN = 300
const originsRefused = (id: number, origins: readonly string[]) =>
  new AppError('CREDENTIAL_ORIGIN_REFUSED', { id, origins: origins.join(', ').slice(0, MAX_SHOWN) })
