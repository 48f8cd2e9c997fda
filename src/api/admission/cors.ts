// CORS for the origins that the operator allows. Their pages authenticate with a key; the session cookie is ignored for
// cross-origin requests (https://fetch.spec.whatwg.org/#http-cors-protocol).
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { BrowserReader } from './browser-context.ts'
import { RATE_LIMIT_HEADERS } from './count-request.ts'

export interface CorsSettings {
  /** Exact origins, or `*` for all; empty for none. */
  origins: readonly string[]
  /** See `BrowserReader`. */
  isOwnOrigin: BrowserReader['isOwnOrigin']
}

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
/** `X-Requested-With` is not allowed: it proves that a page is our own. */
const REQUEST_HEADERS = [
  'Authorization',
  'X-Onyx-Authorization',
  'Content-Type',
  'Accept',
  'Last-Event-ID',
  'If-None-Match',
  'X-Request-ID',
]
const EXPOSED_HEADERS = [
  'X-Request-ID',
  'Retry-After',
  ...RATE_LIMIT_HEADERS,
  'Pharos-Warnings',
  'WWW-Authenticate',
  'Content-Disposition',
  'ETag',
]
const PREFLIGHT_MAX_AGE_SECONDS = 600

/** Must be added before the hooks that reject a method. Does nothing without origins. */
export function addCors(app: FastifyInstance, settings: CorsSettings): void {
  if (settings.origins.length === 0) return
  app.addHook('onRequest', async (request, reply) => {
    const { headers } = request.raw
    const { origin } = headers
    if (origin === undefined) return
    if (isCrossSite(request.raw, origin, settings)) delete headers.cookie
    const allowed = allowedOrigin(origin, settings)
    if (allowed === null) return
    reply.header('access-control-allow-origin', allowed)
    if (request.method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', EXPOSED_HEADERS.join(', '))
      return
    }
    return reply
      .code(204)
      .headers({
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': REQUEST_HEADERS.join(', '),
        'access-control-max-age': String(PREFLIGHT_MAX_AGE_SECONDS),
      })
      .send()
  })
  // In onSend, because routes set this header too.
  app.addHook('onSend', async (_request, reply, payload) => {
    const existing = reply.getHeader('vary')
    reply.header('vary', existing === undefined ? 'Origin' : `${existing}, Origin`)
    return payload
  })
}

const allowedOrigin = (origin: string, { origins }: CorsSettings): string | null => {
  if (origins.includes('*')) return '*'
  return origins.includes(origin) ? origin : null
}

/** Browsers send `Sec-Fetch-Site` to secure addresses only, and old ones never; then the origin decides. */
function isCrossSite(request: IncomingMessage, origin: string, { isOwnOrigin }: CorsSettings): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return !isOwnOrigin(request, origin)
}
