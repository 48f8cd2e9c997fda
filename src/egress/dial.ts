// From a judged route to a socket: directly or through the proxy, then TLS by the name that was asked for.
import { isIP, type Socket } from 'node:net'
import { getCACertificates, connect as startTls } from 'node:tls'
import { EgressError } from './egress-error.ts'
import type { Route } from './guard.ts'
import { type Network, reached } from './network.ts'
import { openTunnel, type ProxyEndpoint } from './tunnel.ts'

export interface TlsSettings {
  /** A PEM that is trusted beside the certificates of the system. */
  ca?: string | undefined
  /** What the ALPN extension offers. */
  protocols?: string[]
}

export interface DialSettings {
  network: Network
  proxy: ProxyEndpoint | undefined
}

/** The signal ends the attempt; afterwards the socket is the caller's. */
export async function dial(settings: DialSettings, route: Route, tls: TlsSettings | undefined, signal: AbortSignal) {
  const socket = settings.proxy
    ? await openTunnel(settings.network, settings.proxy, route, signal)
    : await open(settings.network, route, signal)
  return tls ? await secure(socket, route.host, tls, signal) : socket
}

async function open(network: Network, { host, port, addresses }: Route, signal: AbortSignal): Promise<Socket> {
  return await network.open(addresses, port, signal).catch((cause) => {
    throw new EgressError('connect', host, { port }, { cause })
  })
}

async function secure(socket: Socket, host: string, tls: TlsSettings, signal: AbortSignal): Promise<Socket> {
  const secured = startTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    // Said here so that neither the environment nor a flag of Node can weaken it.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(tls.ca && { ca: [...getCACertificates('default'), tls.ca] }),
    ...(tls.protocols && { ALPNProtocols: tls.protocols }),
  })
  return await reached(secured, 'secureConnect', signal).catch((cause) => {
    throw new EgressError('tls', host, { fault: cause.message.split(';')[0].slice(0, 200) }, { cause })
  })
}
