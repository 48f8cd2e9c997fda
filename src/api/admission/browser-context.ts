// The browser that sent a request: its address, origin and session cookie; and whether one of our own pages sent it.
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../domain/errors.ts'
import { createClientResolver, type RequestClient } from './client-address.ts'

/** The `__Host-` prefix keeps other hosts from setting the cookie; browsers accept it over HTTPS only. */
const SECURE_COOKIE = '__Host-pharos_session'
const PLAIN_COOKIE = 'pharos_session'
/** The name on the wire, for existing clients. */
const WIRE_COOKIE = 'fastapiusersauth'
/** In order of precedence. No other host can set the first one. */
const SESSION_COOKIES = [SECURE_COOKIE, PLAIN_COOKIE, WIRE_COOKIE]
/** Bind a sign-in that has left for a provider to the browser. */
const PENDING_COOKIES = ['__Host-pharos_sign_in', 'pharos_sign_in']
const TOKEN_FORMAT = /^[\w-]{43}$/

/** Longer than the `User-Agent` of any browser. */
const MAX_USER_AGENT = 500

export interface BrowserContext {
  /** The client's IP address. See `TRUSTED_PROXIES`. */
  address: string
  userAgent: string | null
  /** Best guess whether the browser used HTTPS: TLS terminates in front of this process. */
  isHttps: boolean
  /** The value of `Origin` if it names another origin than ours. */
  foreignOrigin: string | null
  /** The address for links to this service, without a trailing slash; null if it is not known. */
  serviceUrl: string | null
  /** The session token in the cookie. */
  session: string | undefined
  /** The cookie that binds a sign-in with a provider to the browser. */
  pendingSignIn: string | undefined
}

export interface OriginSettings {
  /** See `TRUSTED_PROXIES`. */
  trustedProxies: readonly string[]
  /** See `PUBLIC_URL`. */
  publicUrl: string | null
  /** The address on which the service listens; null if that is every address of the machine. */
  listenUrl: () => string | null
}

type Asked = Pick<IncomingMessage, 'method' | 'headers' | 'socket'>

export interface BrowserReader {
  read(request: Asked): BrowserContext
  /** Whether a page of this origin is one of ours. */
  isOwnOrigin(request: Asked, origin: string): boolean
  /** Throws CSRF_FAILURE for a write of a browser that may come from a page of another origin. */
  checkCsrf(request: Asked): void
}

export function createBrowserReader({ trustedProxies, publicUrl, listenUrl }: OriginSettings): BrowserReader {
  const resolveClient = createClientResolver(trustedProxies)
  const isOwnOrigin = (request: Asked, origin: string) =>
    origin === publicUrl || isCalledOrigin(resolveClient(request), origin, publicUrl !== null)
  return {
    isOwnOrigin,
    checkCsrf(request) {
      if (SAFE_METHODS.has(request.method ?? '') || !isFromBrowser(request)) return
      const site = request.headers['sec-fetch-site']
      const isSameOrigin = site === undefined || site === 'same-origin'
      const page = pageOrigin(request)
      const isOwnPage = page === undefined || isOwnOrigin(request, page)
      if (request.headers['x-requested-with'] === undefined || !isSameOrigin || !isOwnPage)
        throw new AppError('CSRF_FAILURE')
    },
    read(request) {
      const { headers } = request
      const { origin } = headers
      const client = resolveClient(request)
      return {
        address: client.address,
        userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null,
        // `Origin` counts from everyone: with a false claim of HTTPS a client only gets a cookie that it cannot send over
        // HTTP, and a page cannot choose its `Origin`.
        isHttps: origin?.startsWith('https:') === true || client.protocol === 'https',
        foreignOrigin: origin === undefined || isOwnOrigin(request, origin) ? null : origin,
        serviceUrl: publicUrl ?? calledUrl(client) ?? listenUrl(),
        session: tokenIn(headers.cookie, SESSION_COOKIES),
        pendingSignIn: tokenIn(headers.cookie, PENDING_COOKIES),
      }
    },
  }
}

const SAFE_METHODS = new Set(['GET', 'HEAD'])
const BROWSER_HEADERS = ['origin', 'referer', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'sec-fetch-user']

/**
 * A browser sends the cookie with requests of every site, and names their origin: by `Origin` with each write, and by
 * `Sec-Fetch-Site` if the address is secure. A script that keeps a cookie names none, and no other site controls it.
 */
