// Keep-alive connections. A pool belongs to one host at authorized addresses, so a changed DNS answer or CA certificate
// gets its own pool.
import type { Socket } from 'node:net'
import type { Pool } from 'undici'
import { EgressError } from '../egress-error.ts'
import type { EgressRoute } from '../policy/guard.ts'
import type { DialTls } from './dial.ts'

export type DialRoute = (route: EgressRoute, tls: DialTls | undefined, signal: AbortSignal) => Promise<Socket>

export interface ConnectionPools {
  /** Resolves to the pool for this origin. Use it immediately: a pool is closed with its last connection. */
  poolFor(
    url: URL,
    route: EgressRoute,
    wanted: { ca?: string | undefined; connections?: number | undefined },
  ): Promise<Pool>
  /** Aborts all requests and closes all connections. */
  close(): Promise<void>
}

export const CONNECT_TIMEOUT_MS = 10_000
/** Limit on all headers of a response together. */
export const MAX_HEADER_BYTES = 32_768
const CONNECTIONS_PER_HOST = 8
const IDLE_MS = 4_000
const MAX_IDLE_MS = 15_000

export function openConnectionPools(dial: DialRoute): ConnectionPools {
  const pools = new Map<string, Pool>()
  let isClosed = false
  return {
    async poolFor(url, route, { ca, connections = CONNECTIONS_PER_HOST }) {
      // Loaded at the first call, because it is a tenth of the code that a start would load.
      const undici = await import('undici')
      if (isClosed) throw new EgressError('closed', route.host)
      const key = JSON.stringify([url.origin, [...route.addresses].sort(), ca, connections])
      const existing = pools.get(key)
      if (existing) return existing
      const pool = openPool(undici.Pool, url, { connections }, (signal) =>
        dial(route, url.protocol === 'https:' ? { ca, protocols: ['http/1.1'] } : undefined, signal),
      )
      const closeWhenUnused = () => {
        const { connected, pending, running, queued } = pool.stats
        if (connected + pending + running + queued > 0 || pools.get(key) !== pool) return
        pools.delete(key)
        void pool.close()
      }
      pools.set(key, pool.on('disconnect', closeWhenUnused).on('connectionError', closeWhenUnused))
      return pool
    },
    async close() {
      isClosed = true
      const open = [...pools.values()]
      pools.clear()
      await Promise.all(open.map((pool) => pool.destroy()))
    },
  }
}

function openPool(
  PoolOfOrigin: typeof Pool,
  { origin }: URL,
  { connections }: { connections: number },
  connect: (signal: AbortSignal) => Promise<Socket>,
): Pool {
  return new PoolOfOrigin(origin, {
    connect: (_options, callback) => {
      connect(AbortSignal.timeout(CONNECT_TIMEOUT_MS)).then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      )
    },
    connections,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: MAX_IDLE_MS,
  })
}
