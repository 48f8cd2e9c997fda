// Who asks, and may they call this route? Runs before a byte of the body is read.
import type { IncomingMessage } from 'node:http'
import { AppError } from '../domain/errors.ts'
import type { Right, Subject } from '../domain/subject.ts'
import { browserOf, checkForgery } from './browser.ts'
import type { Policy } from './route.ts'
import type { Services } from './services.ts'

/** In this order, then the cookie; the first one that is there decides, and a bad one never falls through to the next. */
const HEADERS = ['x-onyx-authorization', 'authorization']
const MAX_KEY = 4_096

export async function authenticate(
  { keys, tokens, sessions }: Pick<Services, 'keys' | 'tokens' | 'sessions'>,
  request: IncomingMessage,
): Promise<Subject> {
  const { session } = browserOf(request)
  const hasKey = HEADERS.some((it) => request.headers[it] !== undefined)
  if (!hasKey && session !== undefined) {
    const subject = await sessions.authenticate(session)
    if (subject === null) throw new AppError('UNAUTHENTICATED')
    checkForgery(request)
    return subject
  }
  const token = tokenOf(request)
  if (token === undefined) throw new AppError('UNAUTHENTICATED')
  const subject = (await keys.authenticate(token)) ?? (await tokens.authenticate(token))
  if (subject === null) throw new AppError('UNAUTHENTICATED')
  return subject
}

export function checkPolicy(policy: Exclude<Policy, 'public'>, subject: Subject): void {
  if (policy === 'authenticated') return
  const wanted: readonly Right[] = typeof policy === 'string' ? [policy] : policy
  if (!wanted.some((right) => subject.rights.has(right))) {
    throw new AppError('INSUFFICIENT_PERMISSIONS', { right: wanted.join('" or "') })
  }
}

function tokenOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const name = HEADERS.find((it) => headers[it] !== undefined)
  const value = name === undefined ? undefined : headers[name]
  if (name === undefined || typeof value !== 'string' || value.length > MAX_KEY) return undefined
  const isRepeated = rawHeaders.filter((it, at) => at % 2 === 0 && it.toLowerCase() === name).length > 1
  return isRepeated ? undefined : value.replace(/^bearer +/i, '')
}
