// A verification of a document, as answers show it.
import { z } from 'zod'
import { type DocumentVerification, VERIFIED_STATES, verifiedState } from '../../../domain/freshness/verification.ts'
import { iso } from '../../wire/iso.ts'

export const VerificationView = z
  .object({
    verified_by: z
      .string()
      .nullable()
      .describe('The name of the person, or the e-mail address. Null: a key that acts for nobody, or the person left.'),
    verified_at: z.iso.datetime(),
    verified_until: z.iso.datetime(),
    state: z
      .enum(VERIFIED_STATES)
      .describe('`changed`: title or text changed since. `expired`: `verified_until` is past.'),
  })
  .meta({ id: 'DocumentVerification' })

export const verificationField = VerificationView.nullable().describe(
  'Who said last that the document is still right, and until when. Null if nobody did.',
)

export const verificationView = (
  verification: DocumentVerification | undefined,
  now: number,
): z.infer<typeof VerificationView> | null =>
  verification === undefined
    ? null
    : {
        verified_by: verification.verified_by,
        verified_at: iso(verification.verified_at),
        verified_until: iso(verification.verified_until),
        state: verifiedState(verification, now),
      }
