// OAuth tokens of people for tools: the authorization code flow with PKCE (RFC 6749, RFC 7636), and the refresh of
// tokens.

import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { isLocalPath } from '../../domain/values/local-path.ts'
import { type Egress, EgressError } from '../../egress/egress.ts'
import { rejectOnAbort } from '../../flow/reject-on-abort.ts'
import type { Database } from '../../store/database/database.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { getOauthClient, type OauthClient } from '../../store/tools/oauth-configs.ts'
import {
  deleteOauthToken,
  findOauthToken,
  insertOauthState,
  leaseOauthToken,
  listOauthTokens,
  releaseOauthToken,
  type StoredOauthToken,
  saveOauthToken,
  takeOauthState,
} from '../../store/tools/oauth-tokens.ts'
import { OauthProviderError, PROVIDER_TIMEOUT_MS, requestToken, sanitizeQuote } from './token-endpoint.ts'

export interface ToolOauthDeps {
  db: Database
  secrets: SecretBox
  egress: Pick<Egress, 'fetch'>
  now: () => number
  /** The address at which browsers reach the service, without a trailing slash. */
  publicUrl: () => string
}

/** The part that tools use. */
export interface OauthTokenSource {
  /**
   * Returns the access token of the person, refreshed if necessary. Rejects with `ConsentRequiredError` if there is
   * none.
   */
  getToken(subject: Subject, oauth_config_id: number, signal: AbortSignal): Promise<string>
}

export interface TokenStatus {
  oauth_config_id: number
  oauth_config_name: string
  /** Unix seconds; null if the provider does not tell. */
  expires_at: number | null
  is_expired: boolean
}

export interface ToolOauth extends OauthTokenSource {
  /** The URL for the browser. It works once, within ten minutes, for this person. */
  startFlow(
    subject: Subject,
    request: { oauth_config_id: number; return_path: string },
  ): Promise<{ authorization_url: string; state: string }>
  /** Handles the redirect from the provider. Errors of the provider and invalid requests are part of the result. */
  finishFlow(subject: Subject, query: CallbackQuery, signal: AbortSignal): Promise<CallbackResult>
  revoke(subject: Subject, oauth_config_id: number): Promise<void>
  listStatuses(subject: Subject): Promise<TokenStatus[]>
}

export interface CallbackQuery {
  code: string | null
  state: string | null
  error: string | null
  error_description: string | null
}
export interface CallbackResult {
  redirect_url: string
  error: string | null
}

export const CALLBACK_PATH = '/oauth-config/callback'
const DEFAULT_RETURN = '/chat'
const STATE_MS = 600_000
/** Tokens are refreshed this long before they expire, because a call takes time. */
const EXPIRY_MARGIN_MS = 60_000
const LEASE_MS = PROVIDER_TIMEOUT_MS + 10_000
const POLL_MS = 100

export function openToolOauth(deps: ToolOauthDeps): ToolOauth {
  const { db, secrets, now, publicUrl } = deps
  const pendingRefreshes = new Map<string, Promise<string>>()
  return {
    async startFlow({ user_id }, { oauth_config_id, return_path }) {
      if (!isLocalPath(return_path)) {
        throw new AppError('INVALID_INPUT', { reason: '`return_path` must be a path of this service, such as /chat.' })
      }
      const client = await getOauthClient(deps, oauth_config_id)
      const [state, verifier] = [randomToken(), randomToken()]
      const redirect_uri = `${publicUrl()}${CALLBACK_PATH}`
      const until = { expires_at: now() + STATE_MS, redirect_uri, return_path }
      await insertOauthState({ db, secrets }, sha256(state), { oauth_config_id, user_id, verifier, ...until }, now())
      return { authorization_url: authorizationUrl(client, { state, verifier, redirect_uri }), state }
    },
    async finishFlow({ user_id }, { code, state, error, error_description }, signal) {
      const flow = state && (await takeOauthState(deps, { state_hash: sha256(state), user_id, now: now() }))
      if (!flow) return { redirect_url: DEFAULT_RETURN, error: UNKNOWN_STATE }
      const redirect_url = flow.return_path
      if (error !== null)
        return {
          redirect_url,
          error: `The provider refused the request: ${sanitizeQuote(error_description ?? error)}.`,
        }
      if (code === null) return { redirect_url, error: 'The provider sent no code.' }
      try {
        const client = await getOauthClient(deps, flow.oauth_config_id)
        const grant = { grant_type: 'authorization_code', code, redirect_uri: flow.redirect_uri }
        const token = await requestToken(deps, client, { ...grant, code_verifier: flow.verifier }, signal)
        await saveOauthToken({ db, secrets }, { oauth_config_id: client.id, user_id }, token, now())
        return { redirect_url, error: null }
      } catch (fault) {
        if (isReportable(fault)) return { redirect_url, error: fault.message }
        throw fault
      }
    },
    async getToken(subject, oauth_config_id, signal) {
      const holder = { oauth_config_id, user_id: subject.user_id }
      const token = await findOauthToken(deps, holder)
      if (token === undefined) throw await createConsentRequired(deps, oauth_config_id)
      if (!isExpiring(token, now())) return token.access_token
      const key = `${oauth_config_id} ${subject.user_id}`
      // Uses its own time limit instead of the signal of the first caller, because other callers wait for it too.
      const refreshing =
        pendingRefreshes.get(key) ?? getFreshToken(deps, holder).finally(() => pendingRefreshes.delete(key))
      pendingRefreshes.set(key, refreshing)
      return rejectOnAbort(signal, refreshing)
    },
    async revoke({ user_id }, oauth_config_id) {
      await getOauthClient(deps, oauth_config_id)
      await deleteOauthToken(db, { oauth_config_id, user_id })
    },
    async listStatuses({ user_id }) {
      const tokens = await listOauthTokens(db, user_id)
      return tokens.map(({ oauth_config_id, name, expires_at }) => ({
        oauth_config_id,
        oauth_config_name: name,
        expires_at: expires_at === null ? null : Math.floor(expires_at / 1_000),
        is_expired: expires_at !== null && expires_at <= now(),
      }))
    },
  }
}

