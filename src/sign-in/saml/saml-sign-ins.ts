// Sign-in with SAML 2.0: the Web Browser SSO Profile, with redirects to the provider and posts from it.
import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '../../domain/errors.ts'
import type { SamlProviderSettings, SignInPurpose } from '../../domain/sign-in/provider.ts'
import { SignInError, type VerifiedIdentity } from '../../domain/sign-in/verified-identity.ts'
import { isLocalPath } from '../../domain/values/local-path.ts'
import type { Egress } from '../../egress/egress.ts'
import { networkOf } from '../../identity/passwords/attempt-limiter.ts'
import type { SessionClient } from '../../identity/sessions.ts'
import type { Database } from '../../store/database/database.ts'
import { markAssertionUsed } from '../../store/identity/providers/provider-sessions.ts'
import { findProvider, listProviders, type StoredProvider } from '../../store/identity/providers/sign-in-providers.ts'
import type { SignInState } from '../../store/identity/providers/sign-in-states.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { FinishedSignIn, StartedSignIn } from '../oidc/oidc-sign-ins.ts'
import { type PendingSignIns, randomToken } from '../pending-sign-ins.ts'
import type { SignIns } from '../sign-ins.ts'
import { checkAssertion, type ExpectedResponse, ResponseFault } from './check-assertion.ts'
import { fetchMetadata, readMetadataText } from './fetch-metadata.ts'
import { readIdentity } from './read-identity.ts'
import type { ProviderMetadata } from './read-metadata.ts'
import { addressesOf, requestUrl } from './service-provider.ts'
import type { XmlReader } from './xml-reader.ts'

export type SamlProvider = StoredProvider<SamlProviderSettings, Record<string, never>>

export interface SamlSignIns {
  begin(
    provider: SamlProvider,
    request: { purpose: SignInPurpose; next_path: string; serviceUrl: string; address: string },
  ): Promise<StartedSignIn>
  /**
   * Verifies a response that a browser posts. One that was asked for waits until the same browser comes back with its
   * cookie. Failures are part of the result. SERVICE_UNAVAILABLE.
   */
  receive(provider: SamlProvider, posted: PostedResponse): Promise<ReceivedResponse>
  /** Ends what `receive` began. Failures are part of the result. */
  finish(request: AnsweredRequest): Promise<FinishedSignIn>
  /** Switched on or off. SIGN_IN_PROVIDER_UNKNOWN */
  get(slug: string): Promise<SamlProvider>
  /** SIGN_IN_PROVIDER_UNKNOWN */
  getEnabled(slug: string): Promise<SamlProvider>
  /** SIGN_IN_PROVIDER_FAILED with the reason, SERVICE_UNAVAILABLE. */
  readMetadata(xml: string): Promise<ProviderMetadata>
  /** `providerId`: null for a provider that does not exist yet. Fails like `readMetadata`. */
  fetchMetadata(url: string, providerId: number | null): Promise<ProviderMetadata>
}

export interface PostedResponse {
  /** In base64. */
  response: string
  relayState: string | null
  serviceUrl: string
  client: SessionClient
  requestId: string
}

export type ReceivedResponse = FinishedSignIn | { outcome: 'answered'; state: string; answer: string }

export interface AnsweredRequest {
  state: string
  answer: string
  browserToken: string | undefined
  client: SessionClient
  requestId: string
}

interface SamlDeps {
  db: Database
  secrets: SecretBox
  egress: Pick<Egress, 'fetch'>
  pendingSignIns: PendingSignIns
  signIns: SignIns
  xmlReader: XmlReader
  now: () => number
}

export function openSamlSignIns(deps: SamlDeps): SamlSignIns {
  const get = async (slug: string) => {
    const found = (await listProviders(deps)).filter(isSaml).find((it) => it.slug === slug)
    if (found === undefined) throw new AppError('SIGN_IN_PROVIDER_UNKNOWN')
    return found
  }
  return {
    begin: (provider, request) => begin(deps, provider, request),
    receive: (provider, posted) => receive(deps, provider, posted),
    finish: (request) => finish(deps, request),
    get,
    async getEnabled(slug) {
      const found = await get(slug)
      if (!found.is_enabled) throw new AppError('SIGN_IN_PROVIDER_UNKNOWN')
      return found
    },
    readMetadata: (xml) => readMetadataText(deps, xml),
    fetchMetadata: (url, providerId) => fetchMetadata(deps, url, providerId),
  }
}

/** Providers of this type have these settings; the routes check them. */
export const isSaml = (provider: { type: string } | undefined): provider is SamlProvider => provider?.type === 'saml'

async function begin(
  { pendingSignIns }: SamlDeps,
  { id, slug, settings }: SamlProvider,
  { purpose, next_path, serviceUrl, address }: Parameters<SamlSignIns['begin']>[1],
): Promise<StartedSignIn> {
  const addresses = addressesOf(serviceUrl, slug)
  // An id of XML does not begin with a digit.
  const [relayState, requestId] = [randomToken(), `_${randomBytes(20).toString('hex')}`]
  const authorization_url = await requestUrl(addresses, settings.saml, { requestId, relayState })
  const details = { ...addresses, requestId }
  const pending = await pendingSignIns.begin(relayState, { provider_id: id, purpose, next_path, details, address })
  return { authorization_url, ...pending }
}

const UNKNOWN_STATE = { outcome: 'failed', failure: 'state', provider: null, next_path: '/' } as const

