// Sign-in with the name and the password of an LDAP directory.
import { ResultCodeError } from 'ldapts'
import { AppError } from '../../domain/errors.ts'
import type { SignInPurpose } from '../../domain/sign-in/provider.ts'
import { SignInError, type VerifiedIdentity } from '../../domain/sign-in/verified-identity.ts'
import type { AttemptLimiter } from '../../identity/passwords/attempt-limiter.ts'
import type { OpenSession, SessionClient } from '../../identity/sessions.ts'
import type { Database } from '../../store/database/database.ts'
import { listProviders } from '../../store/identity/providers/sign-in-providers.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { SignIns } from '../sign-ins.ts'
import { checkDirectory, type DirectoryCheck } from './check-directory.ts'
import type { DirectoryDeps } from './open-directory.ts'
import { type LdapProvider, type Login, proveAccount, WrongLogin } from './prove-account.ts'

export interface LdapSignIns {
  /**
   * LOGIN_BAD_CREDENTIALS: nobody has the name, or the password is wrong. TOO_MANY_ATTEMPTS, SIGN_IN_REFUSED,
   * SIGN_IN_PROVIDER_DOWN, SERVICE_UNAVAILABLE.
   */
  signIn(provider: LdapProvider, request: LoginRequest): Promise<OpenSession>
  /** Stores the verdict of a sign-in that changes nothing. TOO_MANY_ATTEMPTS, SERVICE_UNAVAILABLE. */
  test(provider: LdapProvider, request: LoginRequest): Promise<void>
  /** Reaches the directory without a person. SIGN_IN_PROVIDER_FAILED with the reason. */
  check(provider: LdapProvider): Promise<DirectoryCheck>
  /** SIGN_IN_PROVIDER_UNKNOWN */
  getEnabled(slug: string): Promise<LdapProvider>
}

export interface LoginRequest extends Login {
  client: SessionClient
  requestId: string
}

interface LdapDeps extends DirectoryDeps {
  db: Database
  secrets: SecretBox
  signIns: SignIns
  attempts: AttemptLimiter
}

/** Each holds a connection. */
const MAX_RUNNING = 20
const MAX_DETAIL = 500

export function openLdapSignIns(deps: LdapDeps): LdapSignIns {
  let running = 0
  const prove = async (provider: LdapProvider, request: LoginRequest): Promise<VerifiedIdentity> => {
    if (running >= MAX_RUNNING)
      throw new AppError('SERVICE_UNAVAILABLE', { reason: 'Too many sign-ins are running. Try again in some seconds.' })
    running++
    try {
      return await proveCounted(deps, provider, request)
    } finally {
      running--
    }
  }
  return {
    async signIn(provider, request) {
      const { client, requestId } = request
      try {
        const identity = await prove(provider, request)
        return await deps.signIns.complete({ provider, identity, client, requestId, sid: null, id_token: null })
      } catch (fault) {
        throw await explain(deps, { provider, purpose: 'sign_in', requestId, fault })
      }
    },
    async test(provider, request) {
      try {
        await deps.signIns.test(provider, await prove(provider, request))
      } catch (fault) {
        const { requestId } = request
        const error = await explain(deps, { provider, purpose: 'test', requestId, fault })
        if (['TOO_MANY_ATTEMPTS', 'SERVICE_UNAVAILABLE'].includes(error.code)) throw error
      }
    },
    async check(provider) {
      return checkDirectory(deps, provider).catch((error: unknown) => {
        throw new AppError('SIGN_IN_PROVIDER_FAILED', { reason: detailOf(error) }, { cause: error })
      })
    },
    async getEnabled(slug) {
      const found = (await listProviders(deps)).filter(isLdap).find((it) => it.is_enabled && it.slug === slug)
      if (found === undefined) throw new AppError('SIGN_IN_PROVIDER_UNKNOWN')
      return found
    },
  }
}

/** Providers of this type have these settings; the routes check them. */
export const isLdap = (provider: { type: string } | undefined): provider is LdapProvider => provider?.type === 'ldap'

/** Counts wrong passwords. An unknown name counts like a known one. */
async function proveCounted(
  deps: Pick<LdapDeps, 'egress' | 'timeoutMs' | 'attempts'>,
  provider: LdapProvider,
  { username, password, client }: LoginRequest,
): Promise<VerifiedIdentity> {
  const account = accountOf(provider.slug, username)
  deps.attempts.check(account, client.address)
  try {
    const identity = await proveAccount(deps, provider, { username: username.trim(), password })
    deps.attempts.recordSuccess(account, client.address)
    return identity
  } catch (error) {
    if (error instanceof WrongLogin) deps.attempts.recordFailure(account, client.address)
    if (error instanceof WrongLogin || error instanceof AppError) throw error
    throw new DirectoryFault('The directory', { cause: error })
  }
}

/** The connection, the server or its answer failed. */
class DirectoryFault extends Error {}

/** Servers ignore case, spaces and invisible characters, which would otherwise give a guesser new attempts. */
const accountOf = (slug: string, username: string): string =>
  `ldap:${slug}:${username
    .normalize('NFKC')
    .replaceAll(/[\s\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()}`

interface Fault {
  provider: LdapProvider
  purpose: SignInPurpose
  requestId: string
  fault: unknown
}

/** Records the failure, and returns the error for the person. Rejects with a fault that is not the directory's. */
async function explain({ signIns }: LdapDeps, { provider, purpose, requestId, fault }: Fault): Promise<AppError> {
  if (fault instanceof AppError && !(fault instanceof SignInError)) return fault
  const fail = (error: SignInError, detail: string) => signIns.fail({ provider, purpose, requestId, error, detail })
  if (fault instanceof SignInError) {
    await fail(fault, fault.message)
    return fault
  }
  if (fault instanceof WrongLogin) {
    await fail(new SignInError('provider_refused'), 'Not exactly one entry has this name, or the password is wrong.')
    return new AppError('LOGIN_BAD_CREDENTIALS')
  }
  if (!(fault instanceof DirectoryFault)) throw fault
  const failure = causesOf(fault).some((it) => it instanceof ResultCodeError)
    ? 'provider_refused'
    : 'provider_unavailable'
  await fail(new SignInError(failure, { cause: fault }), detailOf(fault))
  return new AppError('SIGN_IN_PROVIDER_DOWN', { name: provider.name }, { cause: fault })
}

function causesOf(fault: unknown): Error[] {
  const chain: Error[] = []
  for (let it = fault; it instanceof Error && chain.length < 10; it = it.cause) chain.push(it)
  return chain
}

const detailOf = (fault: unknown): string =>
  causesOf(fault)
    .map((it) => it.message)
    .join(': ')
    .replace(/[\p{C}\s]+/gu, ' ')
    .slice(0, MAX_DETAIL)
    .toWellFormed()
