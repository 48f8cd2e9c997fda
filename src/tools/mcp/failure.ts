// Describes for people why a remote server cannot be used, without internal details.
import { EgressError } from '../../egress/egress.ts'

const MAX_REASON = 500

export async function describeFailure(error: unknown): Promise<string> {
  const { SdkError, SdkErrorCode, SdkHttpError } = await import('@modelcontextprotocol/client')
  const egressError = findInCauses(error, (it) => it instanceof EgressError)
  if (egressError instanceof Error) return egressError.message
  if (error instanceof SdkHttpError) return `It responded with status ${error.status}.`
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return 'It did not respond in time.'
  const { EraNegotiationFailed, InvalidResult, ClientHttpUnexpectedContent } = SdkErrorCode
  const violations = [EraNegotiationFailed, InvalidResult, ClientHttpUnexpectedContent] as const
  const isProtocolViolation = (it: unknown) =>
    it instanceof SyntaxError || (it instanceof SdkError && violations.some((code) => code === it.code))
  // The message of the library would quote the response, which is untrusted.
  if (findInCauses(error, isProtocolViolation) !== undefined)
    return 'Its responses do not follow the protocol. Check the address of the server.'
  const text = error instanceof Error ? error.message : String(error)
  return `${text.replace(/\s+/g, ' ').slice(0, MAX_REASON)}`.toWellFormed() || 'It gave no reason.'
}

/** Other credentials might help. */
export async function isAuthFailure(error: unknown, isSignInError: (it: unknown) => boolean): Promise<boolean> {
  const { SdkHttpError, UnauthorizedError } = await import('@modelcontextprotocol/client')
  const isWanted = (it: unknown) =>
    it instanceof UnauthorizedError ||
    isSignInError(it) ||
    (it instanceof SdkHttpError && [401, 403].includes(it.status))
  return findInCauses(error, isWanted) !== undefined
}

function findInCauses(error: unknown, isWanted: (it: unknown) => boolean): unknown {
  for (let it = error, depth = 0; it !== undefined && it !== null && depth < 8; depth++) {
    if (isWanted(it)) return it
    it = it instanceof Error ? it.cause : undefined
  }
  return undefined
}
