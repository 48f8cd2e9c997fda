// People whom a trusted proxy has signed in. There is no session: each request names the person.
import { AppError } from '../domain/errors.ts'
import { emailKeyOf, PERSON_PREFIX, type Subject } from '../domain/subject.ts'
import { createLruCache } from '../flow/lru-cache.ts'
import { createMutex } from '../flow/mutex.ts'
import type { Database, Queryable } from '../store/database/database.ts'
import { findPersonByEmail, insertPerson, type StoredPerson, setPersonName } from '../store/identity/people.ts'
import { setGroupsOfOrigin } from '../store/identity/sign-in/groups-of-origin.ts'
import { touchPeople } from '../store/identity/sign-in/person-passwords.ts'
import { type AuditLog, buildAct } from './audit-log.ts'
import type { AccessTokens } from './keys/access-tokens.ts'
import { createLastUsedTracker } from './last-used.ts'

/** Shown as the origin of groups; only this sign-in changes who belongs to them. */
export const HEADER_ORIGIN = 'header'

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
  audit: Pick<AuditLog, 'record'>
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
  const signIn = async (identity: ProxyIdentity, requestId: string): Promise<Subject> => {
    const { person, isNew, hasNewGroups } = await db
      .transaction()
      .execute((trx) => createOrUpdatePerson(trx, identity, domains, now()))
    const subject = await tokens.findSubjectByCredential(PERSON_PREFIX + person.id)
    if (subject === null) throw new AppError('HEADER_SIGN_IN_REFUSED')
    const acts = ['session.create', ...(isNew ? ['person.create'] : []), ...(hasNewGroups ? ['person.groups'] : [])]
    const entry = { outcome: 'success', error_code: null, fields: [], request_id: requestId } as const
    for (const action of acts) await audit.record(buildAct(subject, { ...entry, action, object_id: person.id }))
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

async function createOrUpdatePerson(
  trx: Queryable,
  { email, name, groups }: ProxyIdentity,
  domains: readonly string[],
  now: number,
): Promise<{ person: StoredPerson; isNew: boolean; hasNewGroups: boolean }> {
  const found = await findPersonByEmail(trx, email)
  if (found?.is_active === 0 || (found === undefined && !isOpenDomain(email, domains))) {
    throw new AppError('HEADER_SIGN_IN_REFUSED')
  }
  const fresh = { email, name, role: 'basic', is_verified: true, password_hash: null } as const
  const person = found ?? (await insertPerson(trx, fresh, now))
  if (person.name === null && name !== null) await setPersonName(trx, person.id, name, now)
  const membership = { personId: person.id, origin: HEADER_ORIGIN, names: groups ?? [] }
  const hasNewGroups = groups !== null && (await setGroupsOfOrigin(trx, membership, now))
  return { person, isNew: found === undefined, hasNewGroups }
}

const isOpenDomain = (email: string, domains: readonly string[]): boolean =>
  domains.includes('*') || domains.includes(emailKeyOf(email.slice(email.lastIndexOf('@') + 1)))
