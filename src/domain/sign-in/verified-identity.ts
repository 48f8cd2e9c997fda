// The result of a protocol: an account of a provider, proved by the provider; and why it may lead to no sign-in.
import { AppError } from '../errors.ts'

/**
 * A protocol (`oidc`, later `saml` and `ldap`) checks that the provider vouches for everything here, and hands it to
 * `SignIns`. It gets a session back, or a `SignInError`.
 */
export interface VerifiedIdentity {
  /** Stable and unique at the provider: the `sub` of OpenID Connect, a persistent NameID, an entryUUID. */
  subject: string
  email: string | null
  /** Whether the provider vouches that the account receives mail at this address. */
  email_verified: boolean
  name: string | null
  /** Names of groups at the provider. Null: the provider is not asked for groups, and memberships stay. */
  groups: readonly string[] | null
  /** Values that `role_mapping` knows. */
  roles: readonly string[]
  /** Everything that the provider sent, for the verdict of a test. */
  claims: Readonly<Record<string, unknown>>
}

export const SIGN_IN_FAILURES = {
  email_missing: 'The provider sent no e-mail address that can be used.',
  email_unverified: 'The provider does not say that the e-mail address is verified.',
  domain_not_allowed: 'People with this e-mail domain may not sign in with this provider.',
  no_account: 'There is no account with this e-mail address, and this provider creates none.',
  other_account: 'The person with this e-mail address is linked to another account of this provider.',
  suspended: 'This account is suspended.',
  too_many_groups: 'The provider sends more than 1,000 groups.',
  state: 'This sign-in was started in another browser, was completed before, or took longer than ten minutes.',
  provider_refused: 'The provider refused the sign-in.',
  provider_unavailable: 'The provider cannot be reached.',
  answer_invalid: 'The answer of the provider is not valid.',
} as const
export type SignInFailure = keyof typeof SIGN_IN_FAILURES

export class SignInError extends AppError {
  readonly failure: SignInFailure
  constructor(failure: SignInFailure, options?: ErrorOptions) {
    super('SIGN_IN_REFUSED', { reason: SIGN_IN_FAILURES[failure] }, options)
    this.failure = failure
  }
}

/** The changes of a sign-in, or those that a test found it would make. */
export interface SignInResult {
  person: { id: string; email: string; name: string | null; role: string }
  change: 'created' | 'linked' | 'known'
  /** The groups of this provider to which the person belongs afterwards. */
  groups: string[]
  /** Reported groups that the person did not join, because another place manages a group of this name. */
  refused_groups: { name: string; origin: string }[]
  /** True if the mapping would have taken the role of the last administrator. */
  kept_admin: boolean
}

/** The readable result of a test. */
export interface SignInVerdict {
  failure: SignInFailure | null
  /** A sentence of an administrator's interest, such as the error of the provider. */
  detail: string | null
  identity: Omit<VerifiedIdentity, 'claims'> | null
  claims: Record<string, unknown>
  result: SignInResult | null
}
