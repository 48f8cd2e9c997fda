// Classifies IP addresses: public, private, or never callable.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type AddressClass = 'public' | 'private' | 'never'
export type IpRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

// Cloud metadata services, which hand out credentials, and addresses that are always a mistake or an attack.
const NEVER_RANGES = [
  '0.0.0.0/8',
  '::/128',
  '169.254.0.0/16', // AWS, Azure, Google, Oracle, OpenStack; metadata.google.internal.
  'fe80::/10',
  'fd00:ec2::/32', // AWS.
  'fd20:ce::254/128', // Google.
  'fd00:42::42/128', // Scaleway.
  '168.63.129.16/32', // Azure's host agent; ipaddr.js calls it unicast.
  '100.100.100.200/32', // Alibaba.
  '192.0.0.192/32', // Oracle.
].map(parseRange)
const LOOPBACK_RANGES = ['127.0.0.0/8', '::1/128'].map(parseRange)
/** IPv6 ranges that embed IPv4 addresses: IPv4-compatible, stateless translation, 6to4, Teredo. */
const EMBEDDED_IPV4_RANGES = ['::/96', '::ffff:0:0:0/96', '2002::/16', '2001::/32'].map(parseRange)
const NAT64_RANGES = ['64:ff9b::/96', '64:ff9b:1::/48'].map(parseRange)
/** The only IPv6 block allocated for global unicast: https://www.iana.org/assignments/ipv6-address-space */
const GLOBAL_UNICAST = parseRange('2000::/3')

/** Accepts an address from a resolver or a URL. Anything else is `never`. */
export function classifyAddress(address: string): AddressClass {
  if (isIP(address) === 0) return 'never'
  const ip = ipaddr.process(address)
  if (isInAny(NEVER_RANGES, ip)) return 'never'
  if (ip.kind() === 'ipv4') return ip.range() === 'unicast' ? 'public' : 'private'
  if (isLoopback(address)) return 'private'
  if (isInAny(EMBEDDED_IPV4_RANGES, ip)) return 'never'
  if (isInAny(NAT64_RANGES, ip)) return isInAny(NEVER_RANGES, embeddedIpv4(ip)) ? 'never' : 'private'
  return ip.range() === 'unicast' && matches(GLOBAL_UNICAST, ip) ? 'public' : 'private'
}

export const isLoopback = (address: string): boolean => isInAny(LOOPBACK_RANGES, ipaddr.process(address))

export const isInRange = (range: IpRange, address: string): boolean => matches(range, ipaddr.process(address))

/** Returns the canonical spelling of an address. */
export const normalizeAddress = (address: string): string => ipaddr.process(address).toString()

export function parseRange(text: string): IpRange {
  return ipaddr.parseCIDR(text)
}

/** Whether all host bits are zero, so that the text shows exactly which range it opens. */
export const hasNoHostBits = ([net, bits]: IpRange): boolean =>
  net.toByteArray().every((byte, at) => (byte & (0xff >> Math.min(Math.max(bits - at * 8, 0), 8))) === 0)

const isInAny = (ranges: readonly IpRange[], ip: IpRange[0]) => ranges.some((range) => matches(range, ip))
const matches = ([net, bits]: IpRange, ip: IpRange[0]) => net.kind() === ip.kind() && ip.match(net, bits)
const embeddedIpv4 = (ip: IpRange[0]) => ipaddr.fromByteArray(ip.toByteArray().slice(12))
