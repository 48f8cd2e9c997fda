// People whom a trusted proxy has signed in. There is no session: each request names the person.
import { SYSTEM_ACTOR } from '../domain/audit.ts'
import { AppError } from '../domain/errors.ts'
import { SignInError, type VerifiedIdentity } from '../domain/sign-in/verified-identity.ts'
import { emailKeyOf, PERSON_PREFIX, type Subject } from '../domain/subject.ts'
import { createLruCache } from '../flow/lru-cache.ts'
import { createMutex } from '../flow/mutex.ts'
import { type AuditLog, buildAct } from '../identity/audit-log.ts'
import type { AccessTokens } from '../identity/keys/access-tokens.ts'
import { createLastUsedTracker } from '../identity/last-used.ts'
import type { Database } from '../store/database/database.ts'
import { touchPeople } from '../store/identity/sign-in/person-passwords.ts'
import { type ProvisioningSource, provision } from './provision.ts'

/** The origin of the groups that the proxy names. */
const HEADER_ORIGIN = 'header'

export interface ProxyIdentity {
  email: string
  /** Null if the proxy sends none. */
  name: string | null
  /** Null if the operator names no header for groups; then groups stay as they are. */
  groups: readonly string[] | null
}

export interface HeaderSignIn {
  /** HEADER_SIGN_IN_REFUSED: the person is suspended, or unknown and of no domain whose people are created. */
  authenticate(identity: ProxyIdentity, requestId: string): Promise<Subject>
  /** Stores when people were last seen; called every minute. */
  maintain(): Promise<void>
}

interface HeaderSignInDeps {
  db: Database
  tokens: Pick<AccessTokens, 'findSubjectByCredential'>
  audit: Pick<AuditLog, 'record' | 'recordRefusal'>
  /** Domains in lower case whose people are created at their first sign-in; `*` for all. */
  domains: readonly string[]
  now: () => number
}

const MAX_KNOWN = 10_000
/** After this time, or when the proxy says something else, the record is compared with the headers again. */
const SIGN_IN_MS = 12 * 3_600_000

interface KnownSignIn {
  personId: string
  fingerprint: string
  at: number
}

export function openHeaderSignIn({ db, tokens, audit, domains, now }: HeaderSignInDeps): HeaderSignIn {
  const known = createLruCache<string, KnownSignIn>(MAX_KNOWN)
  const lastSeen = createLastUsedTracker<string>((batch) => touchPeople(db, batch))
  const runExclusive = createMutex()
  const findKnown = async (identity: ProxyIdentity): Promise<Subject | null> => {
    const key = emailKeyOf(identity.email)
    const entry = known.get(key)
    if (entry === undefined || entry.fingerprint !== fingerprintOf(identity) || now() - entry.at >= SIGN_IN_MS)
      return null
    const subject = await tokens.findSubjectByCredential(PERSON_PREFIX + entry.personId)
    // The address of a person can change.
    return subject?.email != null && emailKeyOf(subject.email) === key ? subject : null
  }
  const refuse = async (error: SignInError, request_id: string): Promise<never> => {
    const actor = { actor_id: SYSTEM_ACTOR, api_key_id: null, email: null }
    const act = { ...actor, action: 'session.create', object_id: HEADER_ORIGIN, fields: [error.failure], request_id }
    await audit.recordRefusal({ ...act, outcome: 'refused', error_code: 'HEADER_SIGN_IN_REFUSED' })
    throw new AppError('HEADER_SIGN_IN_REFUSED', {}, { cause: error })
  }
  const signIn = async (identity: ProxyIdentity, requestId: string): Promise<Subject> => {
    const source = sourceFor(identity, domains)
    const { person, changes } = await db
      .transaction()
      .execute((trx) => provision(trx, source, verify(identity), now()))
      .catch((error: unknown) => {
        if (error instanceof SignInError) return refuse(error, requestId)
        throw error
      })
    const subject = await tokens.findSubjectByCredential(PERSON_PREFIX + person.id)
    if (subject === null) throw new AppError('HEADER_SIGN_IN_REFUSED')
    const entry = { outcome: 'success', error_code: null, fields: [], request_id: requestId } as const
    await audit.record(buildAct(subject, { ...entry, action: 'session.create', object_id: HEADER_ORIGIN }))
    for (const action of changes) await audit.record(buildAct(subject, { ...entry, action, object_id: person.id }))
    const fingerprint = fingerprintOf(identity)
    known.set(emailKeyOf(identity.email), { personId: person.id, fingerprint, at: now() })
    return subject
  }
  return {
    async authenticate(identity, requestId) {
      // A page sends several requests at once; the first one signs in.
      const subject =
        (await findKnown(identity)) ??
        (await runExclusive(async () => (await findKnown(identity)) ?? signIn(identity, requestId)))
      if (subject.person_id !== null) lastSeen.recordUse(subject.person_id, now())
      return subject
    },
    maintain: () => lastSeen.flush(),
  }
}

const fingerprintOf = ({ name, groups }: ProxyIdentity): string => JSON.stringify([name, groups])

/** The operator trusts the proxy, so its word about an address counts like that of a provider. */
const verify = ({ email, name, groups }: ProxyIdentity): VerifiedIdentity => ({
  ...{ subject: emailKeyOf(email), email, email_verified: true, name, groups },
  ...{ roles: [], claims: {} },
})

/** The domains limit who is created; people who exist sign in whatever their domain is. */
const sourceFor = ({ email }: ProxyIdentity, domains: readonly string[]): ProvisioningSource => ({
  provider_id: null,
  origin: HEADER_ORIGIN,
  settings: {
    ...{ creates_people: isOpenDomain(email, domains), allowed_domains: [], trusts_emails: false },
    ...{ default_role: 'basic', role_mapping: [], group_prefix: '' },
  },
})

const isOpenDomain = (email: string, domains: readonly string[]): boolean =>
  domains.includes('*') || domains.includes(emailKeyOf(email.slice(email.lastIndexOf('@') + 1)))
