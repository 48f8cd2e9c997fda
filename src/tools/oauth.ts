// Tokens that people have given their tools at a provider: the way there with a code and PKCE (RFC 6749, RFC 7636), and
// how they are kept fresh.
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import { type Egress, EgressError } from '../egress/egress.ts'
import type { Database } from '../store/database.ts'
import { findOauthClient, type OauthClient } from '../store/oauth-configs.ts'
import {
  deleteToken,
  findToken,
  holdToken,
  insertState,
  listTokens,
  releaseToken,
  type StoredOauthToken,
  saveToken,
  takeState,
} from '../store/oauth-tokens.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { askForToken, PROVIDER_TIMEOUT_MS, ProviderError, said } from './oauth-provider.ts'

export interface OauthNeeds {
  db: Database
  secrets: SecretBox
  egress: Pick<Egress, 'fetch'>
  now: () => number
  /** Where browsers reach this service, without a slash at the end. */
  publicUrl: () => string
}

/** What a tool asks for. */
export interface Consent {
  /** The person's token there, renewed if need be. Fails with `ConsentNeeded` where there is none. */
  tokenFor(subject: Subject, oauth_config_id: number, signal: AbortSignal): Promise<string>
}

export interface TokenStatus {
  oauth_config_id: number
  /** Unix seconds; null where the provider does not say. */
  expires_at: number | null
  is_expired: boolean
}

export interface Oauth extends Consent {
  /** Where to send the browser. Works once, within ten minutes, for this person. */
  initiate(
    subject: Subject,
    request: { oauth_config_id: number; return_path: string },
  ): Promise<{ authorization_url: string; state: string }>
  /** What the provider sent the browser back with. Never fails for what a provider or a stranger sends: it says so. */
  callback(subject: Subject, query: CallbackQuery, signal: AbortSignal): Promise<CallbackResult>
  revoke(subject: Subject, oauth_config_id: number): Promise<void>
  statuses(subject: Subject): Promise<TokenStatus[]>
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
/** Before a token ends: a call with it takes a while. */
const MARGIN_MS = 60_000
const HOLD_MS = PROVIDER_TIMEOUT_MS + 10_000
const POLL_MS = 100

export function openOauth(needs: OauthNeeds): Oauth {
  const { db, secrets, now, publicUrl } = needs
  const underway = new Map<string, Promise<string>>()
  return {
    async initiate({ user_id }, { oauth_config_id, return_path }) {
      if (!isOurPath(return_path)) {
        throw new AppError('INVALID_INPUT', { reason: '`return_path` must be a path of this service, such as /chat.' })
      }
      const client = await findOauthClient(needs, oauth_config_id)
      const [state, verifier] = [randomToken(), randomToken()]
      const redirect_uri = `${publicUrl()}${CALLBACK_PATH}`
      const until = { expires_at: now() + STATE_MS, redirect_uri, return_path }
      await insertState({ db, secrets }, hashOf(state), { oauth_config_id, user_id, verifier, ...until }, now())
      return { authorization_url: authorizationUrl(client, { state, verifier, redirect_uri }), state }
    },
    async callback({ user_id }, { code, state, error, error_description }, signal) {
      const begun = state && (await takeState(needs, { state_hash: hashOf(state), user_id, now: now() }))
      if (!begun) return { redirect_url: DEFAULT_RETURN, error: UNKNOWN_STATE }
      const redirect_url = begun.return_path
      if (error !== null) return { redirect_url, error: `The provider refused: ${said(error_description ?? error)}.` }
      if (code === null) return { redirect_url, error: 'The provider sent no code.' }
      try {
        const client = await findOauthClient(needs, begun.oauth_config_id)
        const grant = { grant_type: 'authorization_code', code, redirect_uri: begun.redirect_uri }
        const token = await askForToken(needs, client, { ...grant, code_verifier: begun.verifier }, signal)
        await saveToken({ db, secrets }, { oauth_config_id: client.id, user_id }, token, now())
        return { redirect_url, error: null }
      } catch (fault) {
        if (isExpected(fault)) return { redirect_url, error: fault.message }
        throw fault
      }
    },
    async tokenFor(subject, oauth_config_id, signal) {
      const holder = { oauth_config_id, user_id: subject.user_id }
      const token = await findToken(needs, holder)
      if (token === undefined) throw await needsConsent(needs, oauth_config_id)
      if (!isStale(token, now())) return token.access_token
      const key = `${oauth_config_id} ${subject.user_id}`
      // Its own time limit, not the signal of the first who asks: others wait for it too.
      const renewing = underway.get(key) ?? renewed(needs, holder).finally(() => underway.delete(key))
      underway.set(key, renewing)
      return orAborted(renewing, signal)
    },
    async revoke({ user_id }, oauth_config_id) {
      await findOauthClient(needs, oauth_config_id)
      await deleteToken(db, { oauth_config_id, user_id })
    },
    async statuses({ user_id }) {
      const tokens = await listTokens(db, user_id)
      return tokens.map(({ oauth_config_id, expires_at }) => ({
        oauth_config_id,
        expires_at: expires_at === null ? null : Math.floor(expires_at / 1_000),
        is_expired: expires_at !== null && expires_at <= now(),
      }))
    },
  }
}

const UNKNOWN_STATE =
  'This sign-in was not begun here by you, was used already, or took longer than ten minutes. Begin it again.'

const randomToken = () => randomBytes(32).toString('base64url')
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')

/** Nowhere else, whatever a browser makes of it. */
export function isOurPath(path: string): boolean {
  const here = 'http://here.invalid'
  if (!path.startsWith('/') || /[\\\p{Cc}]/u.test(path) || path.length > 2_000) return false
  return URL.parse(path, here)?.origin === here && !path.startsWith('//')
}

/** What the flow needs stands above what the configuration adds. */
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
    code_challenge: hashOf(verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(own)) url.searchParams.set(name, value)
  return url.href
}

