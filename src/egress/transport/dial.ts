// Opens a socket for an authorized route, directly or through the proxy, and starts TLS with the requested host name.
import type { Socket } from 'node:net'
import { EgressError } from '../egress-error.ts'
import type { EgressRoute } from '../policy/guard.ts'
import type { Network } from './network.ts'
import { openTunnel, type ProxyEndpoint } from './proxy-tunnel.ts'
import { secureSocket } from './secure-socket.ts'

export interface DialTls {
  /** A PEM certificate that only this caller trusts. */
  ca: string | undefined
  protocols?: string[]
}

export interface DialSettings {
  network: Network
  proxy: ProxyEndpoint | undefined
  /** PEM certificates that every caller trusts. */
  ca: readonly string[]
}

/** The signal aborts the attempt only. The caller owns the returned socket. */
export async function dial(settings: DialSettings, route: EgressRoute, tls: DialTls | undefined, signal: AbortSignal) {
  const { network, proxy, ca } = settings
  const socket = proxy
    ? await openTunnel({ network, proxy, ca }, route, signal)
    : await openDirect(network, route, signal)
  if (tls === undefined) return socket
  return secureSocket(socket, route.host, { ...tls, ca: tls.ca === undefined ? ca : [...ca, tls.ca] }, signal)
}

async function openDirect(
  network: Network,
  { host, port, addresses }: EgressRoute,
  signal: AbortSignal,
): Promise<Socket> {
  return await network.open(addresses, port, signal).catch((cause) => {
    throw new EgressError('connect', host, { port }, { cause })
  })
}
