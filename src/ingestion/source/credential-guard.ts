// Restricts a run to the origins to which its credential is bound, whatever the configuration or the source says.
import { type Connector, isCredentialAllowedAt, SourceError } from '../../connectors/connector.ts'
import { httpOriginOf, mailServerOrigin } from '../../domain/values/origin.ts'

export interface CredentialGuard {
  /** Both throw a `SourceError` for an address that must not receive the credential. */
  checkUrl(url: string): void
  checkServer(host: string, port: number, isEncrypted: boolean): void
}

const UNGUARDED: CredentialGuard = { checkUrl() {}, checkServer() {} }

/**
 * Throws a `SourceError` if the configuration names another origin. Connectors do not declare which requests carry the
 * credential, so every request of a run with a credential is checked.
 */
export function createCredentialGuard(
  { connector, allowed_origins }: { connector: Connector; allowed_origins: readonly string[] },
  config: unknown,
  credential: unknown,
): CredentialGuard {
  if (credential === null || connector.credential === null) return UNGUARDED
  const allowed = [...allowed_origins, ...(connector.originsFromCredential?.(credential) ?? [])]
  const isAllowed = (origin: string | null) => origin !== null && isCredentialAllowedAt(connector, allowed, origin)
  const forbidden = connector.origins(config).find((it) => !isAllowed(it))
  if (forbidden !== undefined) {
    const message = `The credential may not be sent to ${truncated(forbidden)}. ${HOW_TO_ALLOW}`
    throw new SourceError('credential', message, { field: 'allowed_origins' })
  }
  const check = (origin: string | null, address: string) => {
    if (isAllowed(origin)) return
    const message = `The source leads to ${truncated(origin ?? address)}, where the credential may not be sent. ${HOW_TO_ALLOW}`
    throw new SourceError('unexpected', message)
  }
  return {
    checkUrl: (url) => check(httpOriginOf(url), 'an invalid URL'),
    checkServer: (host, port, isEncrypted) => check(mailServerOrigin(host, port, isEncrypted), host),
  }
}

const HOW_TO_ALLOW =
  'Its owner or an administrator can allow that with PUT /manage/credential/{credential_id}/allowed-origins.'

const MAX_SHOWN = 300
const truncated = (origin: string) => origin.slice(0, MAX_SHOWN)
