// Sign-in with OpenID Connect: authorization code flow with PKCE, nonce and state (OpenID Connect Core 1.0, RFC 9207).
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import type { SignInPurpose } from '../../domain/sign-in/provider.ts'
import { SignInError, type SignInFailure, type VerifiedIdentity } from '../../domain/sign-in/verified-identity.ts'
import type { Egress } from '../../egress/egress.ts'
import type { OpenSession, SessionClient, Sessions } from '../../identity/sessions.ts'
import type { Database } from '../../store/database/database.ts'
import { findProviderSession } from '../../store/identity/providers/provider-sessions.ts'
import { findProvider, listProviders } from '../../store/identity/providers/sign-in-providers.ts'
import type { SignInState } from '../../store/identity/providers/sign-in-states.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { mapClaims } from '../map-claims.ts'
import { type PendingSignIns, randomToken } from '../pending-sign-ins.ts'
import type { SignIns } from '../sign-ins.ts'
import {
  type OidcProvider,
  openProviderClients,
  type ProviderClient,
  type ProviderClients,
} from './provider-clients.ts'

/** The client of the protocol is loaded when it is first used: few services have such a provider. */
const openid = () => import('openid-client')

export interface StartedSignIn {
  authorization_url: string
  /** For the cookie that binds the sign-in to the browser. */
  browserToken: string
  maxAgeMs: number
}

export type FinishedSignIn =
  | { outcome: 'session'; session: OpenSession; next_path: string }
  | { outcome: 'tested'; provider_id: number }
  | { outcome: 'failed'; failure: SignInFailure; provider: string | null; next_path: string }

export interface CallbackRequest {
  /** The parameters with which the provider sent the browser back. */
  parameters: Readonly<Record<string, string>>
  browserToken: string | undefined
  client: SessionClient
  requestId: string
}

export interface OidcSignIns {
  /** SIGN_IN_PROVIDER_DOWN: the provider cannot be asked for its addresses. */
  begin(
    provider: OidcProvider,
    request: { purpose: SignInPurpose; next_path: string; redirect_uri: string; address: string },
  ): Promise<StartedSignIn>
  /** Failures are part of the result. */
  finish(request: CallbackRequest): Promise<FinishedSignIn>
  /** Reads the discovery document. SIGN_IN_PROVIDER_FAILED with the reason. */
  check(provider: OidcProvider): Promise<ProviderClient>
  /**
   * Where the provider that opened the session of this token ends its own; null if none did, or it does not offer that, or
   * cannot be reached.
   */
  endSessionUrl(sessionToken: string, post_logout_redirect_uri: string): Promise<string | null>
  /** Ends the sessions that a logout token names. Returns their number. LOGOUT_TOKEN_INVALID. */
  endByLogoutToken(provider: OidcProvider, token: string): Promise<number>
  /** SIGN_IN_PROVIDER_UNKNOWN. Null finds the only one. */
  getEnabled(slug: string | null): Promise<OidcProvider>
}

export interface OidcDeps {
  db: Database
  secrets: SecretBox
  egress: Pick<Egress, 'fetch'>
  pendingSignIns: PendingSignIns
  signIns: SignIns
  sessions: Pick<Sessions, 'findId'>
  logger: Logger
  now: () => number
}

export function openOidcSignIns(deps: OidcDeps): OidcSignIns {
  const clients = openProviderClients(deps)
  return {
    begin: (provider, request) => begin(deps, clients, provider, request),
    finish: (request) => finish(deps, clients, request),
    async check(provider) {
      return clients.discover(provider).catch(async (error: unknown) => {
        const { explainFailure } = await import('./failure-of.ts')
        const reason = explainFailure(error)?.detail ?? (error instanceof Error ? error.message : String(error))
        throw new AppError('SIGN_IN_PROVIDER_FAILED', { reason }, { cause: error })
      })
    },
    endSessionUrl: (token, post_logout_redirect_uri) =>
      findEndSessionUrl(deps, clients, token, post_logout_redirect_uri),
    async endByLogoutToken(provider, token) {
      const client = await clients.get(provider)
      const { endSessionsByToken } = await import('./logout-token.ts')
      return endSessionsByToken(deps, provider, client, token)
    },
    async getEnabled(slug) {
      const enabled = (await listProviders(deps)).filter(isOidc).filter((it) => it.is_enabled)
      const [found, ...others] = enabled.filter((it) => slug === null || it.slug === slug)
      if (found === undefined || others.length > 0) throw new AppError('SIGN_IN_PROVIDER_UNKNOWN')
      return found
    },
  }
}

/** Providers of this type have these settings; the routes check them. */
export const isOidc = (provider: { type: string } | undefined): provider is OidcProvider => provider?.type === 'oidc'

