// Why a remote server could not be used, in a sentence for a person; nothing of ours is in it.
import { SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { EgressError } from '../egress/egress.ts'

const MAX_REASON = 500
const FOREIGN = new Set([
  SdkErrorCode.EraNegotiationFailed,
  SdkErrorCode.InvalidResult,
  SdkErrorCode.ClientHttpUnexpectedContent,
])

export function reasonOf(error: unknown): string {
  const refused = inChain(error, (it) => it instanceof EgressError)
  if (refused instanceof Error) return refused.message
  if (error instanceof SdkHttpError) return `It answered with status ${error.status}.`
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return 'It did not answer in time.'
  const isNoProtocol = (it: unknown) => it instanceof SyntaxError || (it instanceof SdkError && FOREIGN.has(it.code))
  // The words of the library would show what came instead, and that is anybody's text.
  if (inChain(error, isNoProtocol) !== undefined)
    return 'It does not answer as the protocol has it. Is this its address?'
  const text = error instanceof Error ? error.message : String(error)
  return `${text.replace(/\s+/g, ' ').slice(0, MAX_REASON)}`.toWellFormed() || 'It gave no reason.'
}

/** Other credentials would help. */
export const isRefusal = (error: unknown, isSignIn: (it: unknown) => boolean): boolean =>
  inChain(
    error,
    (it) =>
      it instanceof UnauthorizedError || isSignIn(it) || (it instanceof SdkHttpError && [401, 403].includes(it.status)),
  ) !== undefined

function inChain(error: unknown, isWanted: (it: unknown) => boolean): unknown {
  for (let it = error, depth = 0; it !== undefined && it !== null && depth < 8; depth++) {
    if (isWanted(it)) return it
    it = it instanceof Error ? it.cause : undefined
  }
  return undefined
}
