// What tells a request of our own pages from one that another page makes in the same browser.
import type { IncomingMessage } from 'node:http'
import { AppError } from '../domain/errors.ts'

/** With the prefix no other host can set it, but a browser takes it over https only. */
const SECURE_COOKIE = '__Host-pharos_session'
const PLAIN_COOKIE = 'pharos_session'
const TOKEN = /^[\w-]{43}$/

export interface Browser {
  /** Whether the browser reached us by https, as far as can be told: TLS ends before us. */
  isHttps: boolean
  /** Of the cookie. */
  session: string | undefined
}

/**
 * That somebody claims https makes a cookie that goes over https only, which is nobody's harm but their own: so it is
 * believed to every client.
 */
export const browserOf = ({ headers }: Pick<IncomingMessage, 'headers'>): Browser => ({
  isHttps: headers.origin?.startsWith('https:') === true || headers['x-forwarded-proto'] === 'https',
  session: sessionIn(headers.cookie),
})

function sessionIn(cookies: string | undefined): string | undefined {
  if (cookies === undefined) return undefined
  const pairs = new Map(cookies.split(';').map((it) => it.trim().split('=', 2) as [string, string | undefined]))
  const token = pairs.get(SECURE_COOKIE) ?? pairs.get(PLAIN_COOKIE)
  return token !== undefined && TOKEN.test(token) ? token : undefined
}

/** What a route answers that opens or ends a session; without a token it ends. */
export class SessionAnswer<R> {
  readonly body: R
  readonly cookies: readonly string[]

  constructor(body: R, { isHttps }: Browser, session?: { token: string; maxAgeMs: number }) {
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
 * A browser sends the cookie whichever page asks. Only a page of this address can add a header of its own without our
 * leave; browsers that say which site asks are believed when they say another one.
 */
export function checkForgery({ method = '', headers }: Pick<IncomingMessage, 'method' | 'headers'>): void {
  if (SAFE_METHODS.has(method)) return
  const site = headers['sec-fetch-site']
  const isOurs = site === undefined || site === 'same-origin'
  if (headers['x-requested-with'] === undefined || !isOurs) throw new AppError('CSRF_FAILURE')
}
