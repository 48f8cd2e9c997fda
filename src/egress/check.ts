// What would be said of an address, without calling it.
import type { Asker, Profile } from '../domain/refusal.ts'
import { canonicalName, isName } from './allow.ts'
import { canonical } from './connect.ts'
import { EgressError } from './egress-error.ts'
import { explain } from './explain.ts'
import { type GuardSettings, judge, type Route } from './guard.ts'
import { hostOf, parseUrl, portOf } from './hop.ts'
import { until } from './until.ts'

export interface CheckRequest {
  profile: Profile
  /** Null when somebody only wants to know: then a refusal is not listed. */
  asker: Asker | null
  signal: AbortSignal
}

/** Somebody waits for the answer, and only the resolver can keep them waiting. */
const CHECK_TIMEOUT_MS = 5_000

export async function checkGuarded(
  guard: GuardSettings,
  text: string,
  { profile, asker, signal: caller }: CheckRequest,
): Promise<Route> {
  const url = parseUrl(text)
  const deadline = AbortSignal.timeout(CHECK_TIMEOUT_MS)
  const target = { host: hostOf(url), port: portOf(url), profile, asker, isAsked: true }
  try {
    return await until(AbortSignal.any([caller, deadline]), judge(guard, target))
  } catch (error) {
    throw explain(error, target.host, { caller, deadline, timeoutMs: CHECK_TIMEOUT_MS })
  }
}

/** The host in the spelling by which it is approved; throws an `EgressError` when this is no name and no address. */
export function parseHost(text: string): string {
  const { host } = canonical({ host: text, port: 80 })
  if (!host.includes(':') && !isName(host)) throw new EgressError('url', host)
  return canonicalName(host)
}
