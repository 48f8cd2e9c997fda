// Providers with their discovery documents, which are kept for an hour.
import type { Configuration } from 'openid-client'
import type { OidcProviderSettings } from '../../domain/sign-in/provider.ts'
import type { Egress } from '../../egress/egress.ts'
import type { StoredProvider } from '../../store/identity/providers/sign-in-providers.ts'
import type { KeySet } from './key-set.ts'
import { createProviderFetch } from './provider-fetch.ts'

export type OidcProvider = StoredProvider<OidcProviderSettings, { client_secret?: string }>

export interface ProviderClient {
  configuration: Configuration
  keys: KeySet
}

export interface ProviderClients {
  /** Rejects with the reason if discovery fails. A failure is not asked for again within some seconds. */
  get(provider: OidcProvider): Promise<ProviderClient>
  /** Reads the discovery document now. */
  discover(provider: OidcProvider): Promise<ProviderClient>
}

const KEPT_MS = 3_600_000
/** People who click again and again do not become a load for a provider that is down. */
const FAILURE_KEPT_MS = 3_000
const MAX_KEPT = 100

export function openProviderClients(deps: { egress: Pick<Egress, 'fetch'>; now: () => number }): ProviderClients {
  const kept = new Map<number, { version: number; until: number; client: Promise<ProviderClient> }>()
  const discover = (provider: OidcProvider): Promise<ProviderClient> => {
    if (kept.size >= MAX_KEPT) kept.clear()
    const entry = { version: provider.time_updated, until: deps.now() + KEPT_MS, client: openClient(deps, provider) }
    kept.set(provider.id, entry)
    entry.client.catch(() => {
      entry.until = deps.now() + FAILURE_KEPT_MS
    })
    return entry.client
  }
  return {
    discover,
    async get(provider) {
      const known = kept.get(provider.id)
      if (known?.version === provider.time_updated && known.until > deps.now()) return known.client
      return discover(provider)
    },
  }
}

async function openClient(
  { egress, now }: { egress: Pick<Egress, 'fetch'>; now: () => number },
  { id, settings: { oidc }, secrets }: OidcProvider,
): Promise<ProviderClient> {
  const { allowInsecureRequests, ClientSecretBasic, ClientSecretPost, clockTolerance, customFetch, discovery } =
    await import('openid-client')
  const { createKeySet } = await import('./key-set.ts')
  const fetch = createProviderFetch(egress, id)
  const secret = secrets?.client_secret ?? ''
  const authenticate = oidc.client_auth === 'client_secret_basic' ? ClientSecretBasic : ClientSecretPost
  const configuration = await discovery(
    new URL(oidc.issuer),
    oidc.client_id,
    { client_secret: secret, [clockTolerance]: oidc.clock_skew_seconds },
    authenticate(secret),
    { [customFetch]: fetch, ...(isLoopback(oidc.issuer) && { execute: [allowInsecureRequests] }) },
  )
  const { jwks_uri } = configuration.serverMetadata()
  if (jwks_uri === undefined) throw new Error('The discovery document names no jwks_uri.')
  if (!isLoopback(oidc.issuer) && !jwks_uri.startsWith('https:'))
    throw new Error('The jwks_uri does not begin with https.')
  return { configuration, keys: createKeySet(jwks_uri, { fetch, now }) }
}

/** Only a provider on this machine, for trying things out, may do without TLS. */
export function isLoopback(issuer: string): boolean {
  const host = URL.parse(issuer)?.hostname ?? ''
  return ['localhost', '127.0.0.1', '[::1]'].includes(host)
}