const isFromBrowser = ({ headers }: Asked): boolean => BROWSER_HEADERS.some((it) => headers[it] !== undefined)

/** Undefined if the browser hides it. Then `X-Requested-With` decides, which no other origin can add (see CORS). */
function pageOrigin({ headers: { origin, referer } }: Asked): string | undefined {
  if (origin !== undefined || referer === undefined) return origin
  return URL.parse(referer)?.origin ?? 'null'
}

/** Names that no DNS server resolves: a page of another site cannot make its own name one of them (DNS rebinding). */
const FIXED_HOST = /^(?:localhost|[\d.]+|\[[\da-f:.]+\])(?::\d+)?$/

/**
 * The address that the client called counts as ours. If PUBLIC_URL names our address, any other name may be another site's
 * that leads here. A proxy that is not trusted cannot say that it was called over HTTPS, so a page at the same host may
 * have a more secure scheme than known, but not a less secure one.
 */
function isCalledOrigin({ host, protocol }: RequestClient, origin: string, isFixed: boolean): boolean {
  if (host === null || (isFixed && !FIXED_HOST.test(host))) return false
  const schemes = protocol === 'https' ? ['https'] : ['http', 'https']
  return schemes.some((scheme) => URL.parse(`${scheme}://${host}`)?.origin === origin)
}

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

/** Null if only the client says so, except for names of its own machine, which lead to no other. */
const calledUrl = ({ host, protocol, isFromTrustedProxy }: RequestClient): string | null =>
  host !== null && (isFromTrustedProxy || LOOPBACK_HOST.test(host)) ? `${protocol}://${host}` : null

/**
 * The first cookie present decides: an invalid one is not replaced by the next. A cookie that is present with two values
 * decides nothing, because a host of the same domain can add one of its own.
 */
function tokenIn(cookies: string | undefined, names: readonly string[]): string | undefined {
  const pairs = (cookies ?? '').split(';').map((it) => it.trim().split('=', 2))
  const name = names.find((it) => pairs.some(([present]) => present === it))
  const [token, ...others] = new Set(pairs.filter(([present]) => present === name).map(([, value]) => value))
  return token !== undefined && others.length === 0 && TOKEN_FORMAT.test(token) ? token : undefined
}

interface OpenedSession {
  token: string
  maxAgeMs: number
  /** Sets the cookie of the wire as well. */
  withWireCookie?: boolean
}

/** The result of a route that sets cookies. */
export class CookieResponse<R> {
  readonly body: R
  readonly cookies: readonly string[]

  constructor(body: R, cookies: readonly string[]) {
    this.body = body
    this.cookies = cookies
  }
}

/** The result of a route that opens a session, or that ends it (no `session`). */
export class SessionResponse<R> extends CookieResponse<R> {
  constructor(body: R, { isHttps }: Pick<BrowserContext, 'isHttps'>, session?: OpenedSession) {
    const ownName = isHttps ? SECURE_COOKIE : PLAIN_COOKIE
    const names = session?.withWireCookie === true ? [ownName, WIRE_COOKIE] : [ownName]
    super(
      body,
      session === undefined
        ? SESSION_COOKIES.map((name) => formatCookie(name, '', 0, isHttps || name === SECURE_COOKIE))
        : names.map((name) => formatCookie(name, session.token, Math.floor(session.maxAgeMs / 1_000), isHttps)),
    )
  }
}

const formatCookie = (
  name: string,
  value: string,
  maxAgeSeconds: number,
  isSecure: boolean,
  sameSite: 'Strict' | 'Lax' = 'Strict',
): string =>
  `${name}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`

/** `Lax`: the provider, another site, sends the browser back. Null deletes the cookie. */
export function pendingSignInCookies(
  { isHttps }: Pick<BrowserContext, 'isHttps'>,
  pending: { browserToken: string; maxAgeMs: number } | null,
): string[] {
  if (pending === null) return PENDING_COOKIES.map((name, at) => formatCookie(name, '', 0, isHttps || at === 0, 'Lax'))
  const name = PENDING_COOKIES[isHttps ? 0 : 1] ?? ''
  return [formatCookie(name, pending.browserToken, pending.maxAgeMs / 1_000, isHttps, 'Lax')]
}
