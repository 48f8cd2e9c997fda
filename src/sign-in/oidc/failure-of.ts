// Sorts the errors of a sign-in with OpenID Connect.
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'
import { SignInError, type SignInFailure } from '../../domain/sign-in/verified-identity.ts'
import { EgressError } from '../../egress/egress.ts'

const MAX_DETAIL = 500

export interface ExplainedFailure {
  error: SignInError
  /** For administrators; it may quote the provider. */
  detail: string
}

/** Undefined for an error that is not the provider's. */
export function explainFailure(fault: unknown): ExplainedFailure | undefined {
  if (fault instanceof SignInError) return { error: fault, detail: fault.message }
  const chain = causesOf(fault)
  const failure = failureOf(chain)
  if (failure === undefined) return undefined
  const texts = new Set(chain.map(describe).filter((it) => it !== ''))
  const detail = [...texts]
    .join(': ')
    .replace(/[\p{C}\s]+/gu, ' ')
    .slice(0, MAX_DETAIL)
    .toWellFormed()
  return { error: new SignInError(failure, { cause: fault }), detail }
}

function failureOf(chain: readonly Error[]): SignInFailure | undefined {
  if (chain.some((it) => it instanceof EgressError)) return 'provider_unavailable'
  if (chain.some((it) => REFUSALS.some((refusal) => it instanceof refusal))) return 'provider_refused'
  if (chain.some((it) => LIBRARY_CODE.test(codeOf(it)))) return 'answer_invalid'
  return undefined
}

const REFUSALS = [AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError]

/** The codes of openid-client, oauth4webapi and jose. */
const LIBRARY_CODE = /^(?:OAUTH|ERR_J)/

function causesOf(fault: unknown): Error[] {
  const chain: Error[] = []
  for (let it = fault; it instanceof Error && chain.length < 10; it = it.cause) chain.push(it)
  return chain
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

/** Some providers do not decode the header of `client_secret_basic`, as RFC 6749 section 2.3.1 asks. */
const CLIENT_REFUSED =
  'The provider does not accept the client id and the client secret. If both are right, set client_auth to the other method.'

function describe(error: Error): string {
  if (error instanceof WWWAuthenticateChallengeError) return CLIENT_REFUSED
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return error.error_description ?? error.error
  return error.message
}
