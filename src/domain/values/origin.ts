// Origins that a secret may be sent to: scheme, host and port, in a canonical form.
import type { z } from 'zod'
import { type Problem, problem } from '../../wire/problem.ts'
import { wireType } from '../../wire/schema-type.ts'
import { wireArray } from '../../wire/schemas.ts'

const DEFAULT_PORTS = { http: 80, https: 443, imap: 143, imaps: 993 } as const
type Scheme = keyof typeof DEFAULT_PORTS

const MAX_ORIGINS = 100
const MAX_ORIGIN = 300

const ORIGIN = /^(https?|imaps?):\/\/(\[[0-9a-f:.]+\]|[^\s/?#\\@:*[\]]+)(?::(\d{1,5}))?\/?$/i

/**
 * Accepts `https://host`, `http://host:8080`, `imaps://host`. Null for anything else, such as an address with a path.
 */
export function parseOrigin(text: string): string | null {
  if (text.length > MAX_ORIGIN) return null
  const [, scheme = '', host = '', port] = ORIGIN.exec(text.trim()) ?? []
  // `ORIGIN` matches no other scheme.
  return host === ''
    ? null
    : formatOrigin(scheme.toLowerCase() as Scheme, host, port === undefined ? null : Number(port))
}

/** The origin of an http or https address, or null. */
export function httpOriginOf(address: string): string | null {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null
}

/** The origin of a mail server; null if the host is invalid. */
export function mailServerOrigin(host: string, port: number, isEncrypted: boolean): string | null {
  const named = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return parseOrigin(`${isEncrypted ? 'imaps' : 'imap'}://${named}:${port}`)
}

function formatOrigin(scheme: Scheme, host: string, given: number | null): string | null {
  const url = URL.parse(`https://${host}`)
  const port = given ?? DEFAULT_PORTS[scheme]
  if (url === null || url.hostname === '' || port > 65_535) return null
  return `${scheme}://${url.hostname}${port === DEFAULT_PORTS[scheme] ? '' : `:${port}`}`
}

/** Permission for http includes https at the same host, both on default ports. */
export const isOriginAllowed = (origin: string, allowed: readonly string[]): boolean =>
  allowed.includes(origin) || (/^https:\/\/[^:]+$/.test(origin) && allowed.includes(origin.replace(/^https/, 'http')))

/** A list of origins in a request body, in canonical form. */
export const originList = (): z.ZodType<string[], unknown> =>
  wireArray(wireType<string>(parseWireOrigin, { type: 'string', minLength: 1, maxLength: MAX_ORIGIN }), {
    max: MAX_ORIGINS,
  })

function parseWireOrigin(value: unknown): string | Problem {
  if (typeof value !== 'string') return problem('string_type')
  return parseOrigin(value) ?? problem('value_error', INVALID_ORIGIN)
}

const INVALID_ORIGIN =
  'an origin is a scheme, a host and a port without a path, such as https://wiki.example or imaps://mail.example:993'
