// OAuth for remote servers, by the protocol's own client: tokens of the administrator or of each person, sealed.
import {
  type AuthProvider,
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import {
  changeCredentials,
  findCredentials,
  type Holder,
  insertOauthFlow,
  type McpCredentials,
  takeOauthFlow,
} from '../store/mcp-credentials.ts'
import type { StoredMcpServer } from '../store/mcp-servers.ts'
import { reasonOf } from './mcp-fault.ts'
import { fetchThrough, RemoteFault, type RemoteNeeds } from './mcp-fetch.ts'

const FLOW_MS = 10 * 60_000
const LIMITS = { bytes: 1 << 20, timeoutMs: 15_000 }

/** A token that is there is used and refreshed; where none is, somebody has to sign in. */
export class SignInNeeded extends Error {
  constructor() {
    super('Nobody has signed in there yet, or the sign-in has ended.')
  }
}

/** Where the tokens for a call by the subject lie. */
export const holderOf = (server: StoredMcpServer, { user_id }: Pick<Subject, 'user_id'>): Holder => ({
  server: server.id,
  person: server.auth_performer === 'ADMIN' ? null : user_id,
})

/** For a call: a way to a browser is none of its business. */
export function callAuth(
  needs: RemoteNeeds,
  server: StoredMcpServer,
  holder: Holder,
  signal: AbortSignal,
): AuthProvider {
  const provider: OAuthClientProvider = {
    ...storedParts(needs, server, holder),
    redirectUrl: NO_PAGE,
    discoveryState: () => statedDiscovery(server),
    redirectToAuthorization: signInNeeded,
    saveCodeVerifier: () => {},
    codeVerifier: signInNeeded,
  }
  const fetchFn = fetchThrough({ egress: needs.egress, serverId: server.id, origin: null, limits: LIMITS, signal })
  let sent: string | undefined
  return {
    async token() {
      sent = (await provider.tokens())?.access_token
      return sent
    },
    onUnauthorized: ({ response, serverUrl }) =>
      inTurn(`${holder.server}/${holder.person}`, async () => {
        const stored = await provider.tokens()
        // Another call has had the same trouble, and has overcome it.
        if (stored !== undefined && stored.access_token !== sent) return
        if (stored?.refresh_token === undefined) signInNeeded()
        const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
        const asked = { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) }
        await auth(provider, { serverUrl, fetchFn, ...asked })
      }),
  }
}

/** Refresh tokens are good for once: of calls that find a token ended at the same time, one fetches the next. */
const turns = new Map<string, Promise<void>>()

async function inTurn(key: string, work: () => Promise<void>): Promise<void> {
  const turn = (turns.get(key) ?? Promise.resolve()).catch(() => {}).then(work)
  turns.set(key, turn)
  try {
    await turn
  } finally {
    if (turns.get(key) === turn) turns.delete(key)
  }
}

/** Nobody is sent there: without a page to come back to, the client takes a flow for one without people. */
const NO_PAGE = 'http://localhost/unused'

function signInNeeded(): never {
  throw new SignInNeeded()
}

interface Begin {
  server: StoredMcpServer
  subject: Subject
  redirectUrl: string
  returnPath: string
  state: string
  signal: AbortSignal
}

/** Where the person has to go; the state leads back to this person only. */
export async function beginSignIn(needs: RemoteNeeds, begin: Begin): Promise<string> {
  const { server, subject, redirectUrl, returnPath, state } = begin
  let address: URL | undefined
  let verifier = ''
  let discovery: OAuthDiscoveryState | undefined = statedDiscovery(server)
  const stored = storedParts(needs, server, holderOf(server, subject))
  const provider: OAuthClientProvider = {
    ...stored,
    clientMetadata: metadataOf(server, redirectUrl),
    clientInformation: async () => registeredFor(redirectUrl, await stored.clientInformation()),
    redirectUrl,
    state: () => state,
    // A person who signs in wants other tokens than those that are there.
    tokens: () => undefined,
    discoveryState: () => discovery,
    saveDiscoveryState(found) {
      discovery = found
    },
    redirectToAuthorization(url) {
      address = url
    },
    saveCodeVerifier(made) {
      verifier = made
    },
    codeVerifier: () => verifier,
  }
  await authorize(needs, begin, provider, {})
  if (address === undefined)
    throw new AppError('MCP_SIGN_IN_FAILED', { reason: 'The server names no page to sign in.' })
  checkPage(address)
  const flow = { verifier, discovery, redirectUrl, returnPath }
  const whose = { mcp_server_id: server.id, user_id: subject.user_id, flow }
  const now = needs.now()
  await insertOauthFlow(needs, state, whose, { now, expires_at: now + FLOW_MS })
  return address.href
}

/** One that was registered for another address of ours is none: the server would not lead back. */
const registeredFor = (redirectUrl: string, client: StoredOAuthClientInformation | undefined) =>
  client !== undefined && 'redirect_uris' in client && !client.redirect_uris.includes(redirectUrl) ? undefined : client

