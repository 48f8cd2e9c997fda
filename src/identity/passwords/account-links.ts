// One-time links with which people get their account or a new password.
import { randomBytes } from 'node:crypto'
import { AppError } from '../../domain/errors.ts'
import { emailKeyOf, isHigherRole, type Role } from '../../domain/subject.ts'
import { mailDomainOf } from '../../domain/values/mail-address.ts'
import { createMutex } from '../../flow/mutex.ts'
import type { Database, Queryable } from '../../store/database/database.ts'
import { addToGroups, checkGroupNames, checkManualGroups, getOrCreateGroups } from '../../store/identity/groups.ts'
import { findPerson, findPersonByEmail, insertPerson, type StoredPerson } from '../../store/identity/people.ts'
import {
  deleteExpiredLinks,
  deleteFirstAdminLinks,
  findAccountLink,
  insertAccountLink,
  type NewAccountLink,
  type StoredAccountLink,
  takeAccountLink,
} from '../../store/identity/sign-in/account-links.ts'
import { hasAdminWithPassword, setPassword } from '../../store/identity/sign-in/person-passwords.ts'
import { isRegistrationDomain } from '../../store/identity/sign-in/registration-domains.ts'
import { DAY_MS } from '../../wire/date-time.ts'
import { hashSecret } from '../keys/key-format.ts'
import type { SecondFactors } from '../second-factor/second-factors.ts'
import { checkNewPassword, recordWrongCode } from './accounts.ts'
import type { AttemptLimiter } from './attempt-limiter.ts'
import type { Passwords } from './passwords.ts'

/** The path of the page that opens links. Browsers do not send the part after `#`, so no log of a proxy holds the token. */
const LINK_PATH = '/welcome#'
const HOUR_MS = DAY_MS / 24
const LIFETIME_MS = { first_admin: HOUR_MS, invitation: 7 * DAY_MS, reset: DAY_MS, registration: HOUR_MS }

export interface IssuedLink {
  /** The only time that the token itself is available. */
  path: string
  email: string | null
  expires_at: number
}

export interface Invitation {
  email: string
  role: Role
  groups: readonly string[]
}

export interface LinkAcceptance {
  token: string
  /** Absent: a link of any kind. */
  purpose?: 'reset'
  /** Read only if the link names no address. */
  email: string | null
  name: string | null
  password: string
  /** The code of the second factor of a person who has one. */
  otp: string | null
  /** The address of the client. */
  address: string
}

export interface AccountLinks {
  /** A link with which anybody becomes an administrator. It replaces the one before. */
  createFirstAdmin(createdBy: string): Promise<IssuedLink>
  /** Null if an administrator can sign in already. */
  createFirstAdminIfNeeded(): Promise<IssuedLink | null>
  /** PERSON_EXISTS: the person can sign in already, or is suspended. DEFAULT_GROUP, GROUP_MANAGED_ELSEWHERE. */
  invite(invitation: Invitation, createdBy: string): Promise<IssuedLink>
  /** A link with which the person sets a new password. PERSON_NOT_FOUND: nobody has this address. */
  createReset(email: string, createdBy: string): Promise<IssuedLink>
  /** Like `createReset`, for a mail: the link lives for an hour. Null if nobody with this address signs in with a password. */
  createMailedReset(email: string): Promise<IssuedLink | null>
  /** A link with which the reader of this address creates an account. `exists`: a person has the address. */
  createRegistration(email: string): Promise<IssuedLink | 'exists'>
  /** Makes an administrator without a link. REGISTRATION_DISABLED if an administrator can sign in already. */
  registerFirst(registration: { email: string; name: string | null; password: string }): Promise<StoredPerson>
  /** LINK_INVALID: the link was used, replaced or has expired. */
  get(token: string): Promise<StoredAccountLink>
  /**
   * Sets the password of the person, who is created if nobody has the address. LINK_INVALID, PASSWORD_UNFIT,
   * GROUP_MANAGED_ELSEWHERE; INVALID_INPUT if the link names no address and the request does neither. A second factor stays
   * on: SECOND_FACTOR_REQUIRED, SECOND_FACTOR_WRONG, TOO_MANY_ATTEMPTS. The link then stays valid.
   */
  accept(acceptance: LinkAcceptance): Promise<StoredPerson>
  /** Deletes expired links; called every minute. */
  expire(): Promise<void>
}

interface AccountLinksDeps {
  db: Database
  passwords: Passwords
  secondFactors: Pick<SecondFactors, 'check'>
  attempts: AttemptLimiter
  /** Called after the link for the first administrator was used. */
  onFirstAdmin: () => void
  now: () => number
}

