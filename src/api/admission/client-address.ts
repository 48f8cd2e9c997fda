// Who called, and at which address? Headers of a proxy count only if the operator trusts the proxy (TRUSTED_PROXIES).
import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'
import { parseIpAddress, parseIpNetwork } from '../../domain/values/ip-network.ts'

export interface RequestClient {
  /** In one spelling. `unknown` if the connection has already ended. */
  address: string
  /** The service itself speaks plain HTTP: only a trusted proxy can say `https`. */
  protocol: 'http' | 'https'
  /** Host and port at which the client called the service; null if the header is absent or invalid. */
  host: string | null
  /** A trusted proxy sent the request. Otherwise `host` is what anyone may claim. */
  isFromTrustedProxy: boolean
}

type Forwarded = Pick<IncomingMessage, 'headers' | 'socket'>
export type ClientResolver = (request: Forwarded) => RequestClient

/** Takes networks such as `10.0.0.0/8` and single addresses. `Forwarded` (RFC 7239) is not read. */
export function createClientResolver(trusted: readonly string[]): ClientResolver {
  const isTrusted = networkMatcher(trusted)
  return ({ headers, socket }) => {
    const peer = parseIpAddress(socket.remoteAddress ?? '')?.address ?? 'unknown'
    const host = parseHost(headers.host)
    if (!isTrusted(peer)) return { address: peer, protocol: 'http', host, isFromTrustedProxy: false }
    const { address, proxies } = findClient(peer, listItems(headers['x-forwarded-for']), isTrusted)
    const protocol = writtenByProxy(listItems(headers['x-forwarded-proto']), proxies)?.toLowerCase()
    const forwardedHost = parseHost(writtenByProxy(listItems(headers['x-forwarded-host']), proxies))
    return {
      address,
      protocol: protocol === 'https' ? 'https' : 'http',
      host: forwardedHost ?? host,
      isFromTrustedProxy: true,
    }
  }
}

function networkMatcher(trusted: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const text of trusted) {
    const network = parseIpNetwork(text)
    if (network === null) throw new TypeError(`"${text}" is neither an address nor a network.`)
    list.addSubnet(network.address, network.prefixLength, network.family)
  }
  if (trusted.length === 0) return () => false
  return (text) => {
    const parsed = parseIpAddress(text)
    return parsed !== null && list.check(parsed.address, parsed.family)
  }
}

/**
 * Each proxy appends the address that called it, so the list is read from the right, and only as far as trusted proxies
 * wrote it: the rest is what the client claims. An invalid item ends the list. `proxies` counts the trusted proxies.
 */
function findClient(
  peer: string,
  forwardedFor: readonly string[],
  isTrusted: (address: string) => boolean,
): { address: string; proxies: number } {
  let address = peer
  let proxies = 0
  for (const item of forwardedFor.toReversed()) {
    if (!isTrusted(address)) break
    const next = parseIpAddress(withoutPort(item))
    if (next === null) break
    address = next.address
    proxies++
  }
  return { address, proxies: Math.max(proxies, 1) }
}

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(item: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(item) ?? []
  return bracketed ?? plain ?? item
}

/**
 * The item that the outermost trusted proxy wrote. Proxies replace this header or append to it; items further left come
 * from the client.
 */
const writtenByProxy = (items: readonly string[], proxies: number): string | undefined =>
  items.at(-Math.min(proxies, items.length))

const listItems = (value: string | string[] | undefined): string[] =>
  [value ?? []].flat().flatMap((it) => it.split(',').map((item) => item.trim()))

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/

function parseHost(text: string | undefined): string | null {
  const host = text?.toLowerCase() ?? ''
  return HOST.test(host) && URL.canParse(`http://${host}`) ? host : null
}
