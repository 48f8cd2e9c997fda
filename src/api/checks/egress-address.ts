// Checks an address against the egress policy when it is stored, so that errors show up before the first call.
import { baseUrlsIn, type SourceFacts } from '../../domain/connector.ts'
import type { EgressCaller, EgressProfile } from '../../domain/egress-refusal.ts'
import { type Egress, EgressError } from '../../egress/egress.ts'
import { InvalidRequestError } from '../http/error-response.ts'

export interface RequestAddress {
  /** Path of the field in the request. */
  loc: (string | number)[]
  url: string
  profile: EgressProfile
  asker: EgressCaller
}

export interface EgressChecker {
  egress: Pick<Egress, 'check'>
}

/** 422 if the policy rejects the address. A host name that does not resolve now is accepted. */
export async function checkEgressAddress(
  { egress }: EgressChecker,
  { loc, url, ...request }: RequestAddress,
  signal: AbortSignal,
): Promise<void> {
  try {
    await egress.check(url, { ...request, signal })
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    if (error.code === 'EGRESS_REFUSED') throw addressRefusedAt(loc, error)
  }
}

/** Checks the base addresses in a connector's config. */
export async function checkConfigAddresses(
  services: EgressChecker & { sourceFacts: Pick<SourceFacts, 'egressProfileOf'> },
  { source, connector_specific_config: config }: { source: string; connector_specific_config: Record<string, unknown> },
  { id, signal }: { id: number | null; signal: AbortSignal },
): Promise<void> {
  const profile = services.sourceFacts.egressProfileOf(source)
  const egressPolicy = { profile, asker: { kind: 'connector', id } } as const
  for (const [field, url] of baseUrlsIn(config)) {
    await checkEgressAddress(
      services,
      { loc: ['body', 'connector_specific_config', field], url, ...egressPolicy },
      signal,
    )
  }
}

export const addressRefusedAt = (loc: (string | number)[], { message }: EgressError): InvalidRequestError =>
  new InvalidRequestError([{ loc, msg: message, type: 'egress_refused' }])