export function openAccountLinks(deps: AccountLinksDeps): AccountLinks {
  const { db, passwords, secondFactors, attempts, onFirstAdmin, now } = deps
  const issue = async (
    link: Omit<NewAccountLink, 'token_hash' | 'expires_at'>,
    lifetimeMs = LIFETIME_MS[link.purpose],
  ): Promise<IssuedLink> => {
    const token = randomBytes(32).toString('base64url')
    const expires_at = now() + lifetimeMs
    await insertAccountLink(db, { ...link, token_hash: hashSecret(token), expires_at }, now())
    return { path: LINK_PATH + token, email: link.email, expires_at }
  }
  const createFirstAdmin = (created_by: string) =>
    issue({ purpose: 'first_admin', email: null, role: 'admin', user_groups: [], person_id: null, created_by })
  const get = async (token: string): Promise<StoredAccountLink> => {
    const link = await findAccountLink(db, hashSecret(token), now())
    if (link === undefined) throw new AppError('LINK_INVALID')
    return link
  }
  return {
    createFirstAdmin,
    createFirstAdminIfNeeded: async () => ((await hasAdminWithPassword(db)) ? null : createFirstAdmin('system')),
    async invite({ email, role, groups }, created_by) {
      await checkGroupNames(db, groups)
      await checkManualGroups(db, groups)
      const person = await findPersonByEmail(db, email)
      if (person !== undefined && (person.password_hash !== null || person.is_active === 0))
        throw new AppError('PERSON_EXISTS')
      return issue({ purpose: 'invitation', email, role, user_groups: groups, person_id: null, created_by })
    },
    async createReset(email, created_by) {
      const person = await findPersonByEmail(db, email)
      if (person === undefined) throw new AppError('PERSON_NOT_FOUND')
      const { id, role } = person
      return issue({ purpose: 'reset', email: person.email, role, user_groups: [], person_id: id, created_by })
    },
    ...createMailedLinks(db, issue),
    registerFirst: createFirstRegistration(deps),
    get,
    async accept({ token, password, otp, address, purpose, ...sent }) {
      const link = await get(token)
      if (purpose !== undefined && link.purpose !== purpose) throw new AppError('LINK_INVALID')
      const email = link.email ?? sent.email
      if (email === null) throw new AppError('INVALID_INPUT', { reason: 'This link needs an e-mail address.' })
      const account = emailKeyOf(email)
      if (otp !== null) attempts.check(account, address)
      const name = sent.name ?? (await findPersonByEmail(db, email))?.name ?? null
      checkNewPassword(password, { email, name })
      const password_hash = await passwords.hash(password)
      const accept = async (trx: Queryable): Promise<StoredPerson> => {
        const taken = await takeAccountLink(trx, hashSecret(token), now())
        if (taken === undefined) throw new AppError('LINK_INVALID')
        const person = await findPersonOfLink(trx, taken, email)
        if (taken.purpose === 'registration') await checkRegistration(trx, email, person)
        if (person !== undefined) await secondFactors.check(person.id, otp, trx)
        return createOrUpdatePerson(trx, { link: taken, person }, { email, name, password_hash }, now())
      }
      const accepted = await db
        .transaction()
        .execute(accept)
        .catch(recordWrongCode(attempts, account, address))
      if (link.purpose === 'first_admin') onFirstAdmin()
      return accepted
    },
    expire: () => deleteExpiredLinks(db, now()),
  }
}

type IssueLink = (link: Omit<NewAccountLink, 'token_hash' | 'expires_at'>, lifetimeMs?: number) => Promise<IssuedLink>

const createMailedLinks = (
  db: Database,
  issue: IssueLink,
): Pick<AccountLinks, 'createMailedReset' | 'createRegistration'> => ({
  async createMailedReset(address) {
    const person = await findPersonByEmail(db, address)
    if (person === undefined || person.is_active === 0 || person.password_hash === null) return null
    const { id, role, email } = person
    const link = { email, role, user_groups: [], person_id: id, created_by: 'system' }
    return issue({ purpose: 'reset', ...link }, HOUR_MS)
  },
  async createRegistration(email) {
    if ((await findPersonByEmail(db, email)) !== undefined) return 'exists'
    const link = { email, role: 'basic', user_groups: [], person_id: null, created_by: 'system' } as const
    return issue({ purpose: 'registration', ...link })
  },
})

/** Of requests at the same time, one makes the administrator. */
function createFirstRegistration({
  db,
  passwords,
  onFirstAdmin,
  now,
}: AccountLinksDeps): AccountLinks['registerFirst'] {
  const registerExclusive = createMutex()
  return ({ email, name, password }) =>
    registerExclusive(async () => {
      if (await hasAdminWithPassword(db)) throw new AppError('REGISTRATION_DISABLED')
      checkNewPassword(password, { email, name })
      const account = { email, name, role: 'admin', is_verified: false } as const
      const password_hash = await passwords.hash(password)
      const person = await db.transaction().execute(async (trx) => {
        await deleteFirstAdminLinks(trx)
        return insertPerson(trx, { ...account, password_hash }, now())
      })
      onFirstAdmin()
      return person
    })
}

/** The domain may have been closed, and the address given to a person, since the mail was sent. */
async function checkRegistration(trx: Queryable, email: string, person: StoredPerson | undefined): Promise<void> {
  const domain = mailDomainOf(email)
  const isOpen = domain !== null && (await isRegistrationDomain(trx, domain))
  if (!isOpen || person !== undefined) throw new AppError('LINK_INVALID')
}

async function findPersonOfLink(
  trx: Queryable,
  { person_id }: StoredAccountLink,
  email: string,
): Promise<StoredPerson | undefined> {
  if (person_id === null) return findPersonByEmail(trx, email)
  const person = await findPerson(trx, person_id)
  if (person === undefined) throw new AppError('LINK_INVALID')
  return person
}

async function createOrUpdatePerson(
  trx: Queryable,
  { link, person }: { link: StoredAccountLink; person: StoredPerson | undefined },
  { email, name, password_hash }: { email: string; name: string | null; password_hash: string },
  now: number,
): Promise<StoredPerson> {
  // `is_verified`: an administrator gave the link to the person, or a mail brought it, for this address.
  const account = { name, password_hash, is_verified: true }
  const accepted = person ?? (await insertPerson(trx, { ...account, email, role: link.role }, now))
  if (person !== undefined) {
    const change = { password_hash, is_verified: true, ...(name !== null && { name }) }
    const role = isHigherRole(link.role, person.role) && link.purpose !== 'reset' ? { role: link.role } : {}
    await setPassword(trx, person.id, { ...change, ...role }, now)
  }
  // Written by `issue` from validated values.
  const groups: string[] = JSON.parse(link.user_groups)
  await addToGroups(trx, accepted.id, (await getOrCreateGroups(trx, groups, now)).values())
  return accepted
}
