// An address that was not called: by whose rule, and who wanted it.

/** How much of the network somebody may name, from the outside in. `egress` says what each means. */
export const PROFILES = ['public-only', 'admin-target'] as const
export type Profile = (typeof PROFILES)[number]

/** Which rules are about an address; what is wrong with a text is nobody's to approve. */
export const RULES = ['private', 'port', 'never', 'own'] as const
export type Rule = (typeof RULES)[number]

export const ASKERS = ['connector', 'tool', 'mcp_server', 'webhook', 'llm_provider'] as const

export interface Asker {
  kind: (typeof ASKERS)[number]
  /** Null while it is not stored yet. */
  id: number | null
}

export interface Refusal {
  host: string
  port: number
  rule: Rule
  profile: Profile
  asker: Asker
}

/** What came together of one kind. */
export interface CountedRefusal extends Refusal {
  count: number
  first_time: number
  last_time: number
}

/** Whether an administrator's approval would have changed the answer. */
export const isApprovable = ({ rule, profile }: Pick<Refusal, 'rule' | 'profile'>): boolean =>
  profile === 'admin-target' && (rule === 'private' || rule === 'port')
