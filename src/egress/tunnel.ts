// The way out through a proxy that speaks HTTP, or HTTP over TLS. It is told the judged address, not the name, so it cannot resolve to another one.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { unescape as decode } from 'node:querystring'
import { EgressError } from './egress-error.ts'
import type { Endpoint, Route } from './guard.ts'
import type { Network } from './network.ts'
import { secure } from './secure.ts'

export interface ProxyEndpoint extends Endpoint {
  /** Value of Proxy-Authorization. */
  authorization: string | undefined
  isTls: boolean
}

export interface TunnelSettings {
  network: Network
  proxy: ProxyEndpoint
  /** PEMs that are trusted beside the certificates of the system. */
  ca: readonly string[]
}

export function parseProxy(text: string): ProxyEndpoint | undefined {
  if (text === '') return undefined
  const url = URL.parse(text)
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && `${url.pathname}${url.search}${url.hash}` === '/'
  if (!isAddress) {
    throw new EgressError('setting', 'EGRESS_PROXY must be an address such as http://user:password@proxy.corp:3128.')
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

/** Tries the addresses of the route in their order. */
export async function openTunnel(settings: TunnelSettings, route: Route, signal: AbortSignal): Promise<Socket> {
  let fault: unknown
  for (const address of route.addresses) {
    try {
      return await connectBy(settings, `${isIP(address) === 6 ? `[${address}]` : address}:${route.port}`, signal)
    } catch (error) {
      fault = error
    }
  }
  const said = fault instanceof Error ? fault.message : String(fault)
  const isLate = signal.reason?.name === 'TimeoutError'
  const facts = { port: route.port, fault: isLate ? 'it does not answer in time' : said }
  throw new EgressError('proxy', route.host, facts, { cause: fault })
}

async function connectBy(settings: TunnelSettings, authority: string, signal: AbortSignal) {
  const { proxy } = settings
  const socket = await openProxy(settings, signal)
  const headers = { host: authority, ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }) }
  const asked = request({ method: 'CONNECT', path: authority, headers, createConnection: () => socket })
  asked.on('error', () => {})
  try {
    const answered = once(asked, 'connect', { signal })
    asked.end()
    const [response, , head] = await answered
    const { statusCode }: IncomingMessage = response
    if (statusCode !== 200) throw new Error(`it answers ${statusCode} to CONNECT ${authority}`)
    socket.unshift(head)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function openProxy({ network, proxy, ca }: TunnelSettings, signal: AbortSignal): Promise<Socket> {
  const { host, port, isTls } = proxy
  const socket = await network.open(isIP(host) === 0 ? await network.resolve(host) : [host], port, signal)
  return isTls ? secure(socket, host, { ca, protocols: ['http/1.1'] }, signal) : socket
}
