// OAuth for remote servers, with the client of the protocol. Tokens belong to the administrator or to each person.
import type {
  AuthProvider,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import {
  changeMcpCredentials,
  findMcpCredentials,
  insertMcpOauthFlow,
  type McpCredentialOwner,
  type McpCredentials,
  takeMcpOauthFlow,
} from '../../store/tools/mcp-credentials.ts'
import { type StoredMcpServer, setMcpStatus } from '../../store/tools/mcp-servers.ts'
import { describeFailure } from './failure.ts'
import { createMcpFetch, type McpClientDeps, McpServerError } from './fetch.ts'

const FLOW_MS = 10 * 60_000
const OAUTH_LIMITS = { bytes: 1 << 20, timeoutMs: 15_000 }

/** There is no token, or it can no longer be refreshed. */
export class SignInRequiredError extends Error {
  constructor() {
    super('No one has signed in to the server yet, or the sign-in has expired.')
  }
}

/** The holder of the tokens for calls of the subject. */
export const credentialHolderOf = (
  server: StoredMcpServer,
  { user_id }: Pick<Subject, 'user_id'>,
): McpCredentialOwner => ({
  server: server.id,
  person: server.auth_performer === 'ADMIN' ? null : user_id,
})

/** For calls, which cannot redirect a browser. */
export function createAuthProvider(
  deps: McpClientDeps,
  server: StoredMcpServer,
  holder: McpCredentialOwner,
  signal: AbortSignal,
): AuthProvider {
  const provider: OAuthClientProvider = {
    ...createCredentialStorage(deps, server, holder),
    redirectUrl: UNUSED_REDIRECT_URL,
    discoveryState: () => configuredDiscovery(server),
    redirectToAuthorization: throwSignInRequired,
    saveCodeVerifier: () => {},
    codeVerifier: throwSignInRequired,
  }
  const fetchFn = createMcpFetch({
    egress: deps.egress,
    serverId: server.id,
    origin: null,
    limits: OAUTH_LIMITS,
    signal,
  })
  let sentToken: string | undefined
  const renew = (work: () => Promise<void>) =>
    inSequence(`${holder.server}/${holder.person}`, work).catch(async (error) => {
      // Everybody uses these tokens, so an administrator learns of it before the next person asks.
      if (holder.person === null && error instanceof SignInRequiredError)
        await setMcpStatus(deps.db, server.id, { status: 'AWAITING_AUTH' })
      throw error
    })
  return {
    async token() {
      sentToken = (await provider.tokens())?.access_token
      return sentToken
    },
    onUnauthorized: ({ response, serverUrl }) =>
      renew(async () => {
        const stored = await provider.tokens()
        // Another call has already refreshed the token.
        if (stored !== undefined && stored.access_token !== sentToken) return
        if (stored?.refresh_token === undefined) throwSignInRequired()
        const { auth, extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
        const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
        const challenge = { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) }
        await auth(provider, { serverUrl, fetchFn, ...challenge })
      }),
  }
}

/** A refresh token works once, so concurrent calls with an expired token refresh it one after another. */
const pendingRefreshes = new Map<string, Promise<void>>()

async function inSequence(key: string, work: () => Promise<void>): Promise<void> {
  const pending = (pendingRefreshes.get(key) ?? Promise.resolve()).catch(() => {}).then(work)
  pendingRefreshes.set(key, pending)
  try {
    await pending
  } finally {
    if (pendingRefreshes.get(key) === pending) pendingRefreshes.delete(key)
  }
}

/** Never visited: without a redirect URL, the library chooses a flow without people. */
const UNUSED_REDIRECT_URL = 'http://localhost/unused'

function throwSignInRequired(): never {
  throw new SignInRequiredError()
}

interface BeginSignIn {
  server: StoredMcpServer
  subject: Subject
  redirectUrl: string
  returnPath: string
  state: string
  signal: AbortSignal
}

/** Returns the URL for the browser. The state is valid only for this person. */
export async function beginSignIn(deps: McpClientDeps, begin: BeginSignIn): Promise<string> {
  const { server, subject, redirectUrl, returnPath, state } = begin
  let signInUrl: URL | undefined
  let verifier = ''
  let discovery: OAuthDiscoveryState | undefined = configuredDiscovery(server)
  const stored = createCredentialStorage(deps, server, credentialHolderOf(server, subject))
  const provider: OAuthClientProvider = {
    ...stored,
    clientMetadata: createClientMetadata(server, redirectUrl),
    clientInformation: async () => clientForRedirect(redirectUrl, await stored.clientInformation()),
    redirectUrl,
    state: () => state,
    // A new sign-in must replace the stored tokens.
    tokens: () => undefined,
    discoveryState: () => discovery,
    saveDiscoveryState(found) {
      discovery = found
    },
    redirectToAuthorization(url) {
      signInUrl = url
    },
    saveCodeVerifier(made) {
      verifier = made
    },
    codeVerifier: () => verifier,
  }
  await authorize(deps, begin, provider, {})
  if (signInUrl === undefined)
    throw new AppError('MCP_SIGN_IN_FAILED', { reason: 'The server provides no sign-in page.' })
  checkSignInUrl(signInUrl)
  const flow = { verifier, discovery, redirectUrl, returnPath }
  const values = { mcp_server_id: server.id, user_id: subject.user_id, flow }
  const now = deps.now()
  await insertMcpOauthFlow(deps, state, values, { now, expires_at: now + FLOW_MS })
  return signInUrl.href
}

/** Ignores a client that was registered for another redirect URL, because the server would reject it. */
const clientForRedirect = (redirectUrl: string, client: StoredOAuthClientInformation | undefined) =>
  client !== undefined && 'redirect_uris' in client && !client.redirect_uris.includes(redirectUrl) ? undefined : client

/** The browser follows this URL. */
function checkSignInUrl({ protocol, hostname }: URL): void {
  if (protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname))) return
  throw new AppError('MCP_SIGN_IN_FAILED', {
    reason: `The sign-in page does not use https: ${protocol}//${hostname}.`,
  })
}