async function begin(
  { pendingSignIns, logger }: OidcDeps,
  clients: ProviderClients,
  provider: OidcProvider,
  { purpose, next_path, redirect_uri, address }: Parameters<OidcSignIns['begin']>[1],
): Promise<StartedSignIn> {
  const { configuration } = await clients.get(provider).catch((error: unknown) => {
    logger.warn({ err: error, provider: provider.slug }, 'discovery of a sign-in provider failed')
    throw new AppError('SIGN_IN_PROVIDER_DOWN', { name: provider.name }, { cause: error })
  })
  const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomPKCECodeVerifier } = await openid()
  const [state, nonce, verifier] = [randomToken(), randomToken(), randomPKCECodeVerifier()]
  const url = buildAuthorizationUrl(configuration, {
    ...{ redirect_uri, state, nonce, scope: provider.settings.oidc.scopes },
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const details = { nonce, verifier, redirect_uri }
  const signIn = { provider_id: provider.id, purpose, next_path, details, address }
  return { authorization_url: url.href, ...(await pendingSignIns.begin(state, signIn)) }
}

async function findEndSessionUrl(
  deps: OidcDeps,
  clients: ProviderClients,
  sessionToken: string,
  post_logout_redirect_uri: string,
): Promise<string | null> {
  const id = await deps.sessions.findId(sessionToken)
  const opened = id === undefined ? undefined : await findProviderSession(deps, id)
  const provider = opened && (await findProvider(deps, opened.provider_id))
  if (opened === undefined || !isOidc(provider) || !provider.settings.oidc.ends_provider_session) return null
  const client = await clients.get(provider).catch(() => null)
  if (client?.configuration.serverMetadata().end_session_endpoint === undefined) return null
  const hint = opened.id_token === null ? {} : { id_token_hint: opened.id_token }
  const { buildEndSessionUrl } = await openid()
  return buildEndSessionUrl(client.configuration, { post_logout_redirect_uri, ...hint }).href
}

async function finish(deps: OidcDeps, clients: ProviderClients, request: CallbackRequest): Promise<FinishedSignIn> {
  const { parameters, browserToken, requestId } = request
  const state = await deps.pendingSignIns.take(parameters.state, browserToken).catch((error: unknown) => {
    if (error instanceof SignInError) return null
    throw error
  })
  if (state === null) return { outcome: 'failed', failure: 'state', provider: null, next_path: '/' }
  const { purpose, next_path } = state
  const provider = await findProvider(deps, state.provider_id)
  if (!isOidc(provider) || (purpose === 'sign_in' && !provider.is_enabled))
    return { outcome: 'failed', failure: 'state', provider: null, next_path }
  try {
    const proved = await proveIdentity(await clients.get(provider), provider, { state, parameters })
    if (purpose === 'sign_in') {
      const session = await deps.signIns.complete({ provider, ...proved, client: request.client, requestId })
      return { outcome: 'session', session, next_path }
    }
    await deps.signIns.test(provider, proved.identity)
    return { outcome: 'tested', provider_id: provider.id }
  } catch (fault) {
    const { explainFailure } = await import('./failure-of.ts')
    const explained = explainFailure(fault)
    if (explained === undefined) throw fault
    const failure = await deps.signIns.fail({ provider, purpose, requestId, ...explained })
    if (purpose === 'test') return { outcome: 'tested', provider_id: provider.id }
    return { outcome: 'failed', failure, provider: provider.slug, next_path }
  }
}

interface ProvedIdentity {
  identity: VerifiedIdentity
  sid: string | null
  id_token: string | null
}

const MAX_SUBJECT = 255
const MAX_SID = 255
/** A larger one makes an address that servers refuse. */
const MAX_KEPT_TOKEN = 6_000

/** Exchanges the code, verifies the ID token, and adds what the UserInfo endpoint says. */
async function proveIdentity(
  { configuration, keys }: ProviderClient,
  { settings }: OidcProvider,
  { state, parameters }: { state: SignInState; parameters: Readonly<Record<string, string>> },
): Promise<ProvedIdentity> {
  const { nonce = '', verifier = '', redirect_uri = '' } = state.details
  const answer = new URL(redirect_uri)
  for (const [name, value] of Object.entries(parameters)) answer.searchParams.set(name, value)
  const { authorizationCodeGrant, fetchUserInfo } = await openid()
  const tokens = await authorizationCodeGrant(configuration, answer, {
    ...{ pkceCodeVerifier: verifier, expectedNonce: nonce, expectedState: parameters.state ?? '' },
    idTokenExpected: true,
  })
  const token = tokens.id_token ?? ''
  const { issuer, userinfo_endpoint, end_session_endpoint } = configuration.serverMetadata()
  const { oidc } = settings
  const proved = await keys.verify(token, {
    ...{ issuer, audience: oidc.client_id, clockTolerance: oidc.clock_skew_seconds },
    requiredClaims: ['sub', 'exp', 'iat'],
  })
  const { sub = '', sid } = proved
  if (sub === '' || sub.length > MAX_SUBJECT || sub.includes('\u0000')) throw new SignInError('answer_invalid')
  const more = userinfo_endpoint === undefined ? {} : await fetchUserInfo(configuration, tokens.access_token, sub)
  const claims = { ...more, ...proved }
  const keepsToken = oidc.ends_provider_session && end_session_endpoint !== undefined && token.length <= MAX_KEPT_TOKEN
  return {
    identity: { subject: sub, ...mapClaims(settings, claims), claims },
    sid: typeof sid === 'string' && sid.length <= MAX_SID && !sid.includes('\u0000') ? sid : null,
    id_token: keepsToken ? token : null,
  }
}
