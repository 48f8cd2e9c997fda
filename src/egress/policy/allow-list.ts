// Parses EGRESS_ALLOW: hosts and networks that may be called in addition to ports 80 and 443 of the public internet.
import { isIP } from 'node:net'
import { EgressError } from '../egress-error.ts'
import { hasNoHostBits, type IpRange, isInRange, normalizeAddress, parseRange } from './address.ts'

/** Without a port the entry covers every port. */
export type AllowEntry = { port: number | undefined } & (
  | { name: string }
  /** Starts with a dot and matches every subdomain. */
  | { suffix: string }
  | { range: IpRange }
)

const FORMS = 'wiki.corp, wiki.corp:8443, *.corp, 10.0.0.0/8, 10.0.0.0/8:443, [fd00::]/8 or [fd00::]/8:443'

/** Entries are separated by commas. Throws an `EgressError` that quotes the first invalid entry. */
export function parseAllowList(text: string): AllowEntry[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseEntry)
}

export function allowEntryMatches(entry: AllowEntry, host: string, address: string, port: number): boolean {
  if (entry.port !== undefined && entry.port !== port) return false
  if ('range' in entry) return isInRange(entry.range, address)
  return 'name' in entry ? entry.name === withoutTrailingDot(host) : withoutTrailingDot(host).endsWith(entry.suffix)
}

/** The EGRESS_ALLOW entry that would allow this host and port. */
export const formatAllowEntry = (host: string, port: number): string => {
  const name = isIP(host) === 6 ? `[${host}]` : withoutTrailingDot(host)
  return port === 80 || port === 443 ? name : `${name}:${port}`
}

const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/

const withoutTrailingDot = (host: string) => host.replace(/\.$/, '')

/** Returns one spelling for all spellings of a host. */
export const canonicalName = (host: string): string =>
  isIP(host) === 0 ? withoutTrailingDot(host) : normalizeAddress(host)

export const isHostName = (host: string): boolean => NAME.test(host)

function parseEntry(entry: string): AllowEntry {
  const { address, bits, portText } = splitEntry(entry)
  const port = portText === undefined ? undefined : Number(portText)
  if (port !== undefined && (port < 1 || port > 65_535))
    throw invalidEntry(entry, 'the port must be between 1 and 65535')
  if (isIP(address) !== 0) return { range: parseEntryRange(entry, address, bits), port }
  if (bits !== undefined) throw invalidEntry(entry, 'only an IP address can have a prefix length')
  if (address.startsWith('*.')) return { suffix: `.${parseEntryName(entry, address.slice(2))}`, port }
  return { name: parseEntryName(entry, address), port }
}

/** Splits an entry into address, `/bits` and `:port`. An IPv6 address with a port needs brackets. */
function splitEntry(entry: string): { address: string; bits: string | undefined; portText: string | undefined } {
  const bare = /^([0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*)(?:\/(\d{1,3}))?$/i.exec(entry)
  const parts = bare ?? /^(\[[0-9a-f:.]+\]|[^\s:/[\]]+)(?:\/(\d{1,3}))?(?::(\d{1,5}))?$/i.exec(entry)
  if (parts?.[1] === undefined) throw invalidEntry(entry, 'unknown format')
  const address = parts[1].replace(/^\[|\]$/g, '')
  if (isIP(address) !== 6 && parts[1].startsWith('[')) throw invalidEntry(entry, 'brackets are for IPv6 addresses')
  return { address, bits: parts[2], portText: parts[3] }
}

function parseEntryRange(entry: string, address: string, bits: string | undefined): IpRange {
  const maxLength = isIP(address) === 4 ? 32 : 128
  const length = bits === undefined ? maxLength : Number(bits)
  if (length > maxLength) throw invalidEntry(entry, `the prefix length is at most ${maxLength}`)
  if (isIP(address) !== isIP(normalizeAddress(address)))
    throw invalidEntry(entry, `write it as the IPv4 address ${normalizeAddress(address)}`)
  const range = parseRange(`${address}/${length}`)
  if (!hasNoHostBits(range)) throw invalidEntry(entry, 'the address has bits set beyond its prefix length')
  return range
}

function parseEntryName(entry: string, text: string): string {
  const url = URL.parse(`http://${text}/`)
  const isHost = url?.href === `http://${url?.hostname}/` && NAME.test(url.hostname)
  if (url === null || !isHost) throw invalidEntry(entry, 'this is not a host name')
  if (isIP(url.hostname) !== 0) throw invalidEntry(entry, `write it as ${url.hostname}`)
  return withoutTrailingDot(url.hostname)
}

const invalidEntry = (entry: string, reason: string) =>
  new EgressError(
    'setting',
    `EGRESS_ALLOW must be a comma-separated list such as ${FORMS}. Invalid entry "${entry}": ${reason}.`,
  )
