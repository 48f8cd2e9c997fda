// Sources that no connector reads. Clients push their documents.
import type { EgressProfile } from '../domain/egress-refusal.ts'

export interface PushedSource {
  source: string
  shortLabel?: string
  /** Default: `admin-target`. The service calls none of the addresses. */
  egress?: EgressProfile
  /** Default: only their owner and administrators may use the credentials. */
  hasOpenCredentials?: boolean
  /** Whether its credentials fit connectors of every source. Default: only those of its own. */
  hasUniversalCredentials?: boolean
}

/** A source that is not listed has the defaults. */
export const pushedSources: readonly PushedSource[] = [
  // Clients crawl the pages of these two: a stored address gets no more rights than a page has.
  { source: 'google_sites', egress: 'public-only', hasOpenCredentials: true },
  { source: 'xenforo', egress: 'public-only' },
  { source: 'wikipedia', hasOpenCredentials: true },
  // The source of the empty credential.
  { source: 'not_applicable', hasOpenCredentials: true, hasUniversalCredentials: true },
  { source: 'ingestion_api', shortLabel: 'Pushed by API' },
]
