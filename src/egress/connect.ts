// A judged connection for a protocol other than HTTP, such as IMAP.
import { addAbortListener } from 'node:events'
import { isIP, type Socket } from 'node:net'
import type { Asker, Profile } from '../domain/refusal.ts'
import { EgressError } from './egress-error.ts'
import { explain } from './explain.ts'
import { type GuardSettings, judge } from './guard.ts'
import { hostOf, parseUrl, portOf } from './hop.ts'
import { CONNECT_TIMEOUT_MS, type DialRoute } from './pools.ts'
import { until } from './until.ts'

export interface ConnectRequest {
  profile: Profile
  asker: Asker
  tls: boolean
  /** Ends the attempt and, later, the connection. */
  signal: AbortSignal
  /** A PEM that is trusted beside the certificates of the system. */
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
  const { host, port } = canonical(endpoint)
  const deadline = AbortSignal.timeout(CONNECT_TIMEOUT_MS)
  const signal = AbortSignal.any([caller, deadline])
  try {
    const route = await until(signal, judge(guard, { host, port, profile, asker, isAsked: true }))
    const socket = await dial(route, tls ? { ca } : undefined, signal)
    const listener = addAbortListener(caller, () => socket.destroy(caller.reason))
    return socket.once('close', () => listener[Symbol.dispose]())
  } catch (error) {
    throw explain(error, host, { caller, deadline, timeoutMs: CONNECT_TIMEOUT_MS })
  }
}

export function canonical({ host, port }: { host: string; port: number }): { host: string; port: number } {
  const url = parseUrl(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`)
  if (`${url.pathname}${url.search}${url.hash}` !== '/') throw new EgressError('url', url.hostname)
  return { host: hostOf(url), port: portOf(url) }
}
