// From a judged route to a socket: directly or through the proxy, then TLS by the name that was asked for.
import type { Socket } from 'node:net'
import { EgressError } from './egress-error.ts'
import type { Route } from './guard.ts'
import type { Network } from './network.ts'
import { secure } from './secure.ts'
import { openTunnel, type ProxyEndpoint } from './tunnel.ts'

export interface DialTls {
  /** A PEM that this caller trusts. */
  ca: string | undefined
  protocols?: string[]
}

export interface DialSettings {
  network: Network
  proxy: ProxyEndpoint | undefined
  /** PEMs that every caller trusts. */
  ca: readonly string[]
}

/** The signal ends the attempt; afterwards the socket is the caller's. */
export async function dial(settings: DialSettings, route: Route, tls: DialTls | undefined, signal: AbortSignal) {
  const { network, proxy, ca } = settings
  const socket = proxy ? await openTunnel({ network, proxy, ca }, route, signal) : await open(network, route, signal)
  if (tls === undefined) return socket
  return secure(socket, route.host, { ...tls, ca: tls.ca === undefined ? ca : [...ca, tls.ca] }, signal)
}

async function open(network: Network, { host, port, addresses }: Route, signal: AbortSignal): Promise<Socket> {
  return await network.open(addresses, port, signal).catch((cause) => {
    throw new EgressError('connect', host, { port }, { cause })
  })
}
