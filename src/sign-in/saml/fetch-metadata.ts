// Reads the metadata of a provider: a text, or what an address answers.
import { AppError } from '../../domain/errors.ts'
import type { Egress } from '../../egress/egress.ts'
import { EgressError } from '../../egress/egress.ts'
import { createProviderFetch } from '../oidc/provider-fetch.ts'
import type { ProviderMetadata } from './read-metadata.ts'
import type { XmlReader } from './xml-reader.ts'

interface MetadataDeps {
  egress: Pick<Egress, 'fetch'>
  xmlReader: XmlReader
}

/** SIGN_IN_PROVIDER_FAILED with the reason, SERVICE_UNAVAILABLE. */
export async function readMetadataText(
  { xmlReader }: Pick<MetadataDeps, 'xmlReader'>,
  xml: string,
): Promise<ProviderMetadata> {
  const read = await xmlReader.readMetadata(xml)
  if (read.kind === 'invalid') throw new AppError('SIGN_IN_PROVIDER_FAILED', { reason: read.fault })
  return read.metadata
}

/** `providerId`: null for a provider that does not exist yet. Fails like `readMetadataText`. */
export async function fetchMetadata(
  deps: MetadataDeps,
  url: string,
  providerId: number | null,
): Promise<ProviderMetadata> {
  const answer = await createProviderFetch(deps.egress, providerId)(url, {}).catch((error: unknown) => {
    if (!(error instanceof EgressError)) throw error
    throw new AppError('SIGN_IN_PROVIDER_FAILED', { reason: error.message }, { cause: error })
  })
  if (!answer.ok) throw new AppError('SIGN_IN_PROVIDER_FAILED', { reason: `The address answers ${answer.status}.` })
  return readMetadataText(deps, await answer.text())
}
