// Reasons why a sign-in with a provider failed, as the service names them in the address of the page.
import type { SignInTestVerdict } from '../../../../src/client/schemas.ts'

export type SignInFailure = NonNullable<NonNullable<SignInTestVerdict>['failure']>

const TEXTS: Record<SignInFailure, string> = {
  email_missing: 'The provider sent no e-mail address for this account. Ask your administrator.',
  email_unverified:
    'The provider has not verified the e-mail address of this account. Verify it there, or ask your administrator.',
  domain_not_allowed: 'People with this e-mail domain may not sign in with this provider.',
  no_account: 'There is no account with this e-mail address. Ask your administrator for one.',
  other_account:
    'The person with this e-mail address is linked to another account of this provider. Ask your administrator.',
  suspended: 'This account is suspended. Ask your administrator.',
  too_many_groups: 'The provider sends too many groups for this account. Ask your administrator.',
  state:
    'This sign-in was started in another browser, was completed before, or took longer than ten minutes. Start again.',
  provider_refused: 'The provider refused the sign-in.',
  provider_unavailable: 'The provider cannot be reached at this moment. Use a password, or try again later.',
  answer_invalid: 'The answer of the provider is not valid. Ask your administrator.',
}

/** Undefined for a text that the service does not send: the address may come from a stranger. */
export const signInFailureText = (failure: string): string | undefined =>
  Object.entries(TEXTS).find(([name]) => name === failure)?.[1]
