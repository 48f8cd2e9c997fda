// People who sign in with a password.
import { AppError } from '../../domain/errors.ts'
import { emailKeyOf } from '../../domain/subject.ts'
import type { Database } from '../../store/database/database.ts'
import { findPerson, findPersonByEmail, type StoredPerson } from '../../store/identity/people.ts'
import { replacePasswordHash, setPassword } from '../../store/identity/sign-in/person-passwords.ts'
import type { SecondFactors } from '../second-factor/second-factors.ts'
import type { AttemptLimiter } from './attempt-limiter.ts'
import { explainWeakPassword } from './password-policy.ts'
import { needsRehash, type Passwords } from './passwords.ts'

export interface PasswordSignIn {
  email: string
  password: string
  /** The code of the second factor, which is asked for after the password. */
  otp: string | null
  /** The address of the client. */
  address: string
}

export interface Accounts {
  /**
   * The person with this address and password. LOGIN_BAD_CREDENTIALS, after the same time, if nobody has the address, the
   * password is wrong, or the person is suspended or has no password. SECOND_FACTOR_REQUIRED or SECOND_FACTOR_WRONG if the
   * password is right. TOO_MANY_ATTEMPTS after too many wrong passwords and codes.
   */
  checkPassword(request: PasswordSignIn): Promise<StoredPerson>
  /** LOGIN_BAD_CREDENTIALS: the person, who has signed in, has another password or none. TOO_MANY_ATTEMPTS. */
  confirmPassword(personId: string, request: { password: string; address: string }): Promise<StoredPerson>
  /**
   * Ends all sessions that the person has opened. LOGIN_BAD_CREDENTIALS: the old password is wrong. PASSWORD_UNFIT: the new
   * one is too short, too long or too common.
   */
  changePassword(personId: string, change: { before: string; after: string; address: string }): Promise<void>
}

interface AccountsDeps {
  db: Database
  passwords: Passwords
  secondFactors: Pick<SecondFactors, 'check'>
  attempts: AttemptLimiter
  now: () => number
}

export function openAccounts({ db, passwords, secondFactors, attempts, now }: AccountsDeps): Accounts {
  /** The caller records the success, because another factor may follow. */
  const compare = async (
    person: StoredPerson | undefined,
    account: string,
    sent: Omit<PasswordSignIn, 'email' | 'otp'>,
  ) => {
    attempts.check(account, sent.address)
    const isMatch = await passwords.matches(sent.password, person?.password_hash ?? null)
    if (!isMatch || person === undefined || person.is_active === 0) {
      attempts.recordFailure(account, sent.address)
      throw new AppError('LOGIN_BAD_CREDENTIALS')
    }
    return person
  }
  const confirmPassword = async (personId: string, sent: { password: string; address: string }) => {
    const found = await findPerson(db, personId)
    if (found === undefined) throw new AppError('UNAUTHENTICATED')
    const person = await compare(found, found.email_key, sent)
    attempts.recordSuccess(person.email_key, sent.address)
    return person
  }
  return {
    confirmPassword,
    async checkPassword(request) {
      const account = emailKeyOf(request.email)
      const person = await compare(await findPersonByEmail(db, request.email), account, request)
      await secondFactors.check(person.id, request.otp).catch(recordWrongCode(attempts, account, request.address))
      attempts.recordSuccess(account, request.address)
      const { id, password_hash: hash } = person
      if (hash !== null && needsRehash(hash)) {
        await replacePasswordHash(db, id, hash, await passwords.hash(request.password))
      }
      return person
    },
    async changePassword(personId, { before, after, address }) {
      const person = await confirmPassword(personId, { password: before, address })
      checkNewPassword(after, person)
      const password_hash = await passwords.hash(after)
      await db.transaction().execute((trx) => setPassword(trx, personId, { password_hash }, now()))
    },
  }
}

/** Counts a wrong code of the second factor like a wrong password. */
export const recordWrongCode = (attempts: AttemptLimiter, account: string, address: string) => (error: unknown) => {
  if (error instanceof AppError && error.code === 'SECOND_FACTOR_WRONG') attempts.recordFailure(account, address)
  throw error
}

/** PASSWORD_UNFIT with the reason. */
export function checkNewPassword(password: string, person: { email: string; name: string | null }): void {
  const reason = explainWeakPassword(password, person)
  if (reason !== null) throw new AppError('PASSWORD_UNFIT', { reason })
}
