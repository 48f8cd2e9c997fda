// A person says that a document is still right, until a date.
import { AppError } from '../errors.ts'

/** `changed`: its title or text changed after the verification. */
export const VERIFIED_STATES = ['valid', 'changed', 'expired'] as const
export type VerifiedState = (typeof VERIFIED_STATES)[number]

export const VERIFICATION_STATES = ['never', ...VERIFIED_STATES] as const
export type VerificationState = (typeof VERIFICATION_STATES)[number]

export interface DocumentVerification {
  /** The name of the person, or the address. Null: a key did it that acts for nobody, or the person was deleted. */
  verified_by: string | null
  /** Epoch milliseconds, as the following ones. */
  verified_at: number
  verified_until: number
  /** Null if title and text never changed. */
  text_changed_at: number | null
}

/** A change counts more than the date: the verified text is no longer there. */
export function verifiedState(
  { verified_at, verified_until, text_changed_at }: Omit<DocumentVerification, 'verified_by'>,
  now: number,
): VerifiedState {
  if (text_changed_at !== null && text_changed_at > verified_at) return 'changed'
  return verified_until > now ? 'valid' : 'expired'
}

const DEFAULT_MONTHS = 6
const MAX_MONTHS = 24

/** The end of a verification: in six months unless a time is sent. INVALID_INPUT: it is past, or more than two years ahead. */
export function checkVerifiedUntil(sent: number | undefined, now: number): number {
  if (sent === undefined) return monthsAfter(now, DEFAULT_MONTHS)
  if (sent > now && sent <= monthsAfter(now, MAX_MONTHS)) return sent
  throw new AppError('INVALID_INPUT', {
    reason:
      '`verified_until` must be in the future and at most two years ahead. Send another date, or omit it for six months.',
  })
}

/** The last day of a month stands for a day that the month does not have. */
function monthsAfter(time: number, months: number): number {
  const date = new Date(time)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months + 1, 0)
  date.setUTCDate(Math.min(day, date.getUTCDate()))
  return date.getTime()
}
