// The only way to call an address that a user, document, source or model can influence.
import type { Socket } from 'node:net'
import type { EgressRefusal } from '../domain/egress-refusal.ts'
import { type CheckRequest, checkUrl } from './check.ts'
import { type ConnectRequest, connectGuarded, upgradeConnection } from './connect.ts'
import { type EgressRequest, type EgressResponse, fetchGuarded } from './http/fetch.ts'
import { parseAllowList } from './policy/allow-list.ts'
import type { EgressRoute, Endpoint, GuardSettings, IsApproved } from './policy/guard.ts'
import { type DialRoute, openConnectionPools } from './transport/connection-pools.ts'
import { dial } from './transport/dial.ts'
import { type Network, systemNetwork } from './transport/network.ts'
import { parseProxy } from './transport/proxy-tunnel.ts'

export { parseApprovedHost } from './check.ts'
export { type EgressCode, EgressError, type EgressReason } from './egress-error.ts'
export type { CheckRequest, ConnectRequest, EgressRequest, EgressResponse, EgressRoute, Endpoint, Network }

export interface EgressSettings {
  /** The value of EGRESS_ALLOW. */
  allow: string
  /** The value of EGRESS_PROXY. No other variable sets a proxy. */
  proxy: string
  /** The content of EGRESS_CA_FILE: certificates trusted in addition to the system's. */
  ca?: string | null
  /**
   * Endpoints of this service and its back ends, which are never called. `0.0.0.0` and `::` stand for all addresses of
   * this machine.
   */
  own: () => readonly Endpoint[]
  /** Called for every request that needs an approval. Null if approvals are disabled. */
  isApproved: IsApproved | null
  /** Called for every refused request. Must not throw. */
  onRefused?: (refusal: EgressRefusal) => void
  network?: Network
}

export interface Egress {
  /** Rejects with an `EgressError` or the reason of the caller's signal. Every HTTP status resolves. */
  fetch(url: string | URL, request: EgressRequest): Promise<EgressResponse>
  /** Opens a connection for a protocol other than HTTP. The caller sets its time limits. */
  connect(host: string, port: number, request: ConnectRequest): Promise<Socket>
  /** Starts TLS on a connection of `connect`. The host is the one that it was opened for. */
  startTls(socket: Socket, host: string, request: Pick<ConnectRequest, 'ca' | 'signal'>): Promise<Socket>
  /**
   * Resolves to the addresses that `fetch` would call now, without calling them, or rejects as `fetch` would. The name
   * may resolve differently later, so a check gives early feedback but no permission.
   */
  check(url: string, request: CheckRequest): Promise<EgressRoute>
  close(): Promise<void>
}

/** Throws an `EgressError` with the code EGRESS_SETTING if a setting is invalid. */
export function openEgress(settings: EgressSettings): Egress {
  const { own, isApproved, onRefused = () => {}, network = systemNetwork } = settings
  const dialSettings = { network, proxy: parseProxy(settings.proxy), ca: settings.ca ? [settings.ca] : [] }
  const guard: GuardSettings = {
    allow: parseAllowList(settings.allow),
    own: () => (dialSettings.proxy ? [...own(), dialSettings.proxy] : own()),
    isApproved,
    onRefused,
    network,
  }
  const dialRoute: DialRoute = (route, tls, signal) => dial(dialSettings, route, tls, signal)
  const pools = openConnectionPools(dialRoute)
  return {
    fetch: (url, request) => fetchGuarded({ guard, pools }, url, request),
    connect: (host, port, request) => connectGuarded({ guard, dial: dialRoute }, { host, port }, request),
    startTls: (socket, host, { ca, signal }) =>
      upgradeConnection(socket, host, { ca: ca === undefined ? dialSettings.ca : [...dialSettings.ca, ca], signal }),
    check: (url, request) => checkUrl(guard, url, request),
    close: () => pools.close(),
  }
}