interface FinishSignIn {
  subject: Subject
  state: string
  code: string
  /** RFC 9207. */
  iss: string | undefined
  getServer(id: number): Promise<StoredMcpServer>
  signal: AbortSignal
}

interface SignInFlow {
  verifier: string
  discovery: OAuthDiscoveryState
  redirectUrl: string
  returnPath: string
}

const UNKNOWN_STATE = 'The state is unknown for this key. It is valid once, for ten minutes. Start the sign-in again.'

export async function finishSignIn(
  deps: McpClientDeps,
  { subject, state, code, iss, getServer, signal }: FinishSignIn,
): Promise<{ server: StoredMcpServer; returnPath: string }> {
  const taken = await takeMcpOauthFlow(deps, state, { user_id: subject.user_id, now: deps.now() })
  if (taken === undefined) throw new AppError('MCP_SIGN_IN_FAILED', { reason: UNKNOWN_STATE })
  // Written by `beginSignIn`.
  const flow = taken.flow as unknown as SignInFlow
  const server = await getServer(taken.mcp_server_id)
  const provider: OAuthClientProvider = {
    ...createCredentialStorage(deps, server, credentialHolderOf(server, subject)),
    clientMetadata: createClientMetadata(server, flow.redirectUrl),
    redirectUrl: flow.redirectUrl,
    discoveryState: () => flow.discovery,
    saveDiscoveryState: () => {},
    redirectToAuthorization: () => {
      throw new McpServerError('It requires another sign-in.')
    },
    saveCodeVerifier: () => {},
    codeVerifier: () => flow.verifier,
  }
  await authorize(deps, { server, signal }, provider, { authorizationCode: code, ...(iss !== undefined && { iss }) })
  return { server, returnPath: flow.returnPath }
}

async function authorize(
  { egress }: McpClientDeps,
  { server, signal }: Pick<BeginSignIn, 'server' | 'signal'>,
  provider: OAuthClientProvider,
  more: { authorizationCode?: string; iss?: string },
): Promise<void> {
  // The authorization server often has another origin; the egress policy applies to it.
  const fetchFn = createMcpFetch({ egress, serverId: server.id, origin: null, limits: OAUTH_LIMITS, signal })
  const { auth } = await import('@modelcontextprotocol/client')
  try {
    await auth(provider, { serverUrl: server.server_url, fetchFn, ...more })
  } catch (error) {
    if (error instanceof AppError || signal.aborted) throw error
    throw new AppError('MCP_SIGN_IN_FAILED', { reason: await describeFailure(error) }, { cause: error })
  }
}

type CredentialStorage = Pick<
  OAuthClientProvider,
  'clientMetadata' | 'clientInformation' | 'saveClientInformation' | 'tokens' | 'saveTokens' | 'invalidateCredentials'
>

/** The client belongs to the server, the tokens belong to the holder. */
function createCredentialStorage(
  deps: McpClientDeps,
  server: StoredMcpServer,
  holder: McpCredentialOwner,
): CredentialStorage {
  const serverHolder: McpCredentialOwner = { server: server.id, person: null }
  const update = (whose: McpCredentialOwner, patch: (it: McpCredentials) => McpCredentials) =>
    changeMcpCredentials(deps, whose, patch, deps.now())
  let read: StoredOAuthTokens | undefined
  return {
    clientMetadata: createClientMetadata(server, UNUSED_REDIRECT_URL),
    // Written by `saveClientInformation`, `saveTokens` or an administrator.
    clientInformation: async () =>
      ((await findMcpCredentials(deps, serverHolder)).client ?? undefined) as StoredOAuthClientInformation | undefined,
    saveClientInformation: (client) => update(serverHolder, (it) => ({ ...it, client: { ...client } })),
    tokens: async () => {
      read = ((await findMcpCredentials(deps, holder)).tokens ?? undefined) as StoredOAuthTokens | undefined
      return read
    },
    saveTokens: (tokens) => update(holder, (it) => ({ ...it, tokens: { ...tokens } })),
    invalidateCredentials: async (scope) => {
      if (scope === 'client' || scope === 'all')
        await update(serverHolder, (it) => (it.isClientGiven ? it : { ...it, client: null }))
      if (scope !== 'tokens' && scope !== 'all') return
      // Keeps tokens that another call has refreshed in the meantime.
      await update(holder, (it) => (it.tokens?.refresh_token === read?.refresh_token ? { ...it, tokens: null } : it))
    },
  }
}

const createClientMetadata = (
  { oauth }: StoredMcpServer,
  redirectUrl: string,
): OAuthClientProvider['clientMetadata'] => ({
  client_name: 'Pharos',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  ...(oauth.scopes.length > 0 && { scope: oauth.scopes.join(' ') }),
})

/** The endpoints that the administrator configured for a server without discovery. */
function configuredDiscovery({
  oauth: { authorization_url, token_url },
}: StoredMcpServer): OAuthDiscoveryState | undefined {
  if (authorization_url === null || token_url === null) return undefined
  const issuer = new URL(authorization_url).origin
  return {
    authorizationServerUrl: issuer,
    authorizationServerMetadata: {
      issuer,
      authorization_endpoint: authorization_url,
      token_endpoint: token_url,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    },
  }
}
