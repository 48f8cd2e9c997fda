// Session cookies, and the check that a request with a cookie comes from our own pages.
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../domain/errors.ts'

/** The `__Host-` prefix keeps other hosts from setting the cookie; browsers accept it over HTTPS only. */
const SECURE_COOKIE = '__Host-pharos_session'
const PLAIN_COOKIE = 'pharos_session'
const TOKEN_FORMAT = /^[\w-]{43}$/

export interface BrowserContext {
  /** Best guess whether the browser used HTTPS: TLS terminates in front of this process. */
  isHttps: boolean
  /** The session token in the cookie. */
  session: string | undefined
}

/**
 * Trusts the headers of every client: a false claim of HTTPS only gives the client a cookie that it cannot send over
 * HTTP.
 */
export const readBrowserContext = ({ headers }: Pick<IncomingMessage, 'headers'>): BrowserContext => ({
  isHttps: headers.origin?.startsWith('https:') === true || headers['x-forwarded-proto'] === 'https',
  session: sessionTokenIn(headers.cookie),
})

function sessionTokenIn(cookies: string | undefined): string | undefined {
  if (cookies === undefined) return undefined
  // A split text has a first part.
  const pairs = new Map(cookies.split(';').map((it) => it.trim().split('=', 2) as [string, string | undefined]))
  const token = pairs.get(SECURE_COOKIE) ?? pairs.get(PLAIN_COOKIE)
  return token !== undefined && TOKEN_FORMAT.test(token) ? token : undefined
}

/** The result of a route that opens a session, or that ends it (no `session`). */
export class SessionResponse<R> {
  readonly body: R
  readonly cookies: readonly string[]

  constructor(body: R, { isHttps }: BrowserContext, session?: { token: string; maxAgeMs: number }) {
    const attributes = `Path=/; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`
    this.body = body
    this.cookies =
      session === undefined
        ? [`${PLAIN_COOKIE}=; Max-Age=0; ${attributes}`, `${SECURE_COOKIE}=; Max-Age=0; Secure; ${attributes}`]
        : [
            `${isHttps ? SECURE_COOKIE : PLAIN_COOKIE}=${session.token}; Max-Age=${session.maxAgeMs / 1_000}; ${attributes}`,
          ]
  }
}

const SAFE_METHODS = new Set(['GET', 'HEAD'])

/**
 * A browser sends the cookie with requests of every site. Only a same-origin page can add a custom header without a CORS
 * preflight. `Sec-Fetch-Site`, where the browser sends it, must also say same-origin.
 */
export function checkCsrf({ method = '', headers }: Pick<IncomingMessage, 'method' | 'headers'>): void {
  if (SAFE_METHODS.has(method)) return
  const site = headers['sec-fetch-site']
  const isSameOrigin = site === undefined || site === 'same-origin'
  if (headers['x-requested-with'] === undefined || !isSameOrigin) throw new AppError('CSRF_FAILURE')
}
