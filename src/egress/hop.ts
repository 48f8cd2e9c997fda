// What is sent where, first and after each redirect. A URL is parsed once, and the same object is judged and called.
import { EgressError } from './egress-error.ts'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface Sent {
  method?: Method
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
}

export interface Hop {
  url: URL
  method: Method
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
  /** Whether every address so far had the origin of the first. */
  isAsked: boolean
}

const REDIRECTS = [301, 302, 303, 307, 308]
const SAFE: readonly Method[] = ['GET', 'HEAD']
/** What the connection says, not the caller; a Host of its own would reach another site at a judged address. */
const OUR_HEADERS =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/

export function firstHop(url: string | URL, { method = 'GET', headers = {}, body }: Sent): Hop {
  const parsed = parseUrl(String(url))
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const wrong = Object.entries(sent).find(([name, value]) => OUR_HEADERS.test(name) || !isWellFormed(name, value))
  if (wrong !== undefined) throw new EgressError('header', parsed.hostname, { header: JSON.stringify(wrong[0]) })
  return { url: parsed, method, headers: sent, body, isAsked: true }
}

/** Where the answer sends us, or undefined if it is the last one. */
export function nextHop(hop: Hop, status: number, location: string | string[] | undefined): Hop | undefined {
  if (!REDIRECTS.includes(status) || location === undefined) return undefined
  const url = parseUrl(fromLatin1(String(location)), hop.url)
  const host = hop.url.hostname
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new EgressError('downgrade', host, { target: url.hostname })
  }
  const { method, body, headers } = turned(hop, status)
  const isSame = url.origin === hop.url.origin
  if (isSame) return { url, method, body, headers, isAsked: hop.isAsked }
  if (body !== undefined || !SAFE.includes(method)) {
    throw new EgressError('carried', host, { method, target: url.hostname })
  }
  return { url, method, body, headers: {}, isAsked: false }
}

/** Every way to write an address is one after this: no tabs, backslashes, odd digits, users or passwords are left. */
export function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (url === null) throw new EgressError('url', shown(text))
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError('scheme', url.hostname, { scheme: url.protocol.slice(0, -1) })
  }
  if (url.username !== '' || url.password !== '') throw new EgressError('userinfo', url.hostname)
  return url
}

export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

export const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

/** RFC 9110: a token, and neither control characters nor anything beyond Latin-1. */
const isWellFormed = (name: string, value: string) =>
  /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

/** As browsers do: https://fetch.spec.whatwg.org/#http-redirect-fetch */
function turned({ method, body, headers }: Hop, status: number): Pick<Hop, 'method' | 'body' | 'headers'> {
  const isTurned = status === 303 ? !SAFE.includes(method) : status < 303 && method === 'POST'
  if (!isTurned) return { method, body, headers }
  const rest = Object.entries(headers).filter(([name]) => !name.startsWith('content-'))
  return { method: 'GET', body: undefined, headers: Object.fromEntries(rest) }
}

/** Header bytes are read as Latin-1, but a server that does not encode its address means UTF-8. */
const fromLatin1 = (text: string) => Buffer.from(text, 'latin1').toString('utf8')

/** No query, and nothing that may hold a password, gets into an error. */
const shown = (text: string) => (text.includes('@') ? 'This' : (text.split('?')[0] ?? '').slice(0, 80))
