// Opens an authorized connection for a protocol other than HTTP, such as IMAP.
import { addAbortListener } from 'node:events'
import { isIP, type Socket } from 'node:net'
import type { EgressCaller, EgressProfile } from '../domain/egress-refusal.ts'
import { rejectOnAbort } from '../flow/reject-on-abort.ts'
import { EgressError } from './egress-error.ts'
import { hostOf, parseUrl, portOf } from './http/hop.ts'
import { authorizeTarget, type GuardSettings } from './policy/guard.ts'
import { toEgressError } from './to-egress-error.ts'
import { CONNECT_TIMEOUT_MS, type DialRoute } from './transport/connection-pools.ts'
import { secureSocket } from './transport/secure-socket.ts'

export interface ConnectRequest {
  profile: EgressProfile
  asker: EgressCaller
  tls: boolean
  /** Aborts the attempt and, later, closes the connection. */
  signal: AbortSignal
  /** A PEM certificate trusted in addition to the system's. */
  ca?: string
}

export interface ConnectSettings {
  guard: GuardSettings
  dial: DialRoute
}

export async function connectGuarded(
  { guard, dial }: ConnectSettings,
  endpoint: { host: string; port: number },
  { profile, asker, tls, signal: caller, ca }: ConnectRequest,
): Promise<Socket> {
  const { host, port } = canonicalEndpoint(endpoint)
  const deadline = AbortSignal.timeout(CONNECT_TIMEOUT_MS)
  const signal = AbortSignal.any([caller, deadline])
  try {
    const route = await rejectOnAbort(signal, authorizeTarget(guard, { host, port, profile, asker, isAsked: true }))
    const socket = await dial(route, tls ? { ca } : undefined, signal)
    const listener = addAbortListener(caller, () => socket.destroy(caller.reason))
    return socket.once('close', () => listener[Symbol.dispose]())
  } catch (error) {
    throw toEgressError(error, host, { caller, deadline, timeoutMs: CONNECT_TIMEOUT_MS })
  }
}

/** Starts TLS on an open connection, as STARTTLS does, and verifies the name of the host. */
export async function upgradeConnection(
  socket: Socket,
  host: string,
  { ca, signal: caller }: { ca: readonly string[]; signal: AbortSignal },
): Promise<Socket> {
  const deadline = AbortSignal.timeout(CONNECT_TIMEOUT_MS)
  try {
    return await secureSocket(socket, host, { ca }, AbortSignal.any([caller, deadline]))
  } catch (error) {
    socket.destroy()
    throw toEgressError(error, host, { caller, deadline, timeoutMs: CONNECT_TIMEOUT_MS })
  }
}

export function canonicalEndpoint({ host, port }: { host: string; port: number }): { host: string; port: number } {
  const url = parseUrl(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`)
  if (`${url.pathname}${url.search}${url.hash}` !== '/') throw new EgressError('url', url.hostname)
  return { host: hostOf(url), port: portOf(url) }
}
