// Lists and calls the tools of a remote server of the Model Context Protocol.
import type {
  CallToolResult,
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { Subject } from '../../domain/subject.ts'
import { renderAuthHeaders } from '../../domain/tools/mcp-server.ts'
import { resultOrTimeout } from '../../flow/result-or-timeout.ts'
import { findMcpCredentials } from '../../store/tools/mcp-credentials.ts'
import type { StoredMcpServer } from '../../store/tools/mcp-servers.ts'
import type { OfferedTool } from '../../store/tools/mcp-tools.ts'
import { issueAuthorization } from '../oauth/passthrough.ts'
import { createMcpFetch, type McpClientDeps, McpServerError } from './fetch.ts'
import { createAuthProvider, credentialHolderOf, SignInRequiredError } from './oauth.ts'
import { sanitizeTools } from './sanitize-tools.ts'

export interface McpCall {
  server: StoredMcpServer
  subject: Subject
  /** To be tried instead of those that are kept. */
  fields?: Readonly<Record<string, string>>
  /** The headers that the person's client sends to the server. */
  headers: Readonly<Record<string, string>>
  signal: AbortSignal
}

const CALL_LIMITS = { bytes: 1 << 20, timeoutMs: 30_000 }
const LISTING_LIMITS = { bytes: 4 << 20, timeoutMs: 30_000 }
const GOODBYE_MS = 1_000
const CLIENT_INFO = { name: 'pharos', version: '1' }

/** Rejects with an error that `describeFailure` explains, or with the reason of the signal. */
export const listRemoteTools = (deps: McpClientDeps, call: McpCall): Promise<OfferedTool[]> =>
  withClient(deps, call, LISTING_LIMITS, async (client, signal) => {
    const { tools } = await client.listTools(undefined, { signal, timeout: LISTING_LIMITS.timeoutMs })
    return sanitizeTools(tools)
  })

/** Rejects like `listRemoteTools`. A call that failed on the server is a normal result. */
export const callRemoteTool = (
  deps: McpClientDeps,
  call: McpCall,
  { name, args }: { name: string; args: Record<string, unknown> },
): Promise<CallToolResult> =>
  withClient(deps, call, CALL_LIMITS, (client, signal) =>
    client.callTool({ name, arguments: args }, { signal, timeout: CALL_LIMITS.timeoutMs }),
  )

async function withClient<T>(
  deps: McpClientDeps,
  call: McpCall,
  limits: { bytes: number; timeoutMs: number },
  work: (client: Client, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(limits.timeoutMs)
  const signal = AbortSignal.any([call.signal, deadline])
  const transport = await createTransport(deps, { ...call, signal }, limits)
  const { Client } = await import('@modelcontextprotocol/client')
  const client = new Client(CLIENT_INFO, {
    // SSE predates version negotiation: such servers may never answer it.
    versionNegotiation: { mode: call.server.transport === 'SSE' ? 'legacy' : 'auto' },
    // Validation of results is skipped, so that schemas of untrusted servers are not compiled.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
  })
  try {
    await client.connect(transport, { signal, timeout: limits.timeoutMs })
    return await work(client, signal)
  } catch (error) {
    call.signal.throwIfAborted()
    if (deadline.aborted)
      throw new McpServerError(`It did not answer within ${limits.timeoutMs / 1_000} seconds.`, { cause: error })
    throw error
  } finally {
    await closeSession(client, transport)
  }
}

/** Ends the session, but does not wait long for the server to confirm. */
async function closeSession(
  client: Client,
  transport: StreamableHTTPClientTransport | SSEClientTransport,
): Promise<void> {
  if ('terminateSession' in transport)
    await resultOrTimeout(
      transport.terminateSession().catch(() => {}),
      GOODBYE_MS,
      undefined,
    )
  await client.close().catch(() => {})
}

async function createTransport(
  deps: McpClientDeps,
  call: McpCall,
  limits: { bytes: number; timeoutMs: number },
): Promise<StreamableHTTPClientTransport | SSEClientTransport> {
  const { server, subject, signal } = call
  const url = new URL(server.server_url)
  const headers = { ...forwardableHeaders(call.headers), ...(await authHeaders(deps, call)) }
  const options = {
    fetch: createMcpFetch({ egress: deps.egress, serverId: server.id, origin: url.origin, headers, limits, signal }),
    ...(server.auth_type === 'OAUTH' && {
      authProvider: createAuthProvider(deps, server, credentialHolderOf(server, subject), signal),
    }),
  }
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  if (server.transport === 'SSE') return new SSEClientTransport(url, options)
  const reconnectionOptions = {
    maxRetries: 0,
    initialReconnectionDelay: 1_000,
    maxReconnectionDelay: 1_000,
    reconnectionDelayGrowFactor: 1,
  }
  return new StreamableHTTPClientTransport(url, { ...options, reconnectionOptions, onInsufficientScope: 'throw' })
}

/** The headers that authenticate the caller. */
async function authHeaders(
  deps: McpClientDeps,
  { server, subject, ...call }: McpCall,
): Promise<Record<string, string>> {
  if (server.auth_type === 'PT_OAUTH') return { authorization: await issueAuthorization(deps, subject, { server }) }
  if (server.auth_type !== 'API_TOKEN') return {}
  const fields = call.fields ?? (await findMcpCredentials(deps, credentialHolderOf(server, subject))).fields
  const headers = renderAuthHeaders(server.auth_template, { ...fields, user_email: subject.email ?? '' })
  if (headers === null) throw new SignInRequiredError()
  return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]))
}

/** Clients cannot set headers of the connection, of the protocol or of authentication. */
const RESERVED_HEADERS =
  /^(?:host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|accept.*|cookie|authorization|x-onyx-authorization|dpop|proxy-.*|mcp-.*|last-event-id)$/i
const forwardableHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([key, value]) => (RESERVED_HEADERS.test(key) ? [] : [[key.toLowerCase(), value]])),
  )
