// What a connector gets to see: made for one run, with the credential of that run.
import { type Connector, type Files, type Pull, SourceError } from '../connectors/connector.ts'
import { profileOf } from '../domain/connector.ts'
import type { Asker } from '../domain/refusal.ts'
import { type Egress, EgressError } from '../egress/egress.ts'
import type { Extractor } from '../extract/extract.ts'
import type { HostGates } from './host-gates.ts'
import { fetchFromSource } from './source-fetch.ts'

export interface PullNeeds {
  egress: Pick<Egress, 'fetch' | 'connect'>
  gates: HostGates
  files: Files
  extractor: Pick<Extractor, 'extract'>
  retries: number
  firstRetryMs: number
  now: () => number
}

/** What one pair gives: as it is stored. */
export interface PullSource {
  connector: Connector
  source: string
  /** Null while there is none. */
  connectorId: number | null
  connector_specific_config: unknown
  credential_json: Record<string, unknown>
}

export type PullRange = Pick<Pull, 'since' | 'until' | 'checkpoint' | 'only' | 'recall' | 'signal'>

/** Rejects with a `SourceError` that names the field where config or credential do not fit. */
export function openPull(
  needs: PullNeeds,
  from: PullSource,
  range: PullRange,
  onWait: (reason: string, until: number) => void = () => {},
): Pull {
  const { egress, gates, files, extractor, retries, firstRetryMs, now } = needs
  const profile = profileOf(from.source)
  const asker: Asker = { kind: 'connector', id: from.connectorId }
  const { signal } = range
  const fetching = { egress, gates, profile, asker, retries, firstRetryMs, now, onWait, signal }
  return {
    ...range,
    config: parsed(from.connector.config, from.connector_specific_config, 'connector_specific_config'),
    credential: credentialOf(from),
    fetch: (url, request) => fetchFromSource(fetching, url, request),
    connect: (host, port, tls) => egress.connect(host, port, { profile, asker, tls, signal }).catch(refuse),
    files,
    extract: ({ bytes, name: file_name, mediaType: media_type, password = null }) =>
      extractor.extract({ source: { bytes }, file_name, media_type, password, signal }),
  }
}

function credentialOf({ connector, credential_json }: PullSource): unknown {
  const { credential, isCredentialOptional, label } = connector
  const isEmpty = Object.keys(credential_json).length === 0
  if (credential === null || (isEmpty && isCredentialOptional)) return null
  if (isEmpty) throw new SourceError('credential', `${label} needs a credential.`, { field: 'credential_json' })
  return parsed(credential, credential_json, 'credential_json')
}

function parsed(schema: Connector['config'], value: unknown, root: string): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = [root, ...(issue?.path ?? [])].join('.')
  throw new SourceError(root === 'credential_json' ? 'credential' : 'config', `${issue?.message}`, { field })
}

function refuse(error: unknown): never {
  if (!(error instanceof EgressError)) throw error
  if (error.code === 'EGRESS_REFUSED') throw new SourceError('config', error.message, { cause: error })
  throw new SourceError(error.reason === 'resolve' ? 'unresolved' : 'unavailable', error.message, { cause: error })
}