/** The person has not agreed at the provider, or does not any more. */
export class ConsentNeeded extends AppError {
  readonly oauth_config_id: number
  /** Of the configuration. */
  readonly account: string

  constructor(oauth_config_id: number, account: string) {
    super('TOOL_NEEDS_CONSENT', { name: account, id: oauth_config_id })
    this.oauth_config_id = oauth_config_id
    this.account = account
  }
}

async function needsConsent(needs: OauthNeeds, id: number): Promise<ConsentNeeded> {
  return new ConsentNeeded(id, (await findOauthClient(needs, id)).name)
}

const isStale = ({ expires_at }: Pick<StoredOauthToken, 'expires_at'>, now: number) =>
  expires_at !== null && expires_at - MARGIN_MS <= now

type Holder = { oauth_config_id: number; user_id: string }

/**
 * One at a time, in whatever process: a provider that sees a refresh token for the second time takes it for stolen, and
 * ends everything that came of it.
 */
async function renewed(needs: OauthNeeds, holder: Holder): Promise<string> {
  const { db, now } = needs
  const signal = AbortSignal.timeout(HOLD_MS + PROVIDER_TIMEOUT_MS)
  for (;;) {
    const token = await findToken(needs, holder)
    if (token === undefined) throw await needsConsent(needs, holder.oauth_config_id)
    if (!isStale(token, now())) return token.access_token
    // Some providers renew nothing, and some tokens live on although they said that they would not.
    if (token.refresh_token === null) {
      if ((token.expires_at ?? 0) > now()) return token.access_token
      throw await needsConsent(needs, holder.oauth_config_id)
    }
    const time = now()
    if (await holdToken(db, token, { now: time, until: time + HOLD_MS })) return renew(needs, holder, token, signal)
    await delay(POLL_MS, undefined, { signal })
  }
}

async function renew(
  needs: OauthNeeds,
  holder: Holder,
  { id, refresh_token }: StoredOauthToken,
  signal: AbortSignal,
): Promise<string> {
  const { db, secrets, now } = needs
  try {
    const client = await findOauthClient(needs, holder.oauth_config_id)
    const grant = { grant_type: 'refresh_token', refresh_token: refresh_token ?? '' }
    const token = await askForToken(needs, client, grant, signal)
    // RFC 6749, 6: where no new one comes, the old one stays.
    await saveToken({ db, secrets }, holder, { ...token, refresh_token: token.refresh_token ?? refresh_token }, now())
    return token.access_token
  } catch (error) {
    if (!(error instanceof ProviderError) || error.error !== 'invalid_grant') {
      await releaseToken(db, id)
      throw error instanceof ProviderError ? new AppError('TOOL_PROVIDER_FAILED', { reason: error.message }) : error
    }
    await deleteToken(db, holder)
    throw await needsConsent(needs, holder.oauth_config_id)
  }
}

const isExpected = (error: unknown): error is Error =>
  error instanceof ProviderError || error instanceof EgressError || error instanceof AppError

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
