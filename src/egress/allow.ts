// EGRESS_ALLOW: the addresses that the operator opens beyond the public internet on ports 80 and 443.
import { isIP } from 'node:net'
import { isInRange, isNetwork, normal, parseRange, type Range } from './address.ts'
import { EgressError } from './egress-error.ts'

/** Without a port, every port of it. */
export type AllowEntry = { port: number | undefined } & (
  | { name: string }
  /** With its dot in front: every name beneath it. */
  | { suffix: string }
  | { range: Range }
)

const FORMS = 'wiki.corp, wiki.corp:8443, *.corp, 10.0.0.0/8, 10.0.0.0/8:443, [fd00::]/8 or [fd00::]/8:443'

/** Entries are parted by commas; an entry that cannot be read stops the start, by name. */
export function parseAllow(text: string): AllowEntry[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseEntry)
}

export function isCovered(entry: AllowEntry, host: string, address: string, port: number): boolean {
  if (entry.port !== undefined && entry.port !== port) return false
  if ('range' in entry) return isInRange(entry.range, address)
  return 'name' in entry ? entry.name === nameOf(host) : nameOf(host).endsWith(entry.suffix)
}

/** How an entry that opens this would be written. */
export const entryFor = (host: string, port: number): string => {
  const name = isIP(host) === 6 ? `[${host}]` : nameOf(host)
  return port === 80 || port === 443 ? name : `${name}:${port}`
}

const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/

const nameOf = (host: string) => host.replace(/\.$/, '')

/** The one text that stands for a host, whichever of its spellings a URL had. */
export const canonicalName = (host: string): string => (isIP(host) === 0 ? nameOf(host) : normal(host))

export const isName = (host: string): boolean => NAME.test(host)

function parseEntry(entry: string): AllowEntry {
  const { address, bits, portText } = split(entry)
  const port = portText === undefined ? undefined : Number(portText)
  if (port !== undefined && (port < 1 || port > 65_535)) throw fault(entry, 'a port is a number from 1 to 65535')
  if (isIP(address) !== 0) return { range: rangeOf(entry, address, bits), port }
  if (bits !== undefined) throw fault(entry, 'only an address has a length')
  if (address.startsWith('*.')) return { suffix: `.${parseName(entry, address.slice(2))}`, port }
  return { name: parseName(entry, address), port }
}

/** `address`, `/bits` and `:port`, of which an IPv6 address with a port needs brackets. */
function split(entry: string): { address: string; bits: string | undefined; portText: string | undefined } {
  const bare = /^([0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*)(?:\/(\d{1,3}))?$/i.exec(entry)
  const parts = bare ?? /^(\[[0-9a-f:.]+\]|[^\s:/[\]]+)(?:\/(\d{1,3}))?(?::(\d{1,5}))?$/i.exec(entry)
  if (parts?.[1] === undefined) throw fault(entry, 'it has none of these forms')
  const address = parts[1].replace(/^\[|\]$/g, '')
  if (isIP(address) !== 6 && parts[1].startsWith('[')) throw fault(entry, 'brackets are for IPv6 addresses')
  return { address, bits: parts[2], portText: parts[3] }
}

function rangeOf(entry: string, address: string, bits: string | undefined): Range {
  const longest = isIP(address) === 4 ? 32 : 128
  const length = bits === undefined ? longest : Number(bits)
  if (length > longest) throw fault(entry, `the length of this address is at most ${longest}`)
  if (isIP(address) !== isIP(normal(address))) throw fault(entry, `write it as the IPv4 address ${normal(address)}`)
  const range = parseRange(`${address}/${length}`)
  if (!isNetwork(range)) throw fault(entry, 'the address has bits beyond its length')
  return range
}

function parseName(entry: string, text: string): string {
  const url = URL.parse(`http://${text}/`)
  const isHost = url?.href === `http://${url?.hostname}/` && NAME.test(url.hostname)
  if (url === null || !isHost) throw fault(entry, 'this is no host name')
  if (isIP(url.hostname) !== 0) throw fault(entry, `write it as ${url.hostname}`)
  return nameOf(url.hostname)
}

const fault = (entry: string, reason: string) =>
  new EgressError('setting', `EGRESS_ALLOW must be a list such as ${FORMS}. "${entry}" cannot be read: ${reason}.`)
