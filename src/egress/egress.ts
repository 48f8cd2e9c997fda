// The one way to an address that somebody else chose: a user, a document, a source, a model.
import type { Socket } from 'node:net'
import type { Refusal } from '../domain/refusal.ts'
import { parseAllow } from './allow.ts'
import { type CheckRequest, checkGuarded } from './check.ts'
import { type ConnectRequest, connectGuarded } from './connect.ts'
import { dial } from './dial.ts'
import { type EgressAnswer, type EgressRequest, fetchGuarded } from './fetch.ts'
import type { Endpoint, GuardSettings, IsApproved, Route } from './guard.ts'
import { type Network, systemNetwork } from './network.ts'
import { type DialRoute, openPools } from './pools.ts'
import { parseProxy } from './tunnel.ts'

export { parseHost } from './check.ts'
export { type EgressCode, EgressError, type EgressReason } from './egress-error.ts'
export type { CheckRequest, ConnectRequest, EgressAnswer, EgressRequest, Endpoint, Network, Route }

export interface EgressSettings {
  /** EGRESS_ALLOW. */
  allow: string
  /** EGRESS_PROXY; no other variable names a proxy. */
  proxy: string
  /** What EGRESS_CA_FILE holds: certificates that are trusted beside those of the system. */
  ca?: string | null
  /** Where this service listens and its back ends are: never called. `0.0.0.0` and `::` mean this whole machine. */
  own: () => readonly Endpoint[]
  /** Asked anew for each call that only an approval would open; null when approvals are off. */
  isApproved: IsApproved | null
  /** Told of each address that was refused to somebody. Must not throw. */
  onRefused?: (refusal: Refusal) => void
  network?: Network
}

export interface Egress {
  /** Fails with an `EgressError`, or with the reason of the caller's signal. Any HTTP status is an answer. */
  fetch(url: string | URL, request: EgressRequest): Promise<EgressAnswer>
  /** A connection for a protocol other than HTTP. The caller sets its time limits. */
  connect(host: string, port: number, request: ConnectRequest): Promise<Socket>
  /**
   * Says of an http or https address, without calling it, at which addresses `fetch` would call it now, or fails as
   * that would. Tomorrow the name may lead elsewhere: a check is a kindness to who types it, never a permission.
   */
  check(url: string, request: CheckRequest): Promise<Route>
  close(): Promise<void>
}

/** Throws an `EgressError` with the code EGRESS_SETTING if a setting cannot be read. */
export function openEgress(settings: EgressSettings): Egress {
  const { own, isApproved, onRefused = () => {}, network = systemNetwork } = settings
  const way = { network, proxy: parseProxy(settings.proxy), ca: settings.ca ? [settings.ca] : [] }
  const guard: GuardSettings = {
    allow: parseAllow(settings.allow),
    own: () => (way.proxy ? [...own(), way.proxy] : own()),
    isApproved,
    onRefused,
    network,
  }
  const dialRoute: DialRoute = (route, tls, signal) => dial(way, route, tls, signal)
  const pools = openPools(dialRoute)
  return {
    fetch: (url, request) => fetchGuarded({ guard, pools }, url, request),
    connect: (host, port, request) => connectGuarded({ guard, dial: dialRoute }, { host, port }, request),
    check: (url, request) => checkGuarded(guard, url, request),
    close: () => pools.close(),
  }
}
