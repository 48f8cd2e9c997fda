// The requests of a redirect chain. A URL is parsed once, and the same object is authorized and called.
import { EgressError } from '../egress-error.ts'

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface OutgoingRequest {
  method?: HttpMethod
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
}

export interface RequestHop {
  url: URL
  method: HttpMethod
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
  /** Whether every hop so far had the origin of the first. */
  isAsked: boolean
}

const REDIRECT_STATUSES = [301, 302, 303, 307, 308]
const BODYLESS_METHODS: readonly HttpMethod[] = ['GET', 'HEAD']
/**
 * Headers that only the transport may set. A caller's Host header would reach another site at an authorized address.
 */
const CONTROLLED_HEADERS =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/

export function firstHop(url: string | URL, { method = 'GET', headers = {}, body }: OutgoingRequest): RequestHop {
  const parsed = parseUrl(String(url))
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const rejected = Object.entries(sent).find(
    ([name, value]) => CONTROLLED_HEADERS.test(name) || !isWellFormed(name, value),
  )
  if (rejected !== undefined) throw new EgressError('header', parsed.hostname, { header: JSON.stringify(rejected[0]) })
  return { url: parsed, method, headers: sent, body, isAsked: true }
}

/** The next hop, or undefined if the response is final. */
export function nextHop(
  hop: RequestHop,
  status: number,
  location: string | string[] | undefined,
): RequestHop | undefined {
  if (!REDIRECT_STATUSES.includes(status) || location === undefined) return undefined
  const url = parseUrl(latin1ToUtf8(String(location)), hop.url)
  const host = hop.url.hostname
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new EgressError('downgrade', host, { target: url.hostname })
  }
  const { method, body, headers } = requestAfterRedirect(hop, status)
  const isSameOrigin = url.origin === hop.url.origin
  if (isSameOrigin) return { url, method, body, headers, isAsked: hop.isAsked }
  if (body !== undefined || !BODYLESS_METHODS.includes(method)) {
    throw new EgressError('carried', host, { method, target: url.hostname })
  }
  return { url, method, body, headers: {}, isAsked: false }
}

/** Normalizes all spellings of an address: no tabs, backslashes, unusual digits, user names or passwords remain. */
export function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (url === null) throw new EgressError('url', redactUrl(text))
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError('scheme', url.hostname, { scheme: url.protocol.slice(0, -1) })
  }
  if (url.username !== '' || url.password !== '') throw new EgressError('userinfo', url.hostname)
  return url
}

export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

export const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

/** RFC 9110: the name is a token, the value has no control characters and nothing beyond Latin-1. */
const isWellFormed = (name: string, value: string) =>
  /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

/** Changes the method as browsers do: https://fetch.spec.whatwg.org/#http-redirect-fetch */
function requestAfterRedirect(
  { method, body, headers }: RequestHop,
  status: number,
): Pick<RequestHop, 'method' | 'body' | 'headers'> {
  const becomesGet = status === 303 ? !BODYLESS_METHODS.includes(method) : status < 303 && method === 'POST'
  if (!becomesGet) return { method, body, headers }
  const rest = Object.entries(headers).filter(([name]) => !name.startsWith('content-'))
  return { method: 'GET', body: undefined, headers: Object.fromEntries(rest) }
}

/** Node decodes headers as Latin-1, but servers that do not percent-encode a Location send UTF-8. */
const latin1ToUtf8 = (text: string) => Buffer.from(text, 'latin1').toString('utf8')

/** Keeps queries and possible passwords out of error messages. */
const redactUrl = (text: string) => (text.includes('@') ? 'This' : (text.split('?')[0] ?? '').slice(0, 80))
