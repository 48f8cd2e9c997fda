// Is this address part of the public internet, and is it one that no setting may open?
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Standing = 'public' | 'private' | 'never'
export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

// Where clouds answer with credentials to whoever asks, and what is only ever a mistake or an attack.
const FLOOR = [
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
const LOOPBACK = ['127.0.0.0/8', '::1/128'].map(parseRange)
/** IPv4 addresses in old clothes: IPv4-compatible, stateless translation, 6to4, Teredo. */
const DISGUISES = ['::/96', '::ffff:0:0:0/96', '2002::/16', '2001::/32'].map(parseRange)
const NAT64 = ['64:ff9b::/96', '64:ff9b:1::/48'].map(parseRange)
/** The only IPv6 block that is given out: https://www.iana.org/assignments/ipv6-address-space */
const GLOBAL = parseRange('2000::/3')

/** Of what a resolver or a URL gave; whatever is no address is `never`. */
export function standing(address: string): Standing {
  if (isIP(address) === 0) return 'never'
  const ip = ipaddr.process(address)
  if (isUnder(FLOOR, ip)) return 'never'
  if (ip.kind() === 'ipv4') return ip.range() === 'unicast' ? 'public' : 'private'
  if (isLoopback(address)) return 'private'
  if (isUnder(DISGUISES, ip)) return 'never'
  if (isUnder(NAT64, ip)) return isUnder(FLOOR, lastFour(ip)) ? 'never' : 'private'
  return ip.range() === 'unicast' && isIn(GLOBAL, ip) ? 'public' : 'private'
}

export const isLoopback = (address: string): boolean => isUnder(LOOPBACK, ipaddr.process(address))

export const isInRange = (range: Range, address: string): boolean => isIn(range, ipaddr.process(address))

/** Two texts of one address become the same text. */
export const normal = (address: string): string => ipaddr.process(address).toString()

export function parseRange(text: string): Range {
  return ipaddr.parseCIDR(text)
}

/** Whether nothing is set beyond the length, so that the text says what it opens. */
export const isNetwork = ([net, bits]: Range): boolean =>
  net.toByteArray().every((byte, at) => (byte & (0xff >> Math.min(Math.max(bits - at * 8, 0), 8))) === 0)

const isUnder = (ranges: readonly Range[], ip: Range[0]) => ranges.some((range) => isIn(range, ip))
const isIn = ([net, bits]: Range, ip: Range[0]) => net.kind() === ip.kind() && ip.match(net, bits)
const lastFour = (ip: Range[0]) => ipaddr.fromByteArray(ip.toByteArray().slice(12))
