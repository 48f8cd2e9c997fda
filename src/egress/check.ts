// Checks an address against the policy without calling it.
import type { EgressCaller, EgressProfile } from '../domain/egress-refusal.ts'
import { rejectOnAbort } from '../flow/reject-on-abort.ts'
import { canonicalEndpoint } from './connect.ts'
import { EgressError } from './egress-error.ts'
import { hostOf, parseUrl, portOf } from './http/hop.ts'
import { canonicalName, isHostName } from './policy/allow-list.ts'
import { authorizeTarget, type EgressRoute, type GuardSettings } from './policy/guard.ts'
import { toEgressError } from './to-egress-error.ts'

export interface CheckRequest {
  profile: EgressProfile
  /** Null for a dry run; the refusal is then not recorded. */
  asker: EgressCaller | null
  signal: AbortSignal
}

/** Only DNS resolution can delay the check, and a person waits for it. */
const CHECK_TIMEOUT_MS = 5_000

export async function checkUrl(
  guard: GuardSettings,
  text: string,
  { profile, asker, signal: caller }: CheckRequest,
): Promise<EgressRoute> {
  const url = parseUrl(text)
  const deadline = AbortSignal.timeout(CHECK_TIMEOUT_MS)
  const target = { host: hostOf(url), port: portOf(url), profile, asker, isAsked: true }
  try {
    return await rejectOnAbort(AbortSignal.any([caller, deadline]), authorizeTarget(guard, target))
  } catch (error) {
    throw toEgressError(error, target.host, { caller, deadline, timeoutMs: CHECK_TIMEOUT_MS })
  }
}

/** Returns the host as approvals spell it. Throws an `EgressError` if it is neither a name nor an address. */
export function parseApprovedHost(text: string): string {
  const { host } = canonicalEndpoint({ host: text, port: 80 })
  if (!host.includes(':') && !isHostName(host)) throw new EgressError('url', host)
  return canonicalName(host)
}
