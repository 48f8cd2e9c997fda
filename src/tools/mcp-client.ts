// A remote server of the Model Context Protocol, asked for its tools or to run one of them.
import { setTimeout as delay } from 'node:timers/promises'
import {
  type CallToolResult,
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { headersOf } from '../domain/mcp-server.ts'
import type { Subject } from '../domain/subject.ts'
import { findCredentials } from '../store/mcp-credentials.ts'
import type { StoredMcpServer } from '../store/mcp-servers.ts'
import type { OfferedTool } from '../store/mcp-tools.ts'
import { fetchThrough, RemoteFault, type RemoteNeeds } from './mcp-fetch.ts'
import { callAuth, holderOf, SignInNeeded } from './mcp-oauth.ts'
import { screened } from './mcp-screen.ts'

export interface RemoteCall {
  server: StoredMcpServer
  subject: Subject
  /** What the person sent, for a server that it is passed on to. */
  authorization: string | null
  /** To be tried instead of those that are kept. */
  fields?: Readonly<Record<string, string>>
  /** What the person's client wants the server to see. */
  headers: Readonly<Record<string, string>>
  signal: AbortSignal
}

const CALL = { bytes: 1 << 20, timeoutMs: 30_000 }
const LISTING = { bytes: 4 << 20, timeoutMs: 30_000 }
const GOODBYE_MS = 1_000
const OWN_NAME = { name: 'pharos', version: '1' }

/** Rejects with what went wrong, see `reasonOf`, or with the reason of the signal. */
export const listRemoteTools = (needs: RemoteNeeds, call: RemoteCall): Promise<OfferedTool[]> =>
  withClient(needs, call, LISTING, async (client, signal) => {
    const { tools } = await client.listTools(undefined, { signal, timeout: LISTING.timeoutMs })
    return screened(tools)
  })

/** Rejects likewise; a call that failed over there is an answer. */
export const callRemoteTool = (
  needs: RemoteNeeds,
  call: RemoteCall,
  { name, args }: { name: string; args: Record<string, unknown> },
): Promise<CallToolResult> =>
  withClient(needs, call, CALL, (client, signal) =>
    client.callTool({ name, arguments: args }, { signal, timeout: CALL.timeoutMs }),
  )

async function withClient<T>(
  needs: RemoteNeeds,
  call: RemoteCall,
  limits: { bytes: number; timeoutMs: number },
  work: (client: Client, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(limits.timeoutMs)
  const signal = AbortSignal.any([call.signal, deadline])
  const transport = await transportOf(needs, { ...call, signal }, limits)
  const client = new Client(OWN_NAME, {
    // The older transport is older than the newer revision: its servers may never answer a question for it.
    versionNegotiation: { mode: call.server.transport === 'SSE' ? 'legacy' : 'auto' },
    // What a stranger's schema says of its own answers is not worth compiling it.
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
      throw new RemoteFault(`It did not answer within ${limits.timeoutMs / 1_000} seconds.`, { cause: error })
    throw error
  } finally {
    await leave(client, transport)
  }
}

/** A server that keeps sessions may let go of this one; how long it thinks about that is not our concern. */
async function leave(client: Client, transport: StreamableHTTPClientTransport | SSEClientTransport): Promise<void> {
  const patience = new AbortController()
  if (transport instanceof StreamableHTTPClientTransport) {
    const said = transport.terminateSession().catch(() => {})
    await Promise.race([said, delay(GOODBYE_MS, undefined, { signal: patience.signal }).catch(() => {})])
    patience.abort()
  }
  await client.close().catch(() => {})
}

async function transportOf(
  needs: RemoteNeeds,
  call: RemoteCall,
  limits: { bytes: number; timeoutMs: number },
): Promise<StreamableHTTPClientTransport | SSEClientTransport> {
  const { server, subject, signal } = call
  const url = new URL(server.server_url)
  const headers = { ...passedOn(call.headers), ...(await proofsOf(needs, call)) }
  const options = {
    fetch: fetchThrough({ egress: needs.egress, serverId: server.id, origin: url.origin, headers, limits, signal }),
    ...(server.auth_type === 'OAUTH' && { authProvider: callAuth(needs, server, holderOf(server, subject), signal) }),
  }
  if (server.transport === 'SSE') return new SSEClientTransport(url, options)
  const reconnectionOptions = {
    maxRetries: 0,
    initialReconnectionDelay: 1_000,
    maxReconnectionDelay: 1_000,
    reconnectionDelayGrowFactor: 1,
  }
  return new StreamableHTTPClientTransport(url, { ...options, reconnectionOptions, onInsufficientScope: 'throw' })
}

/** The headers that say who calls. */
async function proofsOf(
  needs: RemoteNeeds,
  { server, subject, authorization, ...call }: RemoteCall,
): Promise<Record<string, string>> {
  if (server.auth_type === 'PT_OAUTH') {
    if (authorization === null) throw new RemoteFault(NOTHING_TO_PASS_ON)
    return { authorization }
  }
  if (server.auth_type !== 'API_TOKEN') return {}
  const fields = call.fields ?? (await findCredentials(needs, holderOf(server, subject))).fields
  const headers = headersOf(server.auth_template, { ...fields, user_email: subject.email ?? '' })
  if (headers === null) throw new SignInNeeded()
  return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]))
}

const NOTHING_TO_PASS_ON =
  'It is passed the header "Authorization" of whoever asks, and there is none: ask with a key, not in the session of a browser.'

/** What belongs to the connection, to the protocol, or proves who calls is not the client's to say. */
const RESERVED =
  /^(?:host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|accept.*|cookie|authorization|dpop|proxy-.*|mcp-.*|last-event-id)$/i
const passedOn = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([key, value]) => (RESERVED.test(key) ? [] : [[key.toLowerCase(), value]])),
  )
