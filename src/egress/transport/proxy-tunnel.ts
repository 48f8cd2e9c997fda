// Tunnels through an HTTP or HTTPS proxy. CONNECT names the authorized address instead of the host, so the proxy cannot
// resolve it differently.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { unescape as decode } from 'node:querystring'
import { EgressError } from '../egress-error.ts'
import type { EgressRoute, Endpoint } from '../policy/guard.ts'
import type { Network } from './network.ts'
import { secureSocket } from './secure-socket.ts'

export interface ProxyEndpoint extends Endpoint {
  /** The value of Proxy-Authorization. */
  authorization: string | undefined
  isTls: boolean
}

export interface TunnelSettings {
  network: Network
  proxy: ProxyEndpoint
  /** PEM certificates trusted in addition to the system's. */
  ca: readonly string[]
}

export function parseProxy(text: string): ProxyEndpoint | undefined {
  if (text === '') return undefined
  const url = URL.parse(text)
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && `${url.pathname}${url.search}${url.hash}` === '/'
  if (!isAddress) {
    throw new EgressError('setting', 'EGRESS_PROXY must be a URL such as http://user:password@proxy.corp:3128.')
  }
  const isTls = url.protocol === 'https:'
  const login = `${decode(url.username)}:${decode(url.password)}`
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (isTls ? 443 : 80)),
    isTls,
    authorization: login === ':' ? undefined : `Basic ${Buffer.from(login).toString('base64')}`,
  }
}

/** Tries the addresses of the route in order. */
export async function openTunnel(settings: TunnelSettings, route: EgressRoute, signal: AbortSignal): Promise<Socket> {
  let lastError: unknown
  for (const address of route.addresses) {
    try {
      return await openTunnelTo(settings, `${isIP(address) === 6 ? `[${address}]` : address}:${route.port}`, signal)
    } catch (error) {
      lastError = error
    }
  }
  const reason = lastError instanceof Error ? lastError.message : String(lastError)
  const isTimeout = signal.reason?.name === 'TimeoutError'
  const facts = { port: route.port, fault: isTimeout ? 'it did not respond in time' : reason }
  throw new EgressError('proxy', route.host, facts, { cause: lastError })
}

async function openTunnelTo(settings: TunnelSettings, authority: string, signal: AbortSignal) {
  const { proxy } = settings
  const socket = await connectToProxy(settings, signal)
  const headers = { host: authority, ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }) }
  const { request } = await import('node:http')
  const connectRequest = request({ method: 'CONNECT', path: authority, headers, createConnection: () => socket })
  connectRequest.on('error', () => {})
  try {
    const connected = once(connectRequest, 'connect', { signal })
    connectRequest.end()
    const [response, , head] = await connected
    const { statusCode }: IncomingMessage = response
    if (statusCode !== 200) throw new Error(`it returned HTTP ${statusCode} to CONNECT ${authority}`)
    socket.unshift(head)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function connectToProxy({ network, proxy, ca }: TunnelSettings, signal: AbortSignal): Promise<Socket> {
  const { host, port, isTls } = proxy
  const socket = await network.open(isIP(host) === 0 ? await network.resolve(host) : [host], port, signal)
  return isTls ? secureSocket(socket, host, { ca, protocols: ['http/1.1'] }, signal) : socket
}
