// Connections that stay open between requests. One pool leads to one host at addresses that were judged, so a new answer
// of the resolver, or another certificate to trust, is another pool.
import type { Socket } from 'node:net'
import { Pool } from 'undici'
import type { DialTls } from './dial.ts'
import { EgressError } from './egress-error.ts'
import type { Route } from './guard.ts'

export type DialRoute = (route: Route, tls: DialTls | undefined, signal: AbortSignal) => Promise<Socket>

export interface Pools {
  /** The pool for this origin, to be used at once: it goes when its last connection is gone. */
  poolFor(url: URL, route: Route, wanted: { ca?: string | undefined; connections?: number | undefined }): Pool
  /** Ends every connection and request. */
  close(): Promise<void>
}

export const CONNECT_TIMEOUT_MS = 10_000
/** For the headers of one answer, all together. */
export const HEADER_BYTES = 32_768
const CONNECTIONS_PER_HOST = 8
const IDLE_MS = 4_000
const LONGEST_IDLE_MS = 15_000

export function openPools(dial: DialRoute): Pools {
  const pools = new Map<string, Pool>()
  let isClosed = false
  return {
    poolFor(url, route, { ca, connections = CONNECTIONS_PER_HOST }) {
      if (isClosed) throw new EgressError('closed', route.host)
      const key = JSON.stringify([url.origin, [...route.addresses].sort(), ca, connections])
      const known = pools.get(key)
      if (known) return known
      const pool = openPool(url, connections, (signal) =>
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

function openPool(url: URL, connections: number, connect: (signal: AbortSignal) => Promise<Socket>): Pool {
  return new Pool(url.origin, {
    connect: (_options, callback) => {
      connect(AbortSignal.timeout(CONNECT_TIMEOUT_MS)).then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      )
    },
    connections,
    allowH2: false,
    maxHeaderSize: HEADER_BYTES,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: LONGEST_IDLE_MS,
  })
}
