// Authenticates a request and checks the route's access policy, before any byte of the body is read.
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../domain/errors.ts'
import { type Right, type Subject, usesToken } from '../../domain/subject.ts'
import type { AccessTokens } from '../../identity/keys/access-tokens.ts'
import type { ApiKeys } from '../../identity/keys/api-keys.ts'
import type { CallTokens } from '../../identity/keys/call-tokens.ts'
import type { ScimTokens } from '../../identity/keys/scim-tokens.ts'
import type { Sessions } from '../../identity/sessions.ts'
import type { HeaderSignIn } from '../../sign-in/header-sign-in.ts'
import { type AnyRoute, acceptsTokens } from '../route.ts'
import type { BrowserReader } from './browser-context.ts'
import type { ProxyIdentityReader } from './proxy-identity.ts'

/**
 * Checked in this order, before the headers of a proxy and the cookie. The first credential present decides: an invalid one
 * is not skipped.
 */
const KEY_HEADERS = ['x-onyx-authorization', 'authorization']
const MAX_KEY_LENGTH = 4_096

interface Authenticators {
  keys: Pick<ApiKeys, 'authenticate'>
  tokens: Pick<AccessTokens, 'authenticate'>
  callTokens: Pick<CallTokens, 'authenticate'>
  scimTokens: Pick<ScimTokens, 'authenticate'>
  sessions: Pick<Sessions, 'authenticate'>
  headerSignIn: Pick<HeaderSignIn, 'authenticate'>
}

interface RequestReaders {
  browsers: BrowserReader
  proxyIdentities: Pick<ProxyIdentityReader, 'read'>
}

export async function authenticate(
  { keys, tokens, callTokens, scimTokens, sessions, headerSignIn }: Authenticators,
  { browsers, proxyIdentities }: RequestReaders,
  request: IncomingMessage,
  requestId: string,
): Promise<Subject> {
  const { session } = browsers.read(request)
  const hasKey = KEY_HEADERS.some((it) => request.headers[it] !== undefined)
  const identity = hasKey ? null : proxyIdentities.read(request)
  // The proxy decides who it is: a cookie may be that of another person.
  if (identity !== null) {
    browsers.checkCsrf(request)
    return headerSignIn.authenticate(identity, requestId)
  }
  if (!hasKey && session !== undefined) {
    const subject = await sessions.authenticate(session)
    if (subject === null) throw new AppError('UNAUTHENTICATED')
    browsers.checkCsrf(request)
    return subject
  }
  const token = readToken(request)
  if (token === undefined) throw new AppError('UNAUTHENTICATED')
  const subject =
    (await keys.authenticate(token)) ??
    (await tokens.authenticate(token)) ??
    (await callTokens.authenticate(token)) ??
    (await scimTokens.authenticate(token))
  if (subject === null) throw new AppError('UNAUTHENTICATED')
  return subject
}

export function checkAccessPolicy(route: Pick<AnyRoute, 'method' | 'access' | 'allowsTokens'>, subject: Subject): void {
  const { access } = route
  if (subject.credential.kind === 'scim' && access !== 'scim') throw new AppError('SCIM_TOKEN_REFUSED')
  if (access === 'public' || access === 'authenticated') return
  const requiredRights: readonly Right[] = typeof access === 'string' ? [access] : access
  if (!requiredRights.some((right) => subject.rights.has(right))) {
    throw new AppError('INSUFFICIENT_PERMISSIONS', { right: requiredRights.join('" or "') })
  }
  if (usesToken(subject) && !acceptsTokens(route)) throw new AppError('TOKEN_REFUSED')
}

function readToken({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const name = KEY_HEADERS.find((it) => headers[it] !== undefined)
  const value = name === undefined ? undefined : headers[name]
  if (name === undefined || typeof value !== 'string' || value.length > MAX_KEY_LENGTH) return undefined
  const isRepeated = rawHeaders.filter((it, at) => at % 2 === 0 && it.toLowerCase() === name).length > 1
  return isRepeated ? undefined : value.replace(/^bearer +/i, '')
}
