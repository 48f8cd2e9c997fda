// The second factor after a password: a code of an authenticator app, or a recovery code.
import { AppError } from '../../domain/errors.ts'
import type { Queryable } from '../../store/database/database.ts'
import {
  confirmTotp,
  countRecoveryCodes,
  deleteSecondFactor,
  findTotp,
  hasSecondFactor,
  insertTotp,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeTotpStep,
} from '../../store/identity/sign-in/second-factors.ts'
import type { DatabaseWithSecrets } from '../../store/secrets/secret-box.ts'
import { createRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts'
import { CODE_FORMAT, createTotpSecret, describeTotp, stepOfCode } from './totp.ts'

export interface SecondFactors {
  /**
   * Accepts a code and uses it up, or returns at once if the person has no second factor. SECOND_FACTOR_REQUIRED without a
   * code, SECOND_FACTOR_WRONG if the code is wrong or used. Inside the transaction, if one is given: if that fails, the
   * code stays valid.
   */
  check(personId: string, code: string | null, trx?: Queryable): Promise<void>
  state(personId: string): Promise<{ is_on: boolean; recovery_codes_left: number }>
  /** A new secret, which counts after `confirm`. SECOND_FACTOR_ON: the person has one already. */
  start(person: { id: string; email: string }): Promise<{ secret: string; uri: string }>
  /** Switches the second factor on and returns recovery codes. SECOND_FACTOR_OFF without `start`, SECOND_FACTOR_WRONG. */
  confirm(personId: string, code: string): Promise<string[]>
  /** Replaces the recovery codes. SECOND_FACTOR_OFF: the person has no second factor. */
  renewRecoveryCodes(personId: string): Promise<string[]>
  /** Returns whether there was one. */
  remove(personId: string): Promise<boolean>
}

export function openSecondFactors({ db, secrets, now }: DatabaseWithSecrets & { now: () => number }): SecondFactors {
  const acceptCode = async (trx: Queryable, personId: string, code: string): Promise<boolean> => {
    const digits = code.replaceAll(/\s/g, '')
    if (!CODE_FORMAT.test(digits)) return takeRecoveryCode(trx, personId, hashRecoveryCode(code))
    const totp = await findTotp({ db: trx, secrets }, personId)
    const step = totp === undefined ? null : stepOfCode(totp.secret, digits, now())
    return totp !== undefined && step !== null && takeTotpStep(trx, totp.id, step)
  }
  const renew = async (trx: Queryable, personId: string): Promise<string[]> => {
    const codes = createRecoveryCodes()
    await replaceRecoveryCodes(trx, personId, codes.map(hashRecoveryCode))
    return codes
  }
  return {
    async check(personId, code, trx = db) {
      if (!(await hasSecondFactor(trx, personId))) return
      if (code === null || code.trim() === '') throw new AppError('SECOND_FACTOR_REQUIRED')
      if (!(await acceptCode(trx, personId, code))) throw new AppError('SECOND_FACTOR_WRONG')
    },
    state: async (personId) => ({
      is_on: await hasSecondFactor(db, personId),
      recovery_codes_left: await countRecoveryCodes(db, personId),
    }),
    async start({ id, email }) {
      const secret = createTotpSecret()
      if (!(await insertTotp({ db, secrets }, { personId: id, secret }, now()))) throw new AppError('SECOND_FACTOR_ON')
      return describeTotp(secret, email)
    },
    confirm: (personId, code) =>
      db.transaction().execute(async (trx) => {
        const totp = await findTotp({ db: trx, secrets }, personId)
        if (totp === undefined) throw new AppError('SECOND_FACTOR_OFF')
        if (totp.confirmed_at !== null) throw new AppError('SECOND_FACTOR_ON')
        const step = stepOfCode(totp.secret, code.replaceAll(/\s/g, ''), now())
        if (step === null) throw new AppError('SECOND_FACTOR_WRONG')
        await takeTotpStep(trx, totp.id, step)
        if (!(await confirmTotp(trx, totp.id, now()))) throw new AppError('SECOND_FACTOR_ON')
        return renew(trx, personId)
      }),
    renewRecoveryCodes: (personId) =>
      db.transaction().execute(async (trx) => {
        if (!(await hasSecondFactor(trx, personId))) throw new AppError('SECOND_FACTOR_OFF')
        return renew(trx, personId)
      }),
    remove: (personId) => db.transaction().execute((trx) => deleteSecondFactor(trx, personId)),
  }
}
