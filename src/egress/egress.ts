// The one way to an address that somebody else chose: a user, a document, a source, a model.
import type { Socket } from 'node:net'
import { parseAllow } from './allow.ts'
import { type ConnectRequest, connectGuarded } from './connect.ts'
import { dial } from './dial.ts'
import { type EgressAnswer, type EgressRequest, fetchGuarded } from './fetch.ts'
import type { Endpoint, GuardSettings, Profile } from './guard.ts'
import { type Network, systemNetwork } from './network.ts'
import { type DialRoute, openPools } from './pools.ts'
import { parseProxy } from './tunnel.ts'

export { type EgressCode, EgressError, type EgressReason } from './egress-error.ts'
export type { ConnectRequest, EgressAnswer, EgressRequest, Endpoint, Network, Profile }

export interface EgressSettings {
  /** EGRESS_ALLOW. */
  allow: string
  /** EGRESS_PROXY; no other variable names a proxy. */
  proxy: string
  /** Where this service listens and its back ends are: never called. `0.0.0.0` and `::` mean this whole machine. */
  own: () => readonly Endpoint[]
  /** Whether an administrator approved the host, canonical as a URL spells it, for the profile `admin-target`. */
  isApproved: (host: string, port: number) => Promise<boolean>
  network?: Network
}

export interface Egress {
  /** Fails with an `EgressError`, or with the reason of the caller's signal. Any HTTP status is an answer. */
  fetch(url: string | URL, request: EgressRequest): Promise<EgressAnswer>
  /** A connection for a protocol other than HTTP. The caller sets its time limits. */
  connect(host: string, port: number, request: ConnectRequest): Promise<Socket>
  close(): Promise<void>
}

/** Throws an `EgressError` with the code EGRESS_SETTING if a setting cannot be read. */
export function openEgress({ allow, proxy, own, isApproved, network = systemNetwork }: EgressSettings): Egress {
  const way = { network, proxy: parseProxy(proxy) }
  const guard: GuardSettings = {
    allow: parseAllow(allow),
    own: () => (way.proxy ? [...own(), way.proxy] : own()),
    isApproved,
    network,
  }
  const dialRoute: DialRoute = (route, tls, signal) => dial(way, route, tls, signal)
  const pools = openPools(dialRoute)
  return {
    fetch: (url, request) => fetchGuarded({ guard, pools }, url, request),
    connect: (host, port, request) => connectGuarded({ guard, dial: dialRoute }, { host, port }, request),
    close: () => pools.close(),
  }
}
