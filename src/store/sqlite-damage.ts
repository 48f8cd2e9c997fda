import { AppError } from '../domain/errors.ts'

/** Damaged, or no database at all. */
const DAMAGED = new Set([11, 26])

/** Runs the step, and says of a damaged file what a person can do about it. */
export function sayingDamage<T>(step: () => T): T {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error && DAMAGED.has(Number(error.errcode) & 0xff))) throw error
    throw new AppError('RECORD_DAMAGED', { reason: error.message }, { cause: error })
  }
}
