// What is written down of an act of administration: who did what to what, and what came of it. Names of fields, never
// what was in them.

export const AUDIT_OUTCOMES = ['success', 'refused', 'failed'] as const
/** `refused`: the key had no right to it. `failed`: an error of the service; it may or may not have been done. */
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number]

/** The actor of what nobody asked for. */
export const SYSTEM = 'system'

export interface Act {
  /** `user_id` of the key, or `system`. */
  actor_id: string
  api_key_id: number | null
  /** The person that the key acts for; kept apart from the entry, so that it can be forgotten. */
  email: string | null
  /** What was done to what: `api_key.create`. */
  action: string
  object_id: string | null
  outcome: AuditOutcome
  error_code: string | null
  fields: readonly string[]
  request_id: string | null
}

export interface AuditEntry extends Omit<Act, 'email'> {
  id: number
  at: number
  object_type: string
  /** The pseudonym of the actor's person. */
  person: string | null
  /** Null also when the person was deleted. */
  actor_email: string | null
  hash: string
}

export const objectTypeOf = (action: string): string => action.split('.', 1)[0]!

export interface AuditFilter {
  /** A `user_id`, a pseudonym, or an e-mail. */
  actor: string | null
  action: string | null
  object_type: string | null
  object_id: string | null
  outcome: AuditOutcome | null
  request_id: string | null
  /** Epoch milliseconds, the first one included, the last one not. */
  from: number | null
  until: number | null
}