const UNKNOWN_STATE =
  'This sign-in was started by another user, was already completed, or took longer than ten minutes. Start again.'

const randomToken = () => randomBytes(32).toString('base64url')
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

/** Parameters of the flow override parameters of the configuration. */
function authorizationUrl(
  { authorization_url, client_id, scopes, additional_params }: OauthClient,
  { state, verifier, redirect_uri }: { state: string; verifier: string; redirect_uri: string },
): string {
  const url = new URL(authorization_url)
  for (const [name, value] of Object.entries(additional_params)) url.searchParams.set(name, value)
  if (scopes.length > 0) url.searchParams.set('scope', scopes.join(' '))
  const own = {
    response_type: 'code',
    client_id: client_id ?? '',
    redirect_uri,
    state,
    code_challenge: sha256(verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(own)) url.searchParams.set(name, value)
  return url.href
}

/** The person has not agreed at the provider, or has withdrawn consent. */
export class ConsentRequiredError extends AppError {
  readonly oauth_config_id: number
  /** The name of the OAuth configuration. */
  readonly account: string

  constructor(oauth_config_id: number, account: string) {
    super('TOOL_NEEDS_CONSENT', { name: account, id: oauth_config_id })
    this.oauth_config_id = oauth_config_id
    this.account = account
  }
}

async function createConsentRequired(deps: ToolOauthDeps, id: number): Promise<ConsentRequiredError> {
  return new ConsentRequiredError(id, (await getOauthClient(deps, id)).name)
}

const isExpiring = ({ expires_at }: Pick<StoredOauthToken, 'expires_at'>, now: number) =>
  expires_at !== null && expires_at - EXPIRY_MARGIN_MS <= now

type TokenHolder = { oauth_config_id: number; user_id: string }

/**
 * Only one process refreshes a token at a time: a provider treats the second use of a refresh token as theft and
 * revokes all tokens of the grant.
 */
async function getFreshToken(deps: ToolOauthDeps, holder: TokenHolder): Promise<string> {
  const { db, now } = deps
  const signal = AbortSignal.timeout(LEASE_MS + PROVIDER_TIMEOUT_MS)
  for (;;) {
    const token = await findOauthToken(deps, holder)
    if (token === undefined) throw await createConsentRequired(deps, holder.oauth_config_id)
    if (!isExpiring(token, now())) return token.access_token
    // Some providers issue no refresh tokens, and some tokens stay valid after they expire.
    if (token.refresh_token === null) {
      if ((token.expires_at ?? 0) > now()) return token.access_token
      throw await createConsentRequired(deps, holder.oauth_config_id)
    }
    const time = now()
    if (await leaseOauthToken(db, token, { now: time, until: time + LEASE_MS }))
      return refreshToken(deps, holder, token, signal)
    await delay(POLL_MS, undefined, { signal })
  }
}

async function refreshToken(
  deps: ToolOauthDeps,
  holder: TokenHolder,
  { id, refresh_token }: StoredOauthToken,
  signal: AbortSignal,
): Promise<string> {
  const { db, secrets, now } = deps
  try {
    const client = await getOauthClient(deps, holder.oauth_config_id)
    const grant = { grant_type: 'refresh_token', refresh_token: refresh_token ?? '' }
    const token = await requestToken(deps, client, grant, signal)
    // RFC 6749, 6: without a new refresh token, the old one stays valid.
    await saveOauthToken(
      { db, secrets },
      holder,
      { ...token, refresh_token: token.refresh_token ?? refresh_token },
      now(),
    )
    return token.access_token
  } catch (error) {
    if (!(error instanceof OauthProviderError) || error.error !== 'invalid_grant') {
      await releaseOauthToken(db, id)
      throw error instanceof OauthProviderError
        ? new AppError('TOOL_PROVIDER_FAILED', { reason: error.message })
        : error
    }
    await deleteOauthToken(db, holder)
    throw await createConsentRequired(deps, holder.oauth_config_id)
  }
}

const isReportable = (error: unknown): error is Error =>
  error instanceof OauthProviderError || error instanceof EgressError || error instanceof AppError
