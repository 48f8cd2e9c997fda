// A `fetch` for the MCP client library that uses `egress` and allows only the origin of the server.
import { Readable } from 'node:stream'
import type { FetchLike } from '@modelcontextprotocol/client'
import type { Logger } from '../../domain/logger.ts'
import type { Egress, EgressRequest } from '../../egress/egress.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { PassthroughDeps } from '../oauth/passthrough.ts'

/** The dependencies of all MCP operations. */
export interface McpClientDeps extends PassthroughDeps {
  secrets: SecretBox
  egress: Pick<Egress, 'fetch'>
  logger: Logger
}

export interface McpFetchOptions {
  egress: Pick<Egress, 'fetch'>
  serverId: number | null
  /** Null allows any origin. Only the discovery of an authorization server and its token requests need that. */
  origin: string | null
  /** Headers that override those of the protocol. */
  headers?: Readonly<Record<string, string>>
  limits: { bytes: number; timeoutMs: number }
  signal: AbortSignal
}

/** An error of a server, described in a sentence. */
export class McpServerError extends Error {}

const EMPTY_STATUSES = [204, 205, 304]

export const createMcpFetch =
  ({ egress, serverId, origin, headers: own = {}, limits, signal }: McpFetchOptions): FetchLike =>
  async (address, init = {}) => {
    const url = new URL(address)
    checkOrigin(url, origin)
    const answer = await egress.fetch(url, {
      method: (init.method ?? 'GET') as EgressRequest['method'] & string, // The methods that the client sends: GET, POST, DELETE.
      headers: { ...Object.fromEntries(new Headers(init.headers)), ...own },
      ...(init.body !== undefined && init.body !== null && { body: String(init.body) }),
      signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal,
      profile: 'admin-target',
      asker: { kind: 'mcp_server', id: serverId },
      limits,
    })
    try {
      checkOrigin(new URL(answer.url), origin)
    } catch (error) {
      answer.body.destroy()
      throw error
    }
    const { status, headers } = answer
    if (!EMPTY_STATUSES.includes(status)) return new Response(toWebStream(answer.body), { status, headers })
    answer.body.destroy()
    return new Response(null, { status, headers })
  }

/** Node and the DOM declare different types for the same stream. */
const toWebStream = (body: Readable) => Readable.toWeb(body) as unknown as ReadableStream<Uint8Array>

function checkOrigin(url: URL, origin: string | null): void {
  if (origin === null || url.origin === origin) return
  throw new McpServerError(`It redirects to ${url.origin}, but only ${origin} may be called.`)
}
