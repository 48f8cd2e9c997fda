// Who does the proxy in front say has signed in? Its headers count only if the operator trusts the proxy (TRUSTED_PROXIES).
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../domain/errors.ts'
import type { ProxyIdentity } from '../../sign-in/header-sign-in.ts'
import type { BrowserReader } from './browser-context.ts'
import { createClientResolver } from './client-address.ts'

/** Names in lower case; see `SIGN_IN_HEADER_EMAIL`. */
export interface IdentityHeaders {
  email: string
  name: string | null
  groups: string | null
}

const MAX_NAME = 200
const MAX_GROUPS = 200
const MAX_GROUP_NAME = 500
const MAX_GROUPS_TEXT = 8_000
/** As in the form of an invitation. */
const EMAIL = /^[^\s@,]{1,64}@[^\s@,]{1,255}$/

export interface ProxyIdentityReader {
  /** Removes the headers from the request, so that nothing else reads them. Must be called before everything else. */
  take(request: IncomingMessage): void
  /** Null if the proxy named nobody, or nobody trusts it. INVALID_INPUT: the headers are malformed. */
  read(request: IncomingMessage): ProxyIdentity | null
}

interface ProxyIdentitySettings {
  /** Null: nobody signs in with headers. */
  headers: IdentityHeaders | null
  trustedProxies: readonly string[]
  isOwnOrigin: BrowserReader['isOwnOrigin']
}

export function createProxyIdentityReader({
  headers: named,
  trustedProxies,
  isOwnOrigin,
}: ProxyIdentitySettings): ProxyIdentityReader {
  if (named === null) return { take: () => {}, read: () => null }
  const resolveClient = createClientResolver(trustedProxies)
  const names = [named.email, named.name, named.groups].filter((it) => it !== null)
  const values = new WeakMap<IncomingMessage, TakenHeaders>()
  return {
    take(request) {
      const isTrusted = resolveClient(request).isFromTrustedProxy
      const taken = takeHeaders(request, names)
      // Like a cookie that is `SameSite=Strict`: what the proxy adds to a request of another site does not count.
      if (isTrusted && !isCrossSite(request, isOwnOrigin)) values.set(request, taken)
    },
    read(request) {
      const taken = values.get(request)
      const email = taken?.get(named.email)
      if (taken === undefined || email === undefined) return null
      const name = named.name === null ? undefined : taken.get(named.name)
      return {
        email: readEmail(named.email, email),
        name: named.name === null || name === undefined ? null : readName(named.name, name),
        groups: named.groups === null ? null : readGroups(named.groups, taken.get(named.groups) ?? ['']),
      }
    },
  }
}

/** The values of each header, in order. */
type TakenHeaders = ReadonlyMap<string, readonly string[]>

/** Some servers read `_` like `-`, so such a spelling is removed too; it never counts. */
function takeHeaders(request: IncomingMessage, names: readonly string[]): TakenHeaders {
  const taken = new Map<string, string[]>()
  const { headers, rawHeaders } = request
  const present = Object.keys(headers).filter((it) => names.includes(it.replaceAll('_', '-')))
  if (present.length === 0) return taken
  for (const it of present) delete headers[it]
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    if (!present.includes(name)) continue
    const [, value = ''] = rawHeaders.splice(at, 2)
    if (names.includes(name)) taken.set(name, [value, ...(taken.get(name) ?? [])])
  }
  return taken
}

/** A browser says so itself. Old ones send no `Sec-Fetch-Site`; then the origin decides. */
function isCrossSite(request: IncomingMessage, isOwnOrigin: BrowserReader['isOwnOrigin']): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return origin !== undefined && !isOwnOrigin(request, origin)
}

function readEmail(header: string, values: readonly string[]): string {
  const email = onlyValue(header, values)
  if (!EMAIL.test(email)) throw malformed(header, 'must hold one e-mail address of at most 320 characters')
  return email
}

function readName(header: string, values: readonly string[]): string | null {
  const name = onlyValue(header, values)
  if (name.length > MAX_NAME) throw malformed(header, `must hold at most ${MAX_NAME} characters`)
  return name === '' ? null : name
}

function readGroups(header: string, values: readonly string[]): string[] {
  const text = onlyValue(header, values)
  const groups = [...new Set(text.split(',').map((it) => it.trim()))].filter((it) => it !== '')
  const isFitting = text.length <= MAX_GROUPS_TEXT && groups.every((it) => it.length <= MAX_GROUP_NAME)
  if (isFitting && groups.length <= MAX_GROUPS) return groups
  throw malformed(header, `must hold at most ${MAX_GROUPS} names of at most ${MAX_GROUP_NAME} characters, with commas`)
}

/** A second value may be one that the client sent and the proxy did not remove. */
function onlyValue(header: string, values: readonly string[]): string {
  const [value = '', ...others] = values
  if (others.length > 0) throw malformed(header, 'must be sent once')
  return decode(value).trim()
}

/** Node reads header bytes as Latin-1; proxies send UTF-8. */
function decode(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') ? value : text
}

const malformed = (header: string, rule: string) =>
  new AppError('INVALID_INPUT', { reason: `The header "${header}" of the proxy ${rule}. Change the proxy.` })
