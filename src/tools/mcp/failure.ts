// Describes for people why a remote server cannot be used, without internal details.
import { SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { EgressError } from '../../egress/egress.ts'

const MAX_REASON = 500
const PROTOCOL_VIOLATIONS = new Set([
  SdkErrorCode.EraNegotiationFailed,
  SdkErrorCode.InvalidResult,
  SdkErrorCode.ClientHttpUnexpectedContent,
])

export function describeFailure(error: unknown): string {
  const egressError = findInCauses(error, (it) => it instanceof EgressError)
  if (egressError instanceof Error) return egressError.message
  if (error instanceof SdkHttpError) return `It responded with status ${error.status}.`
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return 'It did not respond in time.'
  const isProtocolViolation = (it: unknown) =>
    it instanceof SyntaxError || (it instanceof SdkError && PROTOCOL_VIOLATIONS.has(it.code))
  // The message of the library would quote the response, which is untrusted.
  if (findInCauses(error, isProtocolViolation) !== undefined)
    return 'Its responses do not follow the protocol. Check the address of the server.'
  const text = error instanceof Error ? error.message : String(error)
  return `${text.replace(/\s+/g, ' ').slice(0, MAX_REASON)}`.toWellFormed() || 'It gave no reason.'
}

/** Other credentials might help. */
export const isAuthFailure = (error: unknown, isSignInError: (it: unknown) => boolean): boolean =>
  findInCauses(
    error,
    (it) =>
      it instanceof UnauthorizedError ||
      isSignInError(it) ||
      (it instanceof SdkHttpError && [401, 403].includes(it.status)),
  ) !== undefined

function findInCauses(error: unknown, isWanted: (it: unknown) => boolean): unknown {
  for (let it = error, depth = 0; it !== undefined && it !== null && depth < 8; depth++) {
    if (isWanted(it)) return it
    it = it instanceof Error ? it.cause : undefined
  }
  return undefined
}
