// Creates the context of a connector for one run, with the credential of that run.
import {
  type Connector,
  type ConnectorContext,
  type ConnectorFiles,
  egressProfileOf,
  SourceError,
} from '../../connectors/connector.ts'
import type { EgressCaller } from '../../domain/egress-refusal.ts'
import { type Egress, EgressError } from '../../egress/egress.ts'
import type { ExtractLimits, Extractor, SourceKind } from '../../extract/extract.ts'
import { createCredentialGuard } from './credential-guard.ts'
import { fetchFromSource } from './fetch.ts'
import type { HostRateLimiter } from './host-rate-limiter.ts'
import { addRecording, type RecordingKeeper } from './recordings.ts'
import { addScannedPages, type ScanKeeper, withoutPictures } from './scanned-pages.ts'

export interface ConnectorContextDeps {
  egress: Pick<Egress, 'fetch' | 'connect'>
  hostLimiter: HostRateLimiter
  files: ConnectorFiles
  extractor: Pick<Extractor, 'extract'>
  /** Keeps files with scanned pages until their text is recognised; null where none is. */
  keepScan: ScanKeeper | null
  /** Keeps recordings until their transcript is made; null where nothing is kept. */
  recordings: RecordingKeeper | null
  retries: number
  firstRetryMs: number
  now: () => number
}

/** The stored configuration and credential of a pair. */
export interface ConnectorSource {
  connector: Connector
  source: string
  /** Null before the connector is stored. */
  connectorId: number | null
  connector_specific_config: unknown
  credential_json: Record<string, unknown>
  /** The origins to which the credential is bound. */
  allowed_origins: readonly string[]
}

export type SyncRange = Pick<ConnectorContext, 'since' | 'until' | 'checkpoint' | 'only' | 'recall' | 'signal'>

/** Throws a `SourceError` that names the invalid field of the configuration or the credential. */
export function createConnectorContext(
  deps: ConnectorContextDeps,
  source: ConnectorSource,
  range: SyncRange,
  onWait: (reason: string, until: number) => void = () => {},
): ConnectorContext {
  const { egress, hostLimiter, files, extractor, keepScan, recordings, retries, firstRetryMs, now } = deps
  const profile = egressProfileOf(source.connector)
  const asker: EgressCaller = { kind: 'connector', id: source.connectorId }
  const { signal } = range
  const fetchDeps = { egress, hostLimiter, profile, asker, retries, firstRetryMs, now, onWait, signal }
  const config = parseOrFail(source.connector.config, source.connector_specific_config, 'connector_specific_config')
  const credential = parseCredential(source)
  const guard = createCredentialGuard(source, config, credential)
  return {
    ...range,
    config,
    credential,
    async fetch(url, request) {
      guard.checkUrl(url)
      return fetchFromSource(fetchDeps, url, request)
    },
    async connect(host, port, tls) {
      guard.checkServer(host, port, tls)
      return egress.connect(host, port, { profile, asker, tls, signal }).catch(throwSourceError)
    },
    files,
    async extract(file) {
      const { bytes, name: file_name, mediaType: media_type, as = null, password = null } = file
      const limits = extractLimits(as)
      const settings = { as, password, limits, keepsPictures: keepScan !== null, signal }
      const read = await extractor.extract({ source: { bytes }, file_name, media_type, ...settings })
      const scanned = keepScan === null ? withoutPictures(read) : await addScannedPages(keepScan, file, read)
      return recordings === null ? scanned : addRecording(recordings, file, scanned)
    },
  }
}

/** Records are parsed, not indexed as text, so the limit is that of the whole file. */
const extractLimits = (as: SourceKind | null): Partial<ExtractLimits> =>
  as === 'records' ? { characters: 100 << 20 } : {}

function parseCredential({ connector, credential_json }: ConnectorSource): unknown {
  const { credential, isCredentialOptional, label } = connector
  const isEmpty = Object.keys(credential_json).length === 0
  if (credential === null || (isEmpty && isCredentialOptional)) return null
  if (isEmpty) throw new SourceError('credential', `${label} needs a credential.`, { field: 'credential_json' })
  return parseOrFail(credential, credential_json, 'credential_json')
}

function parseOrFail(schema: Connector['config'], value: unknown, root: string): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = [root, ...(issue?.path ?? [])].join('.')
  throw new SourceError(root === 'credential_json' ? 'credential' : 'config', `${issue?.message}`, { field })
}

function throwSourceError(error: unknown): never {
  if (!(error instanceof EgressError)) throw error
  if (error.code === 'EGRESS_REFUSED') throw new SourceError('config', error.message, { cause: error })
  throw new SourceError(error.reason === 'resolve' ? 'unresolved' : 'unavailable', error.message, { cause: error })
}
