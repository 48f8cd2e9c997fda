// Reasons why a sign-in with a provider failed, as the service names them in the address of the page.
import type { SignInTestVerdict } from '../../../../src/client/schemas.ts'
import type en from '../../text/en.json'
import { textsOf } from '../../text/texts.ts'

export type SignInFailure = NonNullable<NonNullable<SignInTestVerdict>['failure']>

/** A reason without a text does not compile. */
const FAILURES: Record<SignInFailure, keyof typeof en.sign_in.failures> = {
  email_missing: 'email_missing',
  email_unverified: 'email_unverified',
  domain_not_allowed: 'domain_not_allowed',
  no_account: 'no_account',
  other_account: 'other_account',
  suspended: 'suspended',
  too_many_groups: 'too_many_groups',
  state: 'state',
  provider_refused: 'provider_refused',
  provider_unavailable: 'provider_unavailable',
  answer_invalid: 'answer_invalid',
}

/** Undefined for a text that the service does not send: the address may come from a stranger. */
export function signInFailureText(failure: string): string | undefined {
  const known = Object.values(FAILURES).find((it) => it === failure)
  return known && textsOf('sign_in.failures')(known)
}
