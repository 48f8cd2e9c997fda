// An outbound request that was refused: the rule that refused it, and who made it.

/** Which part of the network a caller may reach, from the strictest to the widest; defined in `egress`. */
export const EGRESS_PROFILES = ['public-only', 'admin-target'] as const
export type EgressProfile = (typeof EGRESS_PROFILES)[number]

/** The rules that concern an address; a malformed address cannot be approved. */
export const EGRESS_RULES = ['private', 'port', 'never', 'own'] as const
export type EgressRule = (typeof EGRESS_RULES)[number]

export const EGRESS_CALLERS = [
  'connector',
  'tool',
  'mcp_server',
  'webhook',
  'llm_provider',
  'transcription_model',
  'sign_in_provider',
] as const

export interface EgressCaller {
  kind: (typeof EGRESS_CALLERS)[number]
  /** Null while it is not stored yet. */
  id: number | null
}

export interface EgressRefusal {
  host: string
  port: number
  rule: EgressRule
  profile: EgressProfile
  asker: EgressCaller
}

/** Refusals of one kind, aggregated. */
export interface CountedEgressRefusal extends EgressRefusal {
  count: number
  first_time: number
  last_time: number
}

/** Whether an administrator's approval would have allowed the request. */
export const isApprovable = ({ rule, profile }: Pick<EgressRefusal, 'rule' | 'profile'>): boolean =>
  profile === 'admin-target' && (rule === 'private' || rule === 'port')
