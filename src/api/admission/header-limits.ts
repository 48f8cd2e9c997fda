// Limits on request headers. Every header that the service or a package parses has a maximum length.
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../domain/errors.ts'
import { MAX_CONTENT_TYPE } from '../http/content-type.ts'

/** All headers together, without the URL: a doubly encoded document id in it can take 40,000 bytes. */
export const MAX_HEADERS_BYTES = 16_384
/** Colon, space and line break of each header. */
const SEPARATOR_BYTES = 4

/** In characters. `authenticate.ts` answers 401 to an Authorization header that is too long. */
export const HEADER_LIMITS: Readonly<Record<string, number>> = {
  accept: 2_000,
  'accept-encoding': 1_000,
  'access-control-request-headers': 2_000,
  'access-control-request-method': 100,
  'content-encoding': 100,
  'content-length': 100,
  'content-type': MAX_CONTENT_TYPE,
  cookie: MAX_HEADERS_BYTES,
  expect: 100,
  host: 1_000,
  'if-none-match': 4_096,
  'if-range': 200,
  range: 200,
  'last-event-id': 1_000,
  'mcp-method': 200,
  'mcp-name': 2_000,
  'mcp-protocol-version': 100,
  'mcp-session-id': 1_000,
  origin: 2_000,
  referer: 8_000,
  'sec-fetch-site': 100,
  traceparent: 1_000,
  'user-agent': 4_096,
  'x-forwarded-for': 2_000,
  'x-forwarded-host': 1_000,
  'x-forwarded-proto': 100,
  'x-request-id': 1_000,
  'x-requested-with': 1_000,
}

export function checkHeaders({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): void {
  const bytes = rawHeaders.reduce((sum, it) => sum + it.length, 0) + (rawHeaders.length / 2) * SEPARATOR_BYTES
  if (bytes > MAX_HEADERS_BYTES) throw new AppError('HEADERS_TOO_LARGE', { limit: 'together larger than 16 KiB' })
  for (const [name, max] of Object.entries(HEADER_LIMITS)) {
    const value = headers[name]
    if (value === undefined || value.length <= max) continue
    if (name !== 'content-type')
      throw new AppError('HEADERS_TOO_LARGE', { limit: `too long: ${name} may have ${max} characters` })
    const type = `${String(value).slice(0, 80)}…`
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type, expected: `a media type of at most ${max} characters` })
  }
}
