// The audit record of an administrative action: who did what to what, with which outcome. Names of fields, never their
// values.
import { textBefore } from './values/text-before.ts'

export const AUDIT_OUTCOMES = ['success', 'refused', 'failed'] as const
/** `refused`: the key lacked the right. `failed`: an internal error; the action may or may not have taken effect. */
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number]

/** The actor of automatic actions. */
export const SYSTEM_ACTOR = 'system'

export interface AuditedAction {
  /** `user_id` of the key, or `system`. */
  actor_id: string
  api_key_id: number | null
  /** The person that the key acts for; stored apart from the entry, so that it can be erased. */
  email: string | null
  /** Object type and verb, such as `api_key.create`. */
  action: string
  object_id: string | null
  outcome: AuditOutcome
  error_code: string | null
  /** Names of the fields that were sent, and counts in the answer. */
  fields: readonly string[]
  request_id: string | null
}

export interface AuditEntry extends Omit<AuditedAction, 'email'> {
  id: number
  at: number
  object_type: string
  /** The pseudonym of the actor's person. */
  person: string | null
  /** Null if there is no person, or the person was deleted. */
  actor_email: string | null
  /** The address of the person that the object is. Null likewise. */
  object_email: string | null
  hash: string
}

export const auditObjectType = (action: string): string => textBefore(action, '.')

export interface AuditFilter {
  /** A `user_id`, a pseudonym, or an e-mail address. */
  actor: string | null
  action: string | null
  object_type: string | null
  /** An id, or the e-mail address of a person. */
  object_id: string | null
  outcome: AuditOutcome | null
  request_id: string | null
  /** Epoch milliseconds; `from` is inclusive, `until` exclusive. */
  from: number | null
  until: number | null
}