/** A browser is sent there. */
function checkPage({ protocol, hostname }: URL): void {
  if (protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname))) return
  throw new AppError('MCP_SIGN_IN_FAILED', {
    reason: `The page to sign in is not reached by https: ${protocol}//${hostname}.`,
  })
}

interface Finish {
  subject: Subject
  state: string
  code: string
  /** RFC 9207. */
  iss: string | undefined
  getServer(id: number): Promise<StoredMcpServer>
  signal: AbortSignal
}

interface Flow {
  verifier: string
  discovery: OAuthDiscoveryState
  redirectUrl: string
  returnPath: string
}

const UNKNOWN_STATE =
  'Nobody who signs in with this key is expected with this state. It holds ten minutes and once: begin again.'

export async function finishSignIn(
  needs: RemoteNeeds,
  { subject, state, code, iss, getServer, signal }: Finish,
): Promise<{ server: StoredMcpServer; returnPath: string }> {
  const taken = await takeOauthFlow(needs, state, { user_id: subject.user_id, now: needs.now() })
  if (taken === undefined) throw new AppError('MCP_SIGN_IN_FAILED', { reason: UNKNOWN_STATE })
  // What `beginSignIn` wrote.
  const flow = taken.flow as unknown as Flow
  const server = await getServer(taken.mcp_server_id)
  const provider: OAuthClientProvider = {
    ...storedParts(needs, server, holderOf(server, subject)),
    clientMetadata: metadataOf(server, flow.redirectUrl),
    redirectUrl: flow.redirectUrl,
    discoveryState: () => flow.discovery,
    saveDiscoveryState: () => {},
    redirectToAuthorization: () => {
      throw new RemoteFault('It asks to sign in again.')
    },
    saveCodeVerifier: () => {},
    codeVerifier: () => flow.verifier,
  }
  await authorize(needs, { server, signal }, provider, { authorizationCode: code, ...(iss !== undefined && { iss }) })
  return { server, returnPath: flow.returnPath }
}

async function authorize(
  { egress }: RemoteNeeds,
  { server, signal }: Pick<Begin, 'server' | 'signal'>,
  provider: OAuthClientProvider,
  more: { authorizationCode?: string; iss?: string },
): Promise<void> {
  // The authorization server is often another one: `egress` judges it as it judges any.
  const fetchFn = fetchThrough({ egress, serverId: server.id, origin: null, limits: LIMITS, signal })
  try {
    await auth(provider, { serverUrl: server.server_url, fetchFn, ...more })
  } catch (error) {
    if (error instanceof AppError || signal.aborted) throw error
    throw new AppError('MCP_SIGN_IN_FAILED', { reason: reasonOf(error) }, { cause: error })
  }
}

type StoredParts = Pick<
  OAuthClientProvider,
  'clientMetadata' | 'clientInformation' | 'saveClientInformation' | 'tokens' | 'saveTokens' | 'invalidateCredentials'
>

/** The client is the server's, whoever signs in; the tokens are the holder's. */
function storedParts(needs: RemoteNeeds, server: StoredMcpServer, holder: Holder): StoredParts {
  const ofServer: Holder = { server: server.id, person: null }
  const change = (whose: Holder, how: (it: McpCredentials) => McpCredentials) =>
    changeCredentials(needs, whose, how, needs.now())
  let read: StoredOAuthTokens | undefined
  return {
    clientMetadata: metadataOf(server, NO_PAGE),
    // What `saveClientInformation` and `saveTokens` wrote, or an administrator.
    clientInformation: async () =>
      ((await findCredentials(needs, ofServer)).client ?? undefined) as StoredOAuthClientInformation | undefined,
    saveClientInformation: (client) => change(ofServer, (it) => ({ ...it, client: { ...client } })),
    tokens: async () => {
      read = ((await findCredentials(needs, holder)).tokens ?? undefined) as StoredOAuthTokens | undefined
      return read
    },
    saveTokens: (tokens) => change(holder, (it) => ({ ...it, tokens: { ...tokens } })),
    invalidateCredentials: async (scope) => {
      if (scope === 'client' || scope === 'all')
        await change(ofServer, (it) => (it.isClientGiven ? it : { ...it, client: null }))
      if (scope !== 'tokens' && scope !== 'all') return
      // Another call may have refreshed them meanwhile: those are good.
      await change(holder, (it) => (it.tokens?.refresh_token === read?.refresh_token ? { ...it, tokens: null } : it))
    },
  }
}

const metadataOf = ({ oauth }: StoredMcpServer, redirectUrl: string): OAuthClientProvider['clientMetadata'] => ({
  client_name: 'Pharos',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  ...(oauth.scopes.length > 0 && { scope: oauth.scopes.join(' ') }),
})

/** Where the administrator has said what the server does not. */
function statedDiscovery({
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
