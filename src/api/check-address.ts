// An address that somebody stores is judged at once: whoever typed it learns what a call would learn later.
import { addressesIn, profileOf } from '../domain/connector.ts'
import type { Asker, Profile } from '../domain/refusal.ts'
import { EgressError } from '../egress/egress.ts'
import { RequestInvalid } from './error-answer.ts'
import type { Services } from './services.ts'

export interface Address {
  /** Where in the request it stands. */
  loc: (string | number)[]
  url: string
  profile: Profile
  asker: Asker
}

/** 422 at its place if the policy refuses it. A name that nobody resolves now may be there when it is called. */
export async function checkAddress(
  { egress }: Pick<Services, 'egress'>,
  { loc, url, ...request }: Address,
  signal: AbortSignal,
): Promise<void> {
  try {
    await egress.check(url, { ...request, signal })
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    if (error.code === 'EGRESS_REFUSED') throw refusedAt(loc, error)
  }
}

/** So are the base addresses in a connector's config. */
export async function checkConfig(
  services: Pick<Services, 'egress'>,
  { source, connector_specific_config: config }: { source: string; connector_specific_config: Record<string, unknown> },
  { id, signal }: { id: number | null; signal: AbortSignal },
): Promise<void> {
  const target = { profile: profileOf(source), asker: { kind: 'connector', id } } as const
  for (const [field, url] of addressesIn(config)) {
    await checkAddress(services, { loc: ['body', 'connector_specific_config', field], url, ...target }, signal)
  }
}

export const refusedAt = (loc: (string | number)[], { message }: EgressError): RequestInvalid =>
  new RequestInvalid([{ loc, msg: message, type: 'egress_refused' }])
