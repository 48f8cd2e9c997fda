// The way of the protocol's own client to a server: through `egress`, and to no origin but that of the server.
import { Readable } from 'node:stream'
import type { FetchLike } from '@modelcontextprotocol/client'
import type { Logger } from '../domain/logger.ts'
import type { Egress, EgressRequest } from '../egress/egress.ts'
import type { Database } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'

/** What every use of a remote server needs. */
export interface RemoteNeeds {
  db: Database
  secrets: SecretBox
  egress: Pick<Egress, 'fetch'>
  logger: Logger
  now: () => number
}

export interface RemoteReach {
  egress: Pick<Egress, 'fetch'>
  serverId: number | null
  /** Null: any, which is only for finding an authorization server and asking it for tokens. */
  origin: string | null
  /** Beside those of the protocol, and before them. */
  headers?: Readonly<Record<string, string>>
  limits: { bytes: number; timeoutMs: number }
  signal: AbortSignal
}

/** Why a server is not used further, in a sentence. */
export class RemoteFault extends Error {}

const EMPTY_STATUSES = [204, 205, 304]

export const fetchThrough =
  ({ egress, serverId, origin, headers: own = {}, limits, signal }: RemoteReach): FetchLike =>
  async (address, init = {}) => {
    const url = new URL(address)
    checkOrigin(url, origin)
    const answer = await egress.fetch(url, {
      method: (init.method ?? 'GET') as EgressRequest['method'] & string, // What the client sends: GET, POST, DELETE.
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
    if (!EMPTY_STATUSES.includes(status)) return new Response(bodyOf(answer.body), { status, headers })
    answer.body.destroy()
    return new Response(null, { status, headers })
  }

/** Two libraries describe one stream. */
const bodyOf = (body: Readable) => Readable.toWeb(body) as unknown as ReadableStream<Uint8Array>

function checkOrigin(url: URL, origin: string | null): void {
  if (origin === null || url.origin === origin) return
  throw new RemoteFault(`It leads to ${url.origin}, and only ${origin} is called for it.`)
}
