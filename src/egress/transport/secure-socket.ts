// Starts TLS on a connection and verifies the requested host name.
import { isIP, type Socket } from 'node:net'
import { getCACertificates, connect as startTls } from 'node:tls'
import { EgressError } from '../egress-error.ts'
import { waitForEvent } from './network.ts'

export interface TlsSettings {
  /** PEM certificates trusted in addition to the system's. */
  ca: readonly string[]
  /** Protocols offered by ALPN. */
  protocols?: string[]
}

export async function secureSocket(
  socket: Socket,
  host: string,
  tls: TlsSettings,
  signal: AbortSignal,
): Promise<Socket> {
  const tlsSocket = startTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    // Explicit, so that neither the environment nor a Node flag can weaken it.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(tls.ca.length > 0 && { ca: [...getCACertificates('default'), ...tls.ca] }),
    ...(tls.protocols && { ALPNProtocols: tls.protocols }),
  })
  return await waitForEvent(tlsSocket, 'secureConnect', signal).catch((cause) => {
    throw new EgressError('tls', host, { fault: cause.message.split(';')[0].slice(0, 200) }, { cause })
  })
}
