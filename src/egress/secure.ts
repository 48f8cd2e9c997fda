// TLS over a connection, by the name that was asked for.
import { isIP, type Socket } from 'node:net'
import { getCACertificates, connect as startTls } from 'node:tls'
import { EgressError } from './egress-error.ts'
import { reached } from './network.ts'

export interface TlsSettings {
  /** PEMs that are trusted beside the certificates of the system. */
  ca: readonly string[]
  /** What the ALPN extension offers. */
  protocols?: string[]
}

export async function secure(socket: Socket, host: string, tls: TlsSettings, signal: AbortSignal): Promise<Socket> {
  const secured = startTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    // Said here so that neither the environment nor a flag of Node can weaken it.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(tls.ca.length > 0 && { ca: [...getCACertificates('default'), ...tls.ca] }),
    ...(tls.protocols && { ALPNProtocols: tls.protocols }),
  })
  return await reached(secured, 'secureConnect', signal).catch((cause) => {
    throw new EgressError('tls', host, { fault: cause.message.split(';')[0].slice(0, 200) }, { cause })
  })
}
