// People who sign in with a password.
import { AppError } from '../../domain/errors.ts'
import { emailKeyOf } from '../../domain/subject.ts'
import type { Database } from '../../store/database/database.ts'
import { findPerson, findPersonByEmail, type StoredPerson } from '../../store/identity/people.ts'
import { replacePasswordHash, setPassword } from '../../store/identity/sign-in/person-passwords.ts'
import type { AttemptLimiter } from './attempt-limiter.ts'
import { explainWeakPassword } from './password-policy.ts'
import { needsRehash, type Passwords } from './passwords.ts'

export interface PasswordSignIn {
  email: string
  password: string
  /** The address of the client. */
  address: string
}

export interface Accounts {
  /**
   * The person with this address and password. LOGIN_BAD_CREDENTIALS, after the same time, if nobody has the address, the
   * password is wrong, or the person is suspended or has no password. TOO_MANY_ATTEMPTS after too many of them.
   */
  checkPassword(request: PasswordSignIn): Promise<StoredPerson>
  /**
   * Ends all sessions that the person has opened. LOGIN_BAD_CREDENTIALS: the old password is wrong. PASSWORD_UNFIT: the new
   * one is too short, too long or too common.
   */
  changePassword(personId: string, change: { before: string; after: string; address: string }): Promise<void>
}

interface AccountsDeps {
  db: Database
  passwords: Passwords
  attempts: AttemptLimiter
  now: () => number
}

export function openAccounts({ db, passwords, attempts, now }: AccountsDeps): Accounts {
  const compare = async (person: StoredPerson | undefined, account: string, { password, address }: PasswordSignIn) => {
    attempts.check(account, address)
    const isMatch = await passwords.matches(password, person?.password_hash ?? null)
    if (!isMatch || person === undefined || person.is_active === 0) {
      attempts.recordFailure(account, address)
      throw new AppError('LOGIN_BAD_CREDENTIALS')
    }
    attempts.recordSuccess(account, address)
    return person
  }
  return {
    async checkPassword(request) {
      const account = emailKeyOf(request.email)
      const person = await compare(await findPersonByEmail(db, request.email), account, request)
      const { id, password_hash: hash } = person
      if (hash !== null && needsRehash(hash)) {
        await replacePasswordHash(db, id, hash, await passwords.hash(request.password))
      }
      return person
    },
    async changePassword(personId, { before, after, address }) {
      const person = await findPerson(db, personId)
      if (person === undefined) throw new AppError('UNAUTHENTICATED')
      await compare(person, person.email_key, { email: person.email, password: before, address })
      checkNewPassword(after, person)
      const password_hash = await passwords.hash(after)
      await db.transaction().execute((trx) => setPassword(trx, personId, { password_hash }, now()))
    },
  }
}

/** PASSWORD_UNFIT with the reason. */
export function checkNewPassword(password: string, person: { email: string; name: string | null }): void {
  const reason = explainWeakPassword(password, person)
  if (reason !== null) throw new AppError('PASSWORD_UNFIT', { reason })
}
