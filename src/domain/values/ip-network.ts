// IP addresses and networks, as settings and proxies write them.
import { isIP, SocketAddress } from 'node:net'
import { textBefore } from './text-before.ts'

export interface IpAddress {
  address: string
  family: 'ipv4' | 'ipv6'
}

const MAPPED_IPV4 = /^::ffff:([\d.]+)$/

/** One spelling for all spellings of an address: without zone, and an IPv4-mapped IPv6 address as IPv4. Null if it is none. */
export function parseIpAddress(text: string): IpAddress | null {
  const bare = textBefore(text, '%')
  if (isIP(bare) === 0) return null
  if (isIP(bare) === 4) return { address: bare, family: 'ipv4' }
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' })
  const [, mapped] = MAPPED_IPV4.exec(address) ?? []
  return mapped === undefined ? { address, family: 'ipv6' } : { address: mapped, family: 'ipv4' }
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address. */
export interface IpNetwork extends IpAddress {
  prefixLength: number
}

const NETWORK = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i

/** Null if the text is no network. A network of IPv4-mapped addresses is none, because those are compared as IPv4. */
export function parseIpNetwork(text: string): IpNetwork | null {
  const [, written = '', length] = NETWORK.exec(text) ?? []
  const parsed = parseIpAddress(written)
  if (parsed === null) return null
  const maxLength = parsed.family === 'ipv4' ? 32 : 128
  const prefixLength = length === undefined ? maxLength : Number(length)
  const isMappedNetwork = length !== undefined && parsed.family === 'ipv4' && written.includes(':')
  return prefixLength > maxLength || isMappedNetwork ? null : { ...parsed, prefixLength }
}
