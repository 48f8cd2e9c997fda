// Records sign-ins in the audit: each success, and failures of each way and reason once a minute.
import { SYSTEM_ACTOR } from '../../../domain/audit.ts'
import { AppError } from '../../../domain/errors.ts'
import type { Subject } from '../../../domain/subject.ts'
import { type AuditLog, buildAct } from '../../../identity/audit-log.ts'

export interface SignInAttempt {
  action: 'session.create' | 'account_link.accept'
  /** How the person signs in. Null for a one-time link. */
  way: 'password' | 'key' | 'passkey' | null
  requestId: string
}

const actOf = ({ action, way, requestId }: SignInAttempt) =>
  ({ action, object_id: way, fields: [], request_id: requestId }) as const

/** Signs in, and records a refusal. Nobody is known then, so the service is the actor. */
export async function auditRefusedSignIn<T>(
  audit: Pick<AuditLog, 'recordRefusal'>,
  attempt: SignInAttempt,
  signIn: () => Promise<T>,
): Promise<T> {
  try {
    return await signIn()
  } catch (error) {
    if (isRefusal(error))
      await audit.recordRefusal({
        ...{ actor_id: SYSTEM_ACTOR, api_key_id: null, email: null, ...actOf(attempt) },
        ...{ outcome: 'refused', error_code: error.code },
      })
    throw error
  }
}

/** A right password without the code is half of a sign-in, no failure. */
const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && error.status < 500 && error.code !== 'SECOND_FACTOR_REQUIRED'

export const auditSignIn = (audit: Pick<AuditLog, 'record'>, attempt: SignInAttempt, subject: Subject): Promise<void> =>
  audit.record(buildAct(subject, { ...actOf(attempt), outcome: 'success', error_code: null }))