async function receive(deps: SamlDeps, provider: SamlProvider, posted: PostedResponse): Promise<ReceivedResponse> {
  const { relayState, client, requestId, serviceUrl } = posted
  const state = relayState === null ? undefined : await deps.pendingSignIns.find(relayState)
  const { is_enabled, settings, slug } = provider
  const purpose = state?.purpose ?? 'sign_in'
  const isExpected = state === undefined ? settings.saml.allows_idp_initiated : state.provider_id === provider.id
  // Nothing is parsed that nobody waits for.
  if (!isExpected || (purpose === 'sign_in' && !is_enabled)) return UNKNOWN_STATE
  const next_path = state?.next_path ?? (relayState !== null && isLocalPath(relayState) ? relayState : '/')
  const expected = state === undefined ? { ...addressesOf(serviceUrl, slug), requestId: null } : expectedBy(state)
  try {
    const proved = await prove(deps, provider, posted, expected)
    if (state === undefined || relayState === null) {
      const session = await deps.signIns.complete({ provider, ...proved, id_token: null, client, requestId })
      return { outcome: 'session', session, next_path }
    }
    const { identity, sid } = proved
    const kept = { identity: JSON.stringify(identity), ...(sid !== null && { sid }) }
    return { outcome: 'answered', state: relayState, answer: await deps.pendingSignIns.answer(relayState, kept) }
  } catch (fault) {
    return fail(deps, { provider, purpose, next_path, requestId, fault })
  }
}

const expectedBy = ({ details: { entityId = '', acsUrl = '', requestId = '' } }: SignInState): ExpectedResponse => ({
  entityId,
  acsUrl,
  requestId,
})

interface ProvedAccount {
  identity: VerifiedIdentity
  /** The provider's name of its session. */
  sid: string | null
}

const MAX_SID = 255

/** ResponseFault, SIGN_IN_REFUSED, SERVICE_UNAVAILABLE. */
async function prove(
  { db, xmlReader, now }: SamlDeps,
  { id, settings }: SamlProvider,
  { response, client }: Pick<PostedResponse, 'response' | 'client'>,
  expected: ExpectedResponse,
): Promise<ProvedAccount> {
  const { certificates, clock_skew_seconds } = settings.saml
  const { entityId, acsUrl } = expected
  const request = { entityId, acsUrl, certificates, clockSkewMs: clock_skew_seconds * 1_000 }
  const read = await xmlReader.readResponse(networkOf(client.address), response, request)
  if (read.kind === 'status') throw new ProviderRefusal(`The provider answered: ${read.status}`)
  if (read.kind === 'invalid') throw new ResponseFault(read.fault)
  const { assertion } = read
  const expires_at = checkAssertion(read, settings.saml, expected, now())
  const identity = readIdentity(settings, assertion)
  const id_hash = createHash('sha256').update(assertion.id).digest('base64url')
  if (!(await markAssertionUsed(db, { provider_id: id, id_hash, expires_at })))
    throw new ResponseFault('The assertion was used before.')
  const { sessionIndex } = assertion
  const isUsable = sessionIndex !== null && sessionIndex.length <= MAX_SID && !sessionIndex.includes('\u0000')
  return { identity, sid: isUsable ? sessionIndex : null }
}

/** The provider says that it does not sign this person in. */
class ProviderRefusal extends Error {}

interface Failed {
  provider: SamlProvider
  purpose: SignInPurpose
  next_path: string
  requestId: string
  fault: unknown
}

const MAX_DETAIL = 500

/** Records the failure. Rejects with a fault that is neither the provider's nor the browser's. */
async function fail(
  { signIns }: SamlDeps,
  { provider, purpose, next_path, requestId, fault }: Failed,
): Promise<FinishedSignIn> {
  if (!(fault instanceof SignInError || fault instanceof ResponseFault || fault instanceof ProviderRefusal)) throw fault
  const error =
    fault instanceof SignInError
      ? fault
      : new SignInError(fault instanceof ResponseFault ? 'answer_invalid' : 'provider_refused', { cause: fault })
  const detail = fault.message
    .replace(/[\p{C}\s]+/gu, ' ')
    .slice(0, MAX_DETAIL)
    .toWellFormed()
  const failure = await signIns.fail({ provider, purpose, requestId, error, detail })
  if (purpose === 'test') return { outcome: 'tested', provider_id: provider.id }
  return { outcome: 'failed', failure, provider: provider.slug, next_path }
}

async function finish(deps: SamlDeps, request: AnsweredRequest): Promise<FinishedSignIn> {
  const { state: token, answer, browserToken, client, requestId } = request
  const state = await deps.pendingSignIns.takeAnswered(token, browserToken, answer).catch((error: unknown) => {
    if (error instanceof SignInError) return null
    throw error
  })
  const provider = state === null ? undefined : await findProvider(deps, state.provider_id)
  if (state === null || !isSaml(provider)) return UNKNOWN_STATE
  const { purpose, next_path, details } = state
  if (purpose === 'sign_in' && !provider.is_enabled) return { ...UNKNOWN_STATE, next_path }
  const identity: VerifiedIdentity = JSON.parse(details.identity ?? '')
  try {
    if (purpose === 'test') {
      await deps.signIns.test(provider, identity)
      return { outcome: 'tested', provider_id: provider.id }
    }
    const sid = details.sid ?? null
    const session = await deps.signIns.complete({ provider, identity, sid, id_token: null, client, requestId })
    return { outcome: 'session', session, next_path }
  } catch (fault) {
    return fail(deps, { provider, purpose, next_path, requestId, fault })
  }
}
